import type { QuotaActivity } from "~/quota/quota-activity";

/** `why`: what makes it so, in words, with the settings' names. */
export type Switch = { name: string; isOn: boolean; why: string };

/** What of the configuration the switches hang on; nothing in it is secret. */
export type SwitchSettings = {
  mode: "production" | "development" | "demo";
  isStateEnabled: boolean;
  isStateInRedis: boolean;
  legacySignatures: "allow" | "fallback" | "deny";
  requireSignedMessage: boolean;
  isNonceBound: boolean;
  tokenAlgorithm: string;
  hasPreviousKeys: boolean;
  ownershipCacheSeconds: number;
  sessionMaxSeconds: number;
  hasWalletConnect: boolean;
  hasBaseWallet: boolean;
  hasKeyShop: boolean;
  hasWalletRpc: boolean;
  hasExplorer: boolean;
  requiresJwt: boolean;
  chatProvider: string;
  quota: QuotaActivity;
  hasResetSecret: boolean;
  speechProvider: string;
  speechCharacters: number;
  speechCacheBytes: number;
  hasPayments: boolean;
  gatedNamespaces: readonly string[];
  embeddingModel: string | null;
  isSearchAtPinecone: boolean;
  hasWebhook: boolean;
  hasEmail: boolean;
  isOpenApiEnabled: boolean;
  hasOfflinePage: boolean;
  corsOrigins: readonly string[];
  metrics: "port" | "token" | null;
  isTraced: boolean;
  trustProxy: string | undefined;
  decisionDays: number;
  /** The settings' names. */
  limitsOff: readonly string[];
};

export function describeSwitches(settings: SwitchSettings): Switch[] {
  return [
    ...gateSwitches(settings),
    ...walletSwitches(settings),
    ...conversationSwitches(settings),
    ...searchSwitches(settings),
    ...servingSwitches(settings),
    ...recordSwitches(settings),
  ];
}

const set = (isSet: boolean, names: string) => `${names} ${isSet ? "set" : "not set"}.`;

function gateSwitches(settings: SwitchSettings): Switch[] {
  const { isStateEnabled, legacySignatures, sessionMaxSeconds } = settings;
  const isLegacyOn = legacySignatures === "allow" || (legacySignatures === "fallback" && !isStateEnabled);
  const legacyReasons = {
    allow: "LEGACY_SIGNATURES is allow.",
    fallback: isStateEnabled
      ? "LEGACY_SIGNATURES is fallback, and sign-in with Ethereum is on."
      : "LEGACY_SIGNATURES is fallback, and sign-in with Ethereum is off.",
    deny: "LEGACY_SIGNATURES is deny.",
  };
  return [
    {
      name: "Demo",
      isOn: settings.mode === "demo",
      why: `LATCHKEY_MODE is ${settings.mode}.`,
    },
    {
      name: "Sign-in with Ethereum",
      isOn: isStateEnabled,
      why: `NEXT_PUBLIC_ENABLE_STATE_WORKER is ${isStateEnabled ? "true" : "false: there is nothing to keep nonces in"}.`,
    },
    {
      name: "State in Redis, shared by all instances",
      isOn: settings.isStateInRedis,
      why: settings.isStateInRedis
        ? "STATE_WORKER_URL is set: nonces, limits and quotas live there."
        : "STATE_WORKER_URL is not set: nonces, limits and quotas live in the service's own database.",
    },
    {
      name: "Nonces bound to who asked for them",
      isOn: settings.isNonceBound,
      why: `NONCE_BINDING is ${settings.isNonceBound ? "client" : "none"}.`,
    },
    { name: "Older timestamped signatures", isOn: isLegacyOn, why: legacyReasons[legacySignatures] },
    {
      name: "Signed form messages required",
      isOn: settings.requireSignedMessage,
      why: `REQUIRE_SIGNED_MESSAGE is ${settings.requireSignedMessage}.`,
    },
    { name: "Access tokens", isOn: true, why: `Signed with ${settings.tokenAlgorithm} (JWT_ALG).` },
    {
      name: "Retired keys still verify",
      isOn: settings.hasPreviousKeys,
      why: set(settings.hasPreviousKeys, "JWT_PREVIOUS_KEYS is"),
    },
    {
      name: "Ownership remembered for a moment",
      isOn: settings.ownershipCacheSeconds > 0,
      why: `OWNERSHIP_CACHE_SECONDS is ${settings.ownershipCacheSeconds}.`,
    },
    {
      name: "Sessions renew without a new signature",
      isOn: sessionMaxSeconds > 0,
      why: `SESSION_MAX_SECONDS is ${sessionMaxSeconds}.`,
    },
  ];
}

function walletSwitches(settings: SwitchSettings): Switch[] {
  const { mode, hasWalletConnect, hasBaseWallet, hasKeyShop, hasWalletRpc, hasExplorer } = settings;
  return [
    {
      name: "WalletConnect",
      isOn: hasWalletConnect,
      why: set(hasWalletConnect, "WALLETCONNECT_PROJECT_ID is"),
    },
    { name: "Base wallet", isOn: hasBaseWallet, why: `BASE_WALLET is ${hasBaseWallet}.` },
    { name: "Where to get a key", isOn: hasKeyShop, why: set(hasKeyShop, "KEY_SHOP_URL is") },
    {
      name: "Chain offered to wallets that do not know it",
      isOn: hasWalletRpc || mode === "demo",
      why:
        mode === "demo" && !hasWalletRpc
          ? "LATCHKEY_MODE is demo: they are offered the demo's own address."
          : set(hasWalletRpc, "CHAIN_WALLET_RPC_URL is"),
    },
    { name: "Block explorer", isOn: hasExplorer, why: set(hasExplorer, "CHAIN_EXPLORER_URL is") },
  ];
}

