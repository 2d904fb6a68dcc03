import { expect, test } from "vitest";
import type { Setting, Switch } from "~/platform/config/setting";
import { parseConfig, settings } from "~/settings.server";
import { problemsInProduction, production } from "~e2e/support/config";

function list(environment: Readonly<Record<string, string>>): Switch[] {
  return parseConfig({ ...production, ...environment }).switches;
}

const find = (switches: Switch[], word: string) =>
  switches.filter(({ why }) => new RegExp(`\\b${word}\\b`).test(why));

/** Whether a setting can switch something off: by true or false, by being omitted, by 0 or by a word for none. */
function isOnOff({ name, default: standard, text }: Setting): boolean {
  const isBoolean = problemsInProduction({ [name]: "perhaps" }).includes(`${name} must be true or false.`);
  const isNothingMeant = /\b0 (?!to\b)|\bThe same for\b|`(disabled|none|deny|offline)`/.test(text);
  return isBoolean || standard === undefined || isNothingMeant;
}

const partOf = (what: string) => `goes with ${what}, which has a switch or a row`;
const alwaysThere = (what: string) => `${what} is always there; this only says which`;

/** Settings that can be omitted, or be 0, and switch nothing that the list of switches is missing. */
const exceptions: Record<string, string> = {
  PORT: "0 takes a free port",
  PUBLIC_ORIGIN: alwaysThere("an origin"),
  NEXT_PUBLIC_DOMAIN: alwaysThere("a domain"),
  BRAND_ACCENT: alwaysThere("a colour"),
  BRAND_LOGO: "seen on every page",
  BRAND_ICON: alwaysThere("an icon"),
  BRAND_TEXTS: alwaysThere("a text"),
  CHAIN_ID: alwaysThere("a chain"),
  RPC_URL: "every address has a row of its own",
  KEY_CONTRACT_ADDRESS: "the contract has a row",
  KEY_USE_CONFIRMATIONS: "0 asks for no depth",
  CHAIN_NAME: alwaysThere("a name"),
  JWT_SECRET: partOf("JWT_ALG"),
  JWT_PRIVATE_KEY: partOf("JWT_ALG"),
  JWT_PUBLIC_KEY: partOf("JWT_ALG"),
  JWT_ISS: alwaysThere("an issuer"),
  JWT_AUD: alwaysThere("an audience"),
  STATE_WORKER_API_KEY: partOf("STATE_WORKER_URL"),
  DATABASE_URL: "the database has a row",
  WEBHOOK_SECRET: partOf("WEBHOOK_URL"),
  NOTIFY_FROM: partOf("SMTP_URL"),
  AI_MODELS: "listed in the row of the provider",
  AI_BASE_URL: partOf("AI_PROVIDER"),
  AI_OFFLINE_WORD_MS: "0 leaves out a pause",
  AI_SYSTEM_PROMPT: "words for the model",
  OPENAI_API_KEY: partOf("AI_PROVIDER"),
  CLOUDFLARE_ACCOUNT_ID: partOf("AI_PROVIDER"),
  CLOUDFLARE_API_TOKEN: partOf("AI_PROVIDER"),
  WORKERS_AI_BASE_URL: partOf("AI_PROVIDER"),
  TTS_BASE_URL: partOf("TTS_PROVIDER"),
  TTS_API_KEY: partOf("TTS_PROVIDER"),
  TTS_VOICE: alwaysThere("a voice"),
  TTS_MODEL: partOf("TTS_PROVIDER"),
  ELEVENLABS_API_KEY: partOf("TTS_PROVIDER"),
  ELEVENLABS_VOICE_ID: partOf("TTS_PROVIDER"),
  PINECONE_INDEXES: partOf("PINECONE_API_KEY"),
  PINECONE_HOST: partOf("PINECONE_API_KEY"),
  OPERATOR_SECRET: "where it is not set there is no such list",
  OTEL_EXPORTER_OTLP_HEADERS: partOf("OTEL_EXPORTER_OTLP_ENDPOINT"),
};

