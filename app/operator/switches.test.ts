import { expect, test } from "vitest";
import { describeQuotaActivity } from "~/quota/quota-activity";
import { describeSwitches } from "./switches";
import type { SwitchSettings } from "./switches";

const allOn: SwitchSettings = {
  mode: "demo",
  isStateInRedis: true,
  isNonceBound: true,
  hasPreviousKeys: true,
  ownershipCacheSeconds: 4,
  hasWalletConnect: true,
  hasBaseWallet: true,
  hasKeyShop: true,
  hasWalletRpc: true,
  hasExplorer: true,
  chatProvider: "openai",
  speechCharacters: 50_000,
  speechCacheBytes: 1024 * 1024,
  gatedNamespaces: ["vault"],
  embeddingModel: "text-embedding-3-small",
  isSearchAtPinecone: true,
  hasOfflinePage: true,
  corsOrigins: ["https://app.example.com"],
  isStateEnabled: true,
  legacySignatures: "allow",
  requireSignedMessage: true,
  tokenAlgorithm: "ES256",
  sessionMaxSeconds: 86_400,
  requiresJwt: true,
  quota: describeQuotaActivity({ isJwtRequired: true, isStateActive: true, isQuotaEnabled: true }),
  hasResetSecret: true,
  speechProvider: "flite",
  hasPayments: true,
  hasWebhook: true,
  hasEmail: true,
  isOpenApiEnabled: true,
  metrics: "token",
  isTraced: true,
  trustProxy: "loopback",
  decisionDays: 30,
  limitsOff: [],
};

function listOff(change: Partial<SwitchSettings>): [string, string][] {
  return describeSwitches({ ...allOn, ...change }).flatMap(({ name, isOn, why }) =>
    isOn ? [] : [[name, why]],
  );
}

test("with everything on, nothing is off, and each says why all the same", () => {
  expect(listOff({})).toEqual([]);
  for (const { why } of describeSwitches(allOn)) expect(why).toMatch(/^[A-Z].*\.$/);
});

const switchedOff: [Partial<SwitchSettings>, string][] = [
  [{ mode: "production" }, "LATCHKEY_MODE"],
  [{ isStateEnabled: false }, "NEXT_PUBLIC_ENABLE_STATE_WORKER"],
  [{ isStateInRedis: false }, "STATE_WORKER_URL"],
  [{ isNonceBound: false }, "NONCE_BINDING"],
  [{ legacySignatures: "deny" }, "LEGACY_SIGNATURES"],
  [{ legacySignatures: "fallback" }, "LEGACY_SIGNATURES"],
  [{ requireSignedMessage: false }, "REQUIRE_SIGNED_MESSAGE"],
  [{ hasPreviousKeys: false }, "JWT_PREVIOUS_KEYS"],
  [{ ownershipCacheSeconds: 0 }, "OWNERSHIP_CACHE_SECONDS"],
  [{ sessionMaxSeconds: 0 }, "SESSION_MAX_SECONDS"],
  [{ hasWalletConnect: false }, "WALLETCONNECT_PROJECT_ID"],
  [{ hasBaseWallet: false }, "BASE_WALLET"],
  [{ hasKeyShop: false }, "KEY_SHOP_URL"],
  [{ hasExplorer: false }, "CHAIN_EXPLORER_URL"],
  [{ requiresJwt: false }, "NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT"],
  [{ chatProvider: "offline" }, "AI_PROVIDER"],
  [{ hasResetSecret: false }, "AI_QUOTA_RESET_SECRET"],
  [{ speechCharacters: 0 }, "TTS_QUOTA_CHARACTERS"],
  [{ speechCacheBytes: 0 }, "TTS_CACHE_MB"],
  [{ hasPayments: false }, "AI_PRIVATE_KEY"],
  [{ gatedNamespaces: [] }, "SEARCH_GATED_NAMESPACES"],
  [{ embeddingModel: null }, "EMBEDDING_MODEL"],
  [{ isSearchAtPinecone: false }, "PINECONE_API_KEY"],
  [{ hasWebhook: false }, "WEBHOOK_URL"],
  [{ hasEmail: false }, "SMTP_URL"],
  [{ isOpenApiEnabled: false }, "OPENAPI_ENABLED"],
  [{ hasOfflinePage: false }, "OFFLINE_PAGE"],
  [{ corsOrigins: [] }, "CORS_ORIGINS"],
  [{ metrics: null }, "METRICS_TOKEN"],
  [{ isTraced: false }, "OTEL_EXPORTER_OTLP_ENDPOINT"],
  [{ trustProxy: undefined }, "TRUST_PROXY"],
  [{ decisionDays: 0 }, "OPERATOR_DECISIONS_DAYS"],
  [{ limitsOff: ["RATE_LIMIT_CHAT"] }, "RATE_LIMIT_CHAT"],
];

test.each(switchedOff)("%j switches one thing off, for a reason that names what to set", (change, reason) => {
  const off = listOff(change);
  expect(off).toHaveLength(1);
  expect(off[0]![1]).toContain(reason);
});

test("older signatures stand in where sign-in with Ethereum is off", () => {
  const names = listOff({ isStateEnabled: false, legacySignatures: "fallback" }).map(([name]) => name);
  expect(names).toEqual(["Sign-in with Ethereum"]);
});

test("what goes by something else is off with it, and says so", () => {
  const quota = { active: false, missing: ["AI_CHAT_QUOTA_ENABLED is not true"] };
  expect(listOff({ quota })).toEqual([
    ["Chat quota", "AI_CHAT_QUOTA_ENABLED is not true."],
    ["Speech quota", "The chat quota, which it goes by, is off."],
  ]);
  expect(listOff({ speechProvider: "disabled" })).toEqual([
    ["Reading aloud", "TTS_PROVIDER is disabled."],
    ["Spoken audio kept", "TTS_PROVIDER is disabled."],
  ]);
});

test("the demo offers its own chain to wallets, and nothing else does without an address", () => {
  expect(listOff({ hasWalletRpc: false })).toEqual([]);
  const off = listOff({ mode: "production", hasWalletRpc: false });
  expect(off.at(-1)).toEqual([
    "Chain offered to wallets that do not know it",
    "CHAIN_WALLET_RPC_URL is not set.",
  ]);
});

test("an offline page that development leaves out is not laid to its own setting", () => {
  const off = new Map(listOff({ mode: "development", hasOfflinePage: false }));
  expect(off.get("Offline page on visitors' devices")).toContain("LATCHKEY_MODE is development");
});