function conversationSwitches(settings: SwitchSettings): Switch[] {
  const { quota, requiresJwt, speechProvider, speechCharacters, speechCacheBytes } = settings;
  return [
    {
      name: "Answers by a model",
      isOn: settings.chatProvider !== "offline",
      why: `AI_PROVIDER is ${settings.chatProvider}${settings.chatProvider === "offline" ? ": the embedded assistant answers" : ""}.`,
    },
    {
      name: "Chat, speech and tools for holders only",
      isOn: requiresJwt,
      why: `NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT is ${requiresJwt}.`,
    },
    {
      name: "Chat quota",
      isOn: quota.active,
      why: quota.active ? "All three conditions hold." : `${quota.missing.join("; ")}.`,
    },
    {
      name: "Quota reset by API",
      isOn: settings.hasResetSecret,
      why: set(settings.hasResetSecret, "AI_QUOTA_RESET_SECRET is"),
    },
    { name: "Reading aloud", isOn: speechProvider !== "disabled", why: `TTS_PROVIDER is ${speechProvider}.` },
    {
      name: "Speech quota",
      isOn: quota.active && speechCharacters > 0,
      why:
        quota.active || speechCharacters === 0
          ? `TTS_QUOTA_CHARACTERS is ${speechCharacters}.`
          : "The chat quota, which it goes by, is off.",
    },
    {
      name: "Spoken audio kept",
      isOn: speechProvider !== "disabled" && speechCacheBytes > 0,
      why:
        speechProvider === "disabled"
          ? "TTS_PROVIDER is disabled."
          : `TTS_CACHE_MB is ${speechCacheBytes / (1024 * 1024)}.`,
    },
    {
      name: "Payments to holders",
      isOn: settings.hasPayments,
      why: set(settings.hasPayments, "AI_PRIVATE_KEY is"),
    },
  ];
}

function searchSwitches({ gatedNamespaces, embeddingModel, isSearchAtPinecone }: SwitchSettings): Switch[] {
  return [
    {
      name: "Documents for holders only",
      isOn: gatedNamespaces.length > 0,
      why:
        gatedNamespaces.length > 0
          ? `SEARCH_GATED_NAMESPACES is ${gatedNamespaces.join(", ")}.`
          : "SEARCH_GATED_NAMESPACES is not set: every document answers to everybody.",
    },
    {
      name: "Search by a model's vectors",
      isOn: embeddingModel !== null,
      why:
        embeddingModel === null
          ? "EMBEDDING_MODEL is not set: the built-in one compares words."
          : `EMBEDDING_MODEL is ${embeddingModel}.`,
    },
    {
      name: "Search at Pinecone",
      isOn: isSearchAtPinecone,
      why: isSearchAtPinecone
        ? "PINECONE_API_KEY is set."
        : "PINECONE_API_KEY is not set: the store is embedded.",
    },
  ];
}

function servingSwitches(settings: SwitchSettings): Switch[] {
  const { mode, hasOfflinePage, corsOrigins } = settings;
  return [
    { name: "Webhook", isOn: settings.hasWebhook, why: set(settings.hasWebhook, "WEBHOOK_URL is") },
    {
      name: "Mail",
      isOn: settings.hasEmail,
      why: set(settings.hasEmail, "SMTP_URL and NOTIFY_EMAIL are"),
    },
    {
      name: "API description",
      isOn: settings.isOpenApiEnabled,
      why: `OPENAPI_ENABLED is ${settings.isOpenApiEnabled}.`,
    },
    {
      name: "Offline page on visitors' devices",
      isOn: hasOfflinePage,
      why:
        mode === "development"
          ? "LATCHKEY_MODE is development, where OFFLINE_PAGE counts for nothing."
          : `OFFLINE_PAGE is ${hasOfflinePage}.`,
    },
    {
      name: "Pages of other sites may call the API",
      isOn: corsOrigins.length > 0,
      why: corsOrigins.length > 0 ? `CORS_ORIGINS is ${corsOrigins.join(", ")}.` : "CORS_ORIGINS is not set.",
    },
  ];
}

function recordSwitches({
  metrics,
  isTraced,
  trustProxy,
  decisionDays,
  limitsOff,
}: SwitchSettings): Switch[] {
  return [
    {
      name: "Metrics",
      isOn: metrics !== null,
      why: {
        port: "On a port of their own (METRICS_PORT).",
        token: "At /metrics, with METRICS_TOKEN.",
        none: "Neither METRICS_TOKEN nor METRICS_PORT is set.",
      }[metrics ?? "none"],
    },
    {
      name: "Traces",
      isOn: isTraced,
      why: isTraced
        ? "OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set."
        : "Neither OTEL_EXPORTER_OTLP_ENDPOINT nor OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set.",
    },
    {
      name: "Trusted proxies",
      isOn: trustProxy !== undefined,
      why:
        trustProxy === undefined
          ? "TRUST_PROXY is not set: behind a proxy, all visitors would look like one."
          : `TRUST_PROXY is ${trustProxy}.`,
    },
    {
      name: "Rate limits",
      isOn: limitsOff.length === 0,
      why: limitsOff.length === 0 ? "No RATE_LIMIT_ setting is 0." : `0 is set for ${limitsOff.join(", ")}.`,
    },
    {
      name: "Record of access decisions",
      isOn: decisionDays > 0,
      why: `OPERATOR_DECISIONS_DAYS is ${decisionDays}.`,
    },
  ];
}