const model = { AI_PROVIDER: "local", AI_BASE_URL: "http://127.0.0.1:1/v1" };
const quotaOn = { NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true" };
const candidates = settings.filter(isOnOff);

test("every setting that can switch something has a switch whose reason names it, or is listed as an exception", () => {
  const limits = settings.filter(({ name }) => name.startsWith("RATE_LIMIT_")).map(({ name }) => [name, "0"]);
  const shown = [
    ...list({}),
    ...list(quotaOn),
    ...list({ ...quotaOn, AI_CHAT_QUOTA_ENABLED: "false", ...Object.fromEntries(limits) }),
  ];
  const without = candidates.filter(({ name }) => find(shown, name).length === 0).map(({ name }) => name);
  expect(without.toSorted()).toEqual(Object.keys(exceptions).toSorted());
});

test("the list of candidates contains every kind of switch", () => {
  const names = candidates.map(({ name }) => name);
  for (const name of ["BASE_WALLET", "KEY_SHOP_URL", "TTS_CACHE_MB", "TTS_PROVIDER", "RATE_LIMIT_OPERATOR"])
    expect(names).toContain(name);
  expect(names).not.toContain("JWT_ACCESS_TTL");
});

test.each<[string, string, string, Record<string, string>?]>([
  ["NEXT_PUBLIC_ENABLE_STATE_WORKER", "true", "false"],
  ["STATE_WORKER_URL", "redis://127.0.0.1:1", ""],
  ["NONCE_BINDING", "client", "none"],
  ["LEGACY_SIGNATURES", "allow", "deny"],
  ["REQUIRE_SIGNED_MESSAGE", "true", "false"],
  ["JWT_PREVIOUS_KEYS", "7f2c41d07be86a35c1f4e0927d5ab36b", ""],
  ["OWNERSHIP_CACHE_SECONDS", "4", "0"],
  ["SESSION_MAX_SECONDS", "600", "0"],
  ["WALLETCONNECT_PROJECT_ID", "0".repeat(32), ""],
  ["BASE_WALLET", "true", "false"],
  ["KEY_SHOP_URL", "https://shop.example.com", ""],
  ["CHAIN_WALLET_RPC_URL", "https://rpc.example.com", ""],
  ["CHAIN_EXPLORER_URL", "https://explorer.example.com", ""],
  ["NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT", "true", "false"],
  ["AI_PROVIDER", "local", "offline", { AI_BASE_URL: model.AI_BASE_URL }],
  ["AI_QUOTA_RESET_SECRET", "Qm7rV2kXw9TzLc4H", ""],
  ["TTS_PROVIDER", "flite", "disabled"],
  ["TTS_QUOTA_CHARACTERS", "5", "0", quotaOn],
  ["TTS_CACHE_MB", "1", "0"],
  ["AI_PRIVATE_KEY", `0x${"4".repeat(62)}7a`, ""],
  ["SEARCH_GATED_NAMESPACES", "vault", ""],
  ["EMBEDDING_MODEL", "some-model", "", model],
  ["PINECONE_API_KEY", "some-key", "", { ...model, PINECONE_INDEXES: "one", EMBEDDING_MODEL: "m" }],
  ["WEBHOOK_URL", "https://hooks.example.com", "", { WEBHOOK_SECRET: "Qm7rV2kXw9TzLc4HPn5sB8yD" }],
  ["SMTP_URL", "smtp://mail.example.com", "", { NOTIFY_EMAIL: "me@example.com" }],
  ["OPENAPI_ENABLED", "true", "false"],
  ["OFFLINE_PAGE", "true", "false"],
  ["CORS_ORIGINS", "https://app.example.com", ""],
  ["METRICS_TOKEN", "Qm7rV2kXw9TzLc4H", ""],
  ["METRICS_PORT", "9100", ""],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318", ""],
  ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:4318/v1/traces", ""],
  ["TRUST_PROXY", "loopback", ""],
  ["OPERATOR_DECISIONS_DAYS", "1", "0"],
])("%s controls its own switch", (name, on, off, rest = {}) => {
  const named = (value: string) => find(list({ ...rest, [name]: value }), name).map(({ isOn }) => isOn);
  expect(named(on)).toContain(true);
  expect(named(off)).toContain(false);
});

test("each switch is listed once, with its reason in a sentence without a secret", () => {
  const secrets = settings.filter(({ isSecret }) => isSecret).map(({ name }) => name);
  const environment = {
    ...quotaOn,
    STATE_WORKER_URL: "redis://:Qm7rV2kXw9TzLc4H@cache.example.com",
    METRICS_TOKEN: "Qm7rV2kXw9TzLc4H",
    WEBHOOK_URL: "https://hooks.example.com/Qm7rV2kXw9TzLc4H",
    WEBHOOK_SECRET: "Qm7rV2kXw9TzLc4HPn5sB8yD",
    JWT_PREVIOUS_KEYS: "7f2c41d07be86a35c1f4e0927d5ab36b",
  };
  const switches = list(environment);
  expect(new Set(switches.map(({ name }) => name)).size).toBe(switches.length);
  for (const { why } of switches) {
    expect(why).toMatch(/^[A-Z].*\.$/);
    expect(why).not.toMatch(/Qm7r|7f2c/);
  }
  for (const name of ["STATE_WORKER_URL", "WEBHOOK_URL", "JWT_PREVIOUS_KEYS"]) {
    expect(secrets).toContain(name);
    expect(find(switches, name)[0]).toMatchObject({ isOn: true });
  }
});

function stateOf(name: string, environment: Readonly<Record<string, string>>) {
  const { isOn, why } = list(environment).find((one) => one.name === name)!;
  return [isOn, why];
}

test("older signatures are on as a fallback where sign-in with Ethereum is off", () => {
  const name = "Older timestamped signatures";
  const fallback = { LEGACY_SIGNATURES: "fallback" };
  expect(stateOf(name, fallback)).toEqual([
    false,
    "LEGACY_SIGNATURES is fallback, and sign-in with Ethereum is on.",
  ]);
  expect(stateOf(name, { ...fallback, NEXT_PUBLIC_ENABLE_STATE_WORKER: "false" })).toEqual([
    true,
    "LEGACY_SIGNATURES is fallback, and sign-in with Ethereum is off.",
  ]);
});

test("a feature that depends on another is off with it, and says so", () => {
  const quotaOff = { ...quotaOn, AI_CHAT_QUOTA_ENABLED: "false" };
  expect(stateOf("Chat quota", quotaOn)).toEqual([true, "All three conditions hold."]);
  expect(stateOf("Chat quota", quotaOff)).toEqual([false, "AI_CHAT_QUOTA_ENABLED is not true."]);
  expect(stateOf("Speech quota", quotaOff)).toEqual([false, "The chat quota, which it goes by, is off."]);
  const silent = { TTS_PROVIDER: "disabled" };
  expect(stateOf("Reading aloud", silent)).toEqual([false, "TTS_PROVIDER is disabled."]);
  expect(stateOf("Spoken audio kept", silent)).toEqual([false, "TTS_PROVIDER is disabled."]);
});

test("the demo's chain is offered to wallets in the demo, and no other without an address", () => {
  const name = "Chain offered to wallets that do not know it";
  expect(stateOf(name, { LATCHKEY_MODE: "demo" })[0]).toBe(true);
  expect(stateOf(name, {})).toEqual([false, "CHAIN_WALLET_RPC_URL is not set."]);
});

test("the demo is one of three modes", () => {
  expect(stateOf("Demo", { LATCHKEY_MODE: "demo" })).toEqual([true, "LATCHKEY_MODE is demo."]);
  expect(stateOf("Demo", { LATCHKEY_MODE: "development" })[0]).toBe(false);
});

test("an offline page that development omits is not attributed to its own setting", () => {
  const state = stateOf("Offline page on visitors' devices", { LATCHKEY_MODE: "development" });
  expect(state[0]).toBe(false);
  expect(state[1]).toContain("LATCHKEY_MODE is development");
});
