import type { SwitchSettings } from "~/operator/switches";
import type { Config } from "~/platform/config/config.server";
import type { QuotaActivity } from "~/quota/quota-activity";

/** What the operator's list of switches needs to know of the configuration. */
export function readSwitchSettings({
  config,
  quota,
}: {
  config: Config;
  quota: QuotaActivity;
}): SwitchSettings {
  const { mode, serving, gate, conversation, notifications } = config;
  return {
    mode,
    isStateEnabled: config.state.enabled,
    isStateInRedis: config.state.redis !== null,
    legacySignatures: gate.legacySignatures,
    requireSignedMessage: gate.requireSignedMessage,
    isNonceBound: gate.nonceBinding === "client",
    tokenAlgorithm: config.jwt.alg,
    hasPreviousKeys: config.jwt.previousKeys !== null,
    ownershipCacheSeconds: config.chain.ownershipCacheSeconds,
    sessionMaxSeconds: config.jwt.sessionMaxSeconds,
    ...readWalletSettings(config),
    requiresJwt: conversation.requiresJwt,
    chatProvider: conversation.provider,
    quota,
    hasResetSecret: conversation.quota.resetSecret !== null,
    ...readSpeechSettings(config),
    hasPayments: config.payments !== null,
    ...readSearchSettings(config),
    hasWebhook: notifications.webhook !== null,
    hasEmail: notifications.email !== null,
    isOpenApiEnabled: serving.openApiEnabled,
    hasOfflinePage: config.brand.hasOfflinePage,
    corsOrigins: serving.corsOrigins,
    metrics: serving.metricsPort !== null ? "port" : serving.metricsToken !== null ? "token" : null,
    isTraced: config.tracing !== null,
    trustProxy: serving.trustProxy,
    decisionDays: config.operator.decisionDays,
    limitsOff: Object.entries(config.limits).flatMap(([name, limit]) =>
      limit ? [] : [`RATE_LIMIT_${name.toUpperCase().replaceAll("-", "_")}`],
    ),
  };
}

function readWalletSettings({ wallets }: Config) {
  return {
    hasWalletConnect: wallets.walletConnect !== null,
    hasBaseWallet: wallets.base,
    hasKeyShop: wallets.keyShopUrl !== null,
    hasWalletRpc: wallets.walletRpcUrl !== null,
    hasExplorer: wallets.explorerUrl !== null,
  };
}

function readSpeechSettings({ speech }: Config) {
  return {
    speechProvider: speech.provider,
    speechCharacters: speech.quota.characters,
    speechCacheBytes: speech.cacheBytes,
  };
}

function readSearchSettings({ search }: Config) {
  return {
    gatedNamespaces: search.gatedNamespaces,
    embeddingModel: search.embedding?.model ?? null,
    isSearchAtPinecone: search.pinecone !== null,
  };
}
