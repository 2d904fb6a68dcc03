import type { QuotaActivity } from "~/quota/quota-activity";

/** `why`: what makes it so, in words, with the settings' names. */
export type Switch = { name: string; isOn: boolean; why: string };

/** What of the configuration the switches hang on; nothing in it is secret. */
export type SwitchSettings = {
  isStateEnabled: boolean;
  legacySignatures: "allow" | "fallback" | "deny";
  requireSignedMessage: boolean;
  tokenAlgorithm: string;
  sessionMaxSeconds: number;
  requiresJwt: boolean;
  quota: QuotaActivity;
  hasResetSecret: boolean;
  speechProvider: string;
  hasPayments: boolean;
  hasWebhook: boolean;
  hasEmail: boolean;
  isOpenApiEnabled: boolean;
  metrics: "port" | "token" | null;
  isTraced: boolean;
  trustProxy: string | undefined;
  decisionDays: number;
  limitsOff: readonly string[];
};

export function describeSwitches(settings: SwitchSettings): Switch[] {
  return [...gateSwitches(settings), ...conversationSwitches(settings), ...servingSwitches(settings)];
}

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
      name: "Sign-in with Ethereum",
      isOn: isStateEnabled,
      why: `NEXT_PUBLIC_ENABLE_STATE_WORKER is ${isStateEnabled ? "true" : "false: there is nothing to keep nonces in"}.`,
    },
    { name: "Older timestamped signatures", isOn: isLegacyOn, why: legacyReasons[legacySignatures] },
    {
      name: "Signed form messages required",
      isOn: settings.requireSignedMessage,
      why: `REQUIRE_SIGNED_MESSAGE is ${settings.requireSignedMessage}.`,
    },
    { name: "Access tokens", isOn: true, why: `Signed with ${settings.tokenAlgorithm} (JWT_ALG).` },
    {
      name: "Sessions renew without a new signature",
      isOn: sessionMaxSeconds > 0,
      why: `SESSION_MAX_SECONDS is ${sessionMaxSeconds}.`,
    },
  ];
}

function conversationSwitches(settings: SwitchSettings): Switch[] {
  const { quota, requiresJwt, speechProvider } = settings;
  return [
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
      why: settings.hasResetSecret ? "AI_QUOTA_RESET_SECRET is set." : "AI_QUOTA_RESET_SECRET is not set.",
    },
    { name: "Reading aloud", isOn: speechProvider !== "disabled", why: `TTS_PROVIDER is ${speechProvider}.` },
    {
      name: "Payments to holders",
      isOn: settings.hasPayments,
      why: settings.hasPayments ? "AI_PRIVATE_KEY is set." : "AI_PRIVATE_KEY is not set.",
    },
  ];
}

function servingSwitches(settings: SwitchSettings): Switch[] {
  const { metrics, trustProxy, decisionDays, limitsOff } = settings;
  const set = (isSet: boolean, names: string) => `${names} ${isSet ? "set" : "not set"}.`;
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
      isOn: settings.isTraced,
      why: set(settings.isTraced, "OTEL_EXPORTER_OTLP_ENDPOINT is"),
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
      why: limitsOff.length === 0 ? "Every limit is on." : `Off: ${limitsOff.join(", ")}.`,
    },
    {
      name: "Record of access decisions",
      isOn: decisionDays > 0,
      why: `OPERATOR_DECISIONS_DAYS is ${decisionDays}.`,
    },
  ];
}
