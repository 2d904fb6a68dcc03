import { chatSettings, readChat } from "~/chat/chat.settings";
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
import { ConfigError, createSettingReader, describeUnknownNames } from "~/platform/config/setting-reader";
import type { Environment, SettingReader } from "~/platform/config/setting-reader";
import { databaseSettings, readDatabase } from "~/platform/database/database.settings";
import { readServing, servingSettings } from "~/platform/http/serving.settings";
import { limitSettings, readLimits } from "~/platform/limits/limits.settings";
import { outboxSettings, readNotifications } from "~/platform/outbox/outbox.settings";
import { readState, redisSettings } from "~/platform/redis/redis.settings";
import { readTracing, tracingSettings } from "~/platform/tracing/tracing.settings";
import { quotaSettings, readQuota } from "~/quota/quota.settings";
import { readSearch, searchSettings } from "~/search/search.settings";
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

export type Config = ReturnType<typeof readConfig>;

/** The process's configuration; ends the process where there is something to mend. */
export function loadConfig(): Config {
  return readEnvironment(parseConfig);
}

/** Throws a ConfigError that lists every mistake at once. */
export function parseConfig(environment: Environment): Config {
  const reader = createSettingReader(environment);
  const config = readConfig(reader);
  const known = settings.map(({ name }) => name);
  reader.warnings.push(...describeUnknownNames(environment, known), ...describePostgresqlNames(environment));
  if (reader.problems.length > 0) throw new ConfigError(reader.problems, reader.warnings);
  return config;
}

function readConfig(reader: SettingReader) {
  const serving = readServing(reader);
  const brand = readBrand(reader);
  const { kinds: keys, chains, addressLists } = readKeys(reader, brand.name);
  const state = readState(reader);
  const chat = readChat(reader);
  const quota = readQuota(reader, { isJwtRequired: chat.requiresJwt, isStateActive: state.enabled });
  return {
    mode: reader.mode,
    serving,
    brand,
    keys,
    chains,
    /** Those of files that `keys` names. */
    addressLists,
    chain: readChain(reader),
    state,
    gate: readGate(reader, state.enabled),
    jwt: readTokens(reader),
    /** None: the door is off. */
    doorSites: readDoor(reader, { kinds: keys, serving, isStateActive: state.enabled }),
    database: readDatabase(reader, serving.dataDir),
    limits: readLimits(reader),
    notifications: readNotifications(reader),
    wallets: readWallets(reader),
    chat,
    quota,
    tools: readTools(reader, chat.apiPath),
    payments: readPayments(reader),
    speech: readSpeech(reader, quota.activity.active),
    search: readSearch(reader, chat),
    operator: reader.read(operatorSettings),
    tracing: readTracing(reader),
    /** Worth telling the operator at start-up; nothing here stops it. */
    warnings: reader.warnings as readonly string[],
    switches: reader.listSwitches(),
  };
}

/** Routes whose path is a setting, and what is below them: the path they have by default, and the configured one. */
export function findMovedPaths({ chat, tools }: Pick<Config, "chat" | "tools">): Record<string, string> {
  return { "/api/chat": chat.apiPath, "/api/mcp": tools.mcpPath };
}

/** Routes that are not there: as for any other unknown address, nothing tells that they might be. */
export function findHiddenPaths({ chat, doorSites }: Pick<Config, "chat" | "doorSites">): readonly string[] {
  const ofChat = chat.resumeSeconds > 0 ? [] : ["/api/chat/:id/stream", "/api/chat/:id/stop"];
  const onSites = ["start", "enter", "leave", "*"].map((name) => `/.latchkey/${name}`);
  const ofDoor = ["/api/door", ...onSites];
  return [...ofChat, ...(doorSites.length > 0 ? [] : ofDoor)];
}
