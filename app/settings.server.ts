import { chatSettings, readChat } from "~/chat/chat.settings";
import { chatProviders } from "~/chat/providers/chat-providers.server";
import { doorSettings, readDoor } from "~/door/door.settings";
import { gateSettings, readGate } from "~/gate/gate.settings";
import { keySettings, readKeys } from "~/gate/kinds/keys.settings";
import { readTokens, tokenSettings } from "~/gate/tokens/tokens.settings";
import { readWallets, walletSettings } from "~/gate/wallets.settings";
import { operatorSettings } from "~/operator/operator.settings";
import { paymentSettings, readPayments } from "~/payments/payments.settings";
import { brandSettings, readBrand } from "~/platform/brand/brand.settings";
import { chainSettings, readChain } from "~/platform/chain/chain.settings";
import { describePostgresqlNames, readEnvironment } from "~/platform/config/environment.server";
import { listSettings } from "~/platform/config/setting";
import type { SettingGroup } from "~/platform/config/setting";
import { ConfigError, createSettingReader } from "~/platform/config/setting-reader";
import type { Environment, SettingReader } from "~/platform/config/setting-reader";
import { findUnknownNames } from "~/platform/config/unknown-names";
import { databaseSettings, readDatabase } from "~/platform/database/database.settings";
import { readServing, servingSettings } from "~/platform/http/serving.settings";
import { limitSettings, readLimits } from "~/platform/limits/limits.settings";
import { outboxSettings, readNotifications } from "~/platform/outbox/outbox.settings";
import { readState, redisSettings } from "~/platform/redis/redis.settings";
import { readTracing, tracingSettings } from "~/platform/tracing/tracing.settings";
import { quotaSettings, readQuota } from "~/quota/quota.settings";
import { readSearch, searchSettings } from "~/search/search.settings";
import { speechProviders } from "~/speech/providers/speech-providers.server";
import { readSpeech, speechSettings } from "~/speech/speech.settings";
import { readTools, toolSettings } from "~/tools/tools.settings";

/** Every setting there is, under the headings of `.env.example` and docs/settings.md. */
export const settingGroups: readonly SettingGroup[] = [
  { title: "Serving", rows: servingSettings },
  { title: "Appearance", rows: brandSettings },
  { title: "Chain and key", rows: { chainSettings, keySettings } },
  { title: "Gate", rows: gateSettings },
  { title: "Access tokens", rows: tokenSettings },
  { title: "Door", rows: doorSettings },
  { title: "State", rows: { databaseSettings, redisSettings } },
  { title: "Limits", rows: limitSettings },
  { title: "Notifications", rows: outboxSettings },
  { title: "Wallets", rows: walletSettings },
  { title: "Conversation", rows: { chatSettings, quotaSettings } },
  { title: "Tools", rows: toolSettings },
  { title: "Payments", rows: paymentSettings },
  { title: "Speech", rows: speechSettings },
  { title: "Search", rows: searchSettings },
  { title: "Operator", rows: operatorSettings },
  { title: "Tracing", rows: tracingSettings },
];

export const settings = settingGroups.flatMap(({ rows }) => listSettings(rows));

/** Settings of earlier versions, and what takes their place. */
export const goneSettings: Readonly<Record<string, string>> = {
  AI_CRYPTO_QUOTA_WINDOW_SEC: "AI_CRYPTO_QUOTA_ETHER is for any 24 hours.",
  DATABASE_IDLE_SECONDS: "PostgreSQL undoes a transaction after 15 seconds without a statement.",
  DATABASE_LOCK_SECONDS: "a statement waits for a lock for up to 5 seconds.",
  OPERATOR_ACTIVITY_DAYS: "hourly counts are kept for 90 days.",
  OPERATOR_AUDIT_DAYS: "what operators did is kept for 365 days.",
  OPERATOR_DECISIONS_MAX: "at most 100,000 decisions are kept; OPERATOR_DECISIONS_DAYS shortens that.",
  OPERATOR_SESSION_IDLE_SECONDS: "a session ends after half an hour without a page.",
  OPERATOR_SESSION_MAX_SECONDS: "a session ends after twelve hours.",
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "set OTEL_EXPORTER_OTLP_ENDPOINT, to which /v1/traces is added.",
  OTEL_SERVICE_NAME: "the service is called latchkey in traces.",
  OTEL_TRACES_SAMPLER:
    "every request is traced unless a trusted proxy decided otherwise; sample in the collector.",
  OTEL_TRACES_SAMPLER_ARG:
    "every request is traced unless a trusted proxy decided otherwise; sample in the collector.",
  TTS_CACHE_MB: "spoken audio takes up to 256 MB of the data folder.",
  TTS_QUEUE: "up to 16 sentences wait for the embedded voice.",
  TTS_QUOTA_WINDOW_SEC: "AI_CHAT_QUOTA_WINDOW_SEC is for speech too.",
  TTS_THREADS: "the embedded voice speaks with two threads.",
};

