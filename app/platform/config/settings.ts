import { brandSettings } from "./brand-settings";
import { chainSettings } from "./chain-settings";
import { conversationSettings } from "./conversation-settings";
import { limitSettings } from "./limit-settings";
import { operatorSettings } from "./operator-settings";
import { databaseSettings } from "./database-settings";
import { paymentSettings } from "./payment-settings";
import { searchSettings } from "./search-settings";
import type { Setting } from "./setting";
import { toolSettings } from "./tool-settings";
import { tracingSettings } from "./tracing-settings";
import { speechSettings } from "./speech-settings";
import { walletSettings } from "./wallet-settings";

/**
 * Every setting there is, once: what the parser knows, what `.env.example` shows and what the README lists.
 */
export const settings = [
  {
    name: "LATCHKEY_MODE",
    group: "Serving",
    default: "production",
    effect:
      "`production` (what `npm start` always is), `development` or `demo`. Outside production missing keys are generated and local defaults apply.",
  },
  { name: "HOST", group: "Serving", default: "0.0.0.0", effect: "Address the server listens on." },
  {
    name: "PORT",
    group: "Serving",
    default: "3000",
    effect: "Port the server listens on; 0 takes a free one.",
  },
  {
    name: "PUBLIC_ORIGIN",
    group: "Serving",
    effect:
      "The service's own origin, as people's browsers see it. Default: https:// and the first domain, http:// for localhost and loopback names.",
  },
  {
    name: "NEXT_PUBLIC_DOMAIN",
    group: "Serving",
    effect:
      "Comma-separated domains (host[:port]) the gate answers to and accepts signatures for. Default: localhost and the port the server listens on.",
  },
  {
    name: "CORS_ORIGINS",
    group: "Serving",
    effect:
      "Comma-separated further origins whose pages may call the API, besides those on the domain list; in production https:// ones, or loopback.",
  },
  {
    name: "TRUST_PROXY",
    group: "Serving",
    effect:
      "Proxies whose X-Forwarded-For and X-Forwarded-Host count, in Express syntax: a number of hops, or addresses and ranges. Default: none.",
  },
  {
    name: "DATA_DIR",
    group: "Serving",
    default: "data",
    effect: "Folder for the embedded database and generated keys.",
  },
  { name: "CONTENT_DIR", group: "Serving", default: "content", effect: "Folder with what holders receive." },
  {
    name: "LOG_LEVEL",
    group: "Serving",
    default: "info",
    effect: "`trace`, `debug`, `info`, `warn`, `error` or `silent`.",
  },
  {
    name: "METRICS_PORT",
    group: "Serving",
    effect: "Serves /metrics on a port of its own, on the loopback address, instead of the public one.",
  },
  {
    name: "METRICS_TOKEN",
    group: "Serving",
    secret: true,
    effect:
      "Bearer token for /metrics on the public port, at least 16 characters and not to be guessed. Without it and METRICS_PORT there is no /metrics.",
  },
  {
    name: "OPENAPI_ENABLED",
    group: "Serving",
    default: "true",
    effect: "Serves the API description at /api/openapi and the reference at /docs.",
  },
  ...brandSettings,
  ...chainSettings,
  {
    name: "LEGACY_SIGNATURES",
    group: "Gate",
    default: "allow",
    effect: "`allow`, `fallback` (only while SIWE is off) or `deny` the older timestamped signature.",
  },
  {
    name: "NONCE_BINDING",
    group: "Gate",
    default: "client",
    effect:
      "`client` binds a nonce to the client it was issued to; `none` is for users whose address changes mid sign-in.",
  },
  {
    name: "REQUIRE_SIGNED_MESSAGE",
    group: "Gate",
    default: "false",
    effect: "Refuses form submissions whose message is not part of what was signed.",
  },
  {
    name: "JWT_ALG",
    group: "Access tokens",
    effect: "`HS256`, `ES256` or `EdDSA`. Default: HS256 where JWT_SECRET is set, else ES256.",
  },
  {
    name: "JWT_SECRET",
    group: "Access tokens",
    secret: true,
    effect:
      "Secret for HS256, at least 32 bytes: `openssl rand -hex 32`. Production refuses what is easily guessed, here and in the other secrets you make up yourself.",
  },
  {
    name: "JWT_PRIVATE_KEY",
    group: "Access tokens",
    secret: true,
    effect: "Private key (PKCS#8 PEM) for ES256 or EdDSA.",
  },
  {
    name: "JWT_PUBLIC_KEY",
    group: "Access tokens",
    effect: "Public key (SPKI PEM). Derived from the private key when unset.",
  },
  {
    name: "JWT_PREVIOUS_KEYS",
    group: "Access tokens",
    secret: true,
    effect:
      "Retired keys that still verify: PEM public keys one after another, or HS256 secrets separated by commas.",
  },
  {
    name: "JWT_ACCESS_TTL",
    group: "Access tokens",
    default: "900",
    effect: "Life of an access token in seconds, 300 to 86400.",
  },
  {
    name: "SESSION_MAX_SECONDS",
    group: "Access tokens",
    default: "86400",
    effect:
      "How long, counted from the signature, the gate's page may renew its session without a new one while the key is held and unused, up to 2592000; 0 never renews.",
  },
  {
    name: "JWT_CLOCK_TOLERANCE",
    group: "Access tokens",
    default: "5",
    effect: "Seconds of clock difference that are forgiven, 0 to 60.",
  },
  { name: "JWT_ISS", group: "Access tokens", effect: "Issuer claim. Default: the service's origin." },
  {
    name: "JWT_AUD",
    group: "Access tokens",
    effect: "Comma-separated audience claim. Default: the first domain.",
  },
  ...databaseSettings,
  {
    name: "NEXT_PUBLIC_ENABLE_STATE_WORKER",
    group: "State",
    default: "true",
    effect: "The state service, which nonces and quotas need. false switches SIWE and the quota off.",
  },
  {
    name: "STATE_WORKER_URL",
    group: "State",
    secret: true,
    effect:
      "redis: or rediss: address where nonces, limits and quotas live, shared by all instances. Default: the service's own database.",
  },
  {
    name: "STATE_WORKER_API_KEY",
    group: "State",
    secret: true,
    effect: "Password of that Redis, where its address holds none.",
  },
  ...limitSettings,
  {
    name: "WEBHOOK_URL",
    group: "Notifications",
    secret: true,
    effect: "Where used keys and submissions are reported.",
  },
  {
    name: "WEBHOOK_SECRET",
    group: "Notifications",
    secret: true,
    effect:
      "Signs webhooks by the Standard Webhooks scheme (whsec_… or at least 24 bytes of text). Needed with WEBHOOK_URL.",
  },
  {
    name: "SMTP_URL",
    group: "Notifications",
    secret: true,
    effect: "Mail server, as smtp:// or smtps:// address.",
  },
  {
    name: "NOTIFY_EMAIL",
    group: "Notifications",
    effect: "Who gets a mail for each submission. Needed with SMTP_URL.",
  },
  {
    name: "NOTIFY_FROM",
    group: "Notifications",
    effect: "Sender address of those mails. Default: NOTIFY_EMAIL.",
  },
  ...walletSettings,
  ...conversationSettings,
  ...toolSettings,
  ...paymentSettings,
  ...speechSettings,
  ...searchSettings,
  ...operatorSettings,
  ...tracingSettings,
] as const satisfies readonly Setting[];

export type SettingName = (typeof settings)[number]["name"];
