import { expect, test } from "vitest";
import type { Switch } from "~/platform/config/setting";
import { parseConfig, settings } from "~/settings.server";
import { production } from "~e2e/support/config";

function list(environment: Readonly<Record<string, string>>): Switch[] {
  return parseConfig({ ...production, ...environment }).switches;
}

const find = (switches: Switch[], word: string) =>
  switches.filter(({ why }) => new RegExp(`\\b${word}\\b`).test(why));

const model = { AI_PROVIDER: "local", AI_BASE_URL: "http://127.0.0.1:1/v1" };
const quotaOn = { NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true" };
/** A setting, its values for on and off, and the other settings it needs. */
const examples: [name: string, on: string, off: string, rest?: Record<string, string>][] = [
  ["LATCHKEY_MODE", "demo", "production"],
  ["RATE_LIMIT_NONCE", "30/60", "0"],
  ["AI_CHAT_QUOTA_ENABLED", "true", "false", quotaOn],
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
  ["MCP_ENDPOINT", "/api/mcp", "disabled"],
  ["AI_QUOTA_RESET_SECRET", "Qm7rV2kXw9TzLc4H", ""],
  ["TTS_PROVIDER", "flite", "disabled"],
  ["TTS_QUOTA_CHARACTERS", "5", "0", quotaOn],
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
  ["TRUST_PROXY", "loopback", ""],
  ["OPERATOR_DECISIONS_DAYS", "1", "0"],
  ["CHAT_RESUME_SECONDS", "300", "0"],
  ["DOOR_HOSTS", "wiki.example.com", ""],
];

test.each(examples)("%s controls its own switch", (name, on, off, rest = {}) => {
  const own = settings.find((row) => row.name === name)!.switches?.name;
  const readStates = (value: string) => {
    const switches = list({ ...rest, [name]: value });
    const named = own === undefined ? find(switches, name) : switches.filter((one) => one.name === own);
    return named.map(({ isOn }) => isOn);
  };
  expect(readStates(on)).toContain(true);
  expect(readStates(off)).toContain(false);
});

test("every switch has an example, but for one that is always on and one that needs a file", () => {
  const switching = settings.filter(({ switches }) => switches !== null).map(({ name }) => name);
  const shown = examples.map(([name]) => name);
  expect(switching.filter((name) => !shown.includes(name))).toEqual(["KEYS_FILE", "JWT_ALG"]);
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
});

test("a chat that is switched off is off with what belongs to it", () => {
  for (const name of ["Answers by a model", "Answers that can be taken up again"]) {
    expect(stateOf(name, { AI_PROVIDER: "disabled" })).toEqual([
      false,
      "AI_PROVIDER is disabled: there is no chat.",
    ]);
  }
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