/** In production these stop the start, because what holds instead may be looser than what was set. */
const goneBounds = [
  "AI_CRYPTO_QUOTA_WINDOW_SEC",
  "OPERATOR_AUDIT_DAYS",
  "OPERATOR_DECISIONS_MAX",
  "OPERATOR_SESSION_IDLE_SECONDS",
  "OPERATOR_SESSION_MAX_SECONDS",
  "TTS_QUOTA_WINDOW_SEC",
];

export type Config = ReturnType<typeof readConfig>;

/** Ends the process on a mistake. */
export function loadConfig(): Config {
  return readEnvironment(parseConfig);
}

/** Throws a ConfigError with all mistakes. `fileNames`: the names in the environment file. */
export function parseConfig(environment: Environment, fileNames: readonly string[] = []): Config {
  const reader = createSettingReader(environment);
  const config = readConfig(reader);
  const known = settings.map(({ name }) => name);
  const names = { fileNames, known, gone: goneSettings, goneBounds };
  for (const { isSlip, text } of findUnknownNames(environment, names)) {
    (isSlip && reader.mode === "production" ? reader.problems : reader.warnings).push(text);
  }
  const forTests = settings.filter(({ isForTests, name }) => isForTests && environment[name]);
  for (const { name } of forTests) reader.warnings.push(`${name} is for tests alone: leave it out.`);
  reader.warnings.push(...describePostgresqlNames(environment));
  if (reader.problems.length > 0) throw new ConfigError(reader.problems, reader.warnings);
  return config;
}

/** Strangers could spend the operator's money, so production requires a choice. */
function requireCostChoice(
  reader: SettingReader,
  { chat, speech, embedder }: { chat: string; speech: string; embedder: string | undefined },
): void {
  const { requiresJwt, provider } = chatSettings;
  if (reader.mode !== "production" || reader.isSet(requiresJwt)) return;
  const isPaid = (rows: readonly { name: string; isPaid?: boolean }[], name: string) =>
    rows.some((row) => row.name === name && row.isPaid);
  const paid = [
    ...(isPaid(chatProviders, chat) ? [`${provider.name} is ${chat}`] : []),
    ...(isPaid(speechProviders, speech) ? [`${speechSettings.provider.name} is ${speech}`] : []),
    ...(embedder !== undefined && embedder !== chat && isPaid(chatProviders, embedder)
      ? [`${searchSettings.embeddingModel.name} is asked of ${embedder}`]
      : []),
  ].join(" and ");
  if (paid) {
    const choice = "true lets holders alone spend your money there, false everybody.";
    reader.report(requiresJwt, `must be set when ${paid}: ${choice}`);
  }
}

function readConfig(reader: SettingReader) {
  const serving = readServing(reader);
  const brand = readBrand(reader);
  const { kinds: keys, chains, addressLists } = readKeys(reader, brand.name);
  const state = readState(reader);
  const chat = readChat(reader);
  const quota = readQuota(reader, { isJwtRequired: chat.requiresJwt, isStateActive: state.enabled });
  const speech = readSpeech(reader, quota.activity.active);
  const search = readSearch(reader, chat);
  requireCostChoice(reader, {
    chat: chat.provider,
    speech: speech.provider,
    embedder: search.embedding?.provider,
  });
  return {
    mode: reader.mode,
    serving,
    brand,
    keys,
    chains,
    /** Lists in files that `keys` names. */
    addressLists,
    chain: readChain(reader),
    state,
    gate: readGate(reader, state.enabled),
    jwt: readTokens(reader),
    doorSites: readDoor(reader, { kinds: keys, serving, isStateActive: state.enabled }),
    database: readDatabase(reader, serving.dataDir),
    limits: readLimits(reader),
    notifications: readNotifications(reader),
    wallets: readWallets(reader),
    chat,
    quota,
    tools: readTools(reader, chat.apiPath),
    payments: readPayments(reader),
    speech,
    search,
    operator: reader.read(operatorSettings),
    tracing: readTracing(reader),
    /** Warnings. */
    warnings: reader.warnings as readonly string[],
    switches: reader.listSwitches(),
  };
}

type Offered = Pick<Config, "chat" | "tools" | "doorSites">;

/** Routes whose path is a setting: the default path, and the configured one. */
export function findMovedPaths({ chat, tools }: Pick<Offered, "chat" | "tools">): Record<string, string> {
  return {
    ...(chat.isOn && { "/api/chat": chat.apiPath }),
    ...(tools.mcpPath !== null && { "/api/mcp": tools.mcpPath }),
  };
}

/** Routes that look like any unknown address. */
export function findHiddenPaths({ chat, tools, doorSites }: Offered): readonly string[] {
  const kept = ["/api/chat/:id/stream", "/api/chat/:id/stop"];
  const ofChat = ["/chat", "/api/chat", "/api/models", "/api/quota"];
  const ofTools = ["/api/mcp", "/.well-known/oauth-protected-resource/*"];
  const ofDoor = ["/api/door", ...["start", "enter", "leave", "*"].map((name) => `/.latchkey/${name}`)];
  return [
    ...(chat.isOn && chat.resumeSeconds > 0 ? [] : kept),
    ...(chat.isOn ? [] : ofChat),
    ...(tools.mcpPath === null ? ofTools : []),
    ...(doorSites.length > 0 ? [] : ofDoor),
  ];
}
