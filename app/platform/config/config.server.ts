import { createPrivateKey } from "node:crypto";
import path from "node:path";
import { isAddress } from "viem";
import { compileTrust } from "~/platform/http/client-id.server";
import { isLoopbackName, originHost, parseDomainAllowlist } from "~/platform/http/domains";
import { refuseDemoSecret } from "./demo-secret";
import { describePostgresqlNames } from "./postgresql-names";
import { splitPreviousKeys } from "./previous-keys";
import { warnOfForeignOrigin } from "./foreign-origin";
import { readBrand } from "./read-brand";
import { readConversation } from "./read-conversation";
import { readOperator } from "./read-operator";
import { readDatabase } from "./read-database.server";
import { readPayments } from "./read-payments";
import { readTools } from "./read-tools";
import { readTracing } from "./read-tracing";
import { readSpeech } from "./read-speech";
import { readLimits } from "./read-limits";
import type { RateLimit, RateLimitName } from "./read-limits";
import { readSearch } from "./read-search";
import { readWallets } from "./read-wallets";
import { minSecretChars, requireStrongSecret } from "./secret-strength";
import { ConfigError, createSettingReader, describeUnknownNames, isUrl } from "./setting-reader";
import type { Environment, SettingReader } from "./setting-reader";

export type Mode = "production" | "development" | "demo";
export type { RateLimit, RateLimitName };

export type Config = ReturnType<typeof readConfig>;

const devChain = { id: "31337", rpcUrl: "http://127.0.0.1:8545" };
const localChainIds = [1337, 31337];

/** The only reader of the environment. Throws a ConfigError that lists every mistake at once. */
export function parseConfig(environment: Environment): Config {
  const reader = createSettingReader(environment);
  const config = readConfig(reader);
  reader.warnings.push(...describeUnknownNames(environment), ...describePostgresqlNames(environment));
  if (reader.problems.length > 0) {
    throw new ConfigError({ problems: reader.problems, warnings: reader.warnings });
  }
  return config;
}

function readConfig(reader: SettingReader) {
  const mode = reader.getChoice({ name: "LATCHKEY_MODE", choices: ["production", "development", "demo"] });
  const dataDir = path.resolve(reader.getText("DATA_DIR"));
  const conversation = readConversation({ reader, mode });
  return {
    mode,
    serving: readServing({ reader, mode, dataDir }),
    brand: readBrand({ reader, mode }),
    chain: readChain({ reader, mode }),
    gate: {
      legacySignatures: reader.getChoice({
        name: "LEGACY_SIGNATURES",
        choices: ["allow", "fallback", "deny"],
      }),
      nonceBinding: reader.getChoice({ name: "NONCE_BINDING", choices: ["client", "none"] }),
      requireSignedMessage: reader.getBoolean("REQUIRE_SIGNED_MESSAGE"),
    },
    jwt: readJwt({ reader, mode }),
    database: readDatabase({ reader, dataDir }),
    state: readState(reader),
    limits: readLimits(reader),
    notifications: readNotifications(reader),
    wallets: readWallets(reader),
    tools: readTools(reader),
    payments: readPayments({ reader, mode }),
    speech: readSpeech(reader),
    conversation,
    search: readSearch({ reader, conversation }),
    operator: readOperator({ reader, mode }),
    tracing: readTracing(reader),
    /** Worth telling the operator at start-up; nothing here stops it. */
    warnings: reader.warnings as readonly string[],
  };
}

function readServing({ reader, mode, dataDir }: { reader: SettingReader; mode: Mode; dataDir: string }) {
  const domains = readDomains(reader);
  const publicOrigin = readPublicOrigin({ reader, mode });
  const metricsToken = reader.findText("METRICS_TOKEN");
  refuseDemoSecret({ reader, mode, name: "METRICS_TOKEN" });
  requireStrongSecret({ reader, mode, name: "METRICS_TOKEN", minChars: minSecretChars });
  if (mode === "production" && !domains) {
    reader.warnings.push("NEXT_PUBLIC_DOMAIN is not set: only localhost can sign in.");
  }
  const port = reader.getInteger({ name: "PORT", min: 0, max: 65535 });
  warnOfForeignOrigin({ reader, publicOrigin, domains, port });
  return {
    host: reader.getText("HOST"),
    port,
    /** null: localhost and the port the server really listens on. */
    domains,
    publicOrigin,
    corsOrigins: readCorsOrigins({ reader, mode }),
    trustProxy: readTrustProxy(reader),
    dataDir,
    contentDir: path.resolve(reader.getText("CONTENT_DIR")),
    logLevel: reader.getChoice({
      name: "LOG_LEVEL",
      choices: ["info", "trace", "debug", "warn", "error", "silent"],
    }),
    metricsPort: reader.isSet("METRICS_PORT")
      ? reader.getInteger({ name: "METRICS_PORT", min: 0, max: 65535 })
      : null,
    metricsToken,
    openApiEnabled: reader.getBoolean("OPENAPI_ENABLED"),
  };
}

function readDomains(reader: SettingReader): string[] | null {
  const text = reader.findText("NEXT_PUBLIC_DOMAIN");
  if (text === null) return null;
  try {
    return parseDomainAllowlist(text).domains;
  } catch (error) {
    reader.report(
      "NEXT_PUBLIC_DOMAIN",
      `has an entry that is not a domain. ${String((error as Error).message)}`,
    );
    return null;
  }
}

function readPublicOrigin({ reader, mode }: { reader: SettingReader; mode: Mode }): string | null {
  const text = reader.findUrl({ name: "PUBLIC_ORIGIN", protocols: ["https:", "http:"] });
  if (text === null) return null;
  const url = new URL(text);
  if (url.pathname !== "/" || url.search || url.hash || url.username || url.password) {
    reader.report("PUBLIC_ORIGIN", "must be an origin only: scheme, host and port, with no path.");
  }
  if (mode === "production" && isOpenToListeners(url)) {
    reader.report(
      "PUBLIC_ORIGIN",
      "must begin with https:// in production; plain HTTP is for loopback names only.",
    );
  }
  return url.origin;
}

function readCorsOrigins({ reader, mode }: { reader: SettingReader; mode: Mode }): string[] {
  const entries = reader.getList("CORS_ORIGINS");
  if (entries.some((entry) => originHost(entry) === null)) {
    reader.report(
      "CORS_ORIGINS",
      "must list origins such as https://app.example.com; `*` and `null` are refused.",
    );
  }
  const urls = entries.filter((entry) => originHost(entry) !== null).map((entry) => new URL(entry));
  if (mode === "production" && urls.some(isOpenToListeners)) {
    reader.report(
      "CORS_ORIGINS",
      "must begin with https:// in production; plain HTTP is for loopback names only.",
    );
  }
  return urls.map(({ origin }) => origin);
}

/** Whoever is on the way of plain HTTP can change its pages, and speak as them. */
function isOpenToListeners({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && !isLoopbackName(hostname);
}

function readTrustProxy(reader: SettingReader): string | undefined {
  const text = reader.findText("TRUST_PROXY") ?? undefined;
  try {
    compileTrust(text);
  } catch {
    reader.report(
      "TRUST_PROXY",
      "must be a number of hops, or a comma-separated list of addresses and ranges.",
    );
  }
  return text;
}

function readChain({ reader, mode }: { reader: SettingReader; mode: Mode }) {
  if (mode === "production") {
    for (const name of ["CHAIN_ID", "RPC_URL", "KEY_CONTRACT_ADDRESS"] as const) {
      if (!reader.isSet(name)) reader.report(name, "must be set in production.");
    }
  }
  const idText = reader.findText("CHAIN_ID") ?? devChain.id;
  const id = /^[1-9]\d{0,15}$/.test(idText) ? Number(idText) : 0;
  if (!Number.isSafeInteger(id) || id < 1) reader.report("CHAIN_ID", "must be a positive whole number.");
  if (mode === "production" && localChainIds.includes(id)) {
    reader.warnings.push("CHAIN_ID names a local test chain: anybody can make keys there.");
  }
  const rpcUrls = reader.isSet("RPC_URL") ? reader.getList("RPC_URL") : [devChain.rpcUrl];
  if (!rpcUrls.every((text) => isUrl({ text, protocols: ["https:", "http:"] }))) {
    reader.report("RPC_URL", "must list addresses that begin with https:// or http://.");
  }
  const contract = reader.findText("KEY_CONTRACT_ADDRESS") ?? "";
  if (!isAddress(contract) && (reader.isSet("KEY_CONTRACT_ADDRESS") || mode !== "production")) {
    reader.report(
      "KEY_CONTRACT_ADDRESS",
      "must be a contract address: 0x and 40 hex digits, with a right checksum if mixed case.",
    );
  }
  return {
    id,
    rpcUrls,
    contractAddress: contract.toLowerCase() as `0x${string}`,
    standard: reader.getChoice({ name: "KEY_STANDARD", choices: ["erc721", "erc1155", "unlock"] }),
    ownershipCacheSeconds: reader.getInteger({ name: "OWNERSHIP_CACHE_SECONDS", min: 0, max: 300 }),
    pollSeconds: reader.getInteger({ name: "CHAIN_POLL_SECONDS", min: 1, max: 300 }),
  };
}

function readJwt({ reader, mode }: { reader: SettingReader; mode: Mode }) {
  const secret = reader.findText("JWT_SECRET");
  const privateKeyPem = reader.findPem("JWT_PRIVATE_KEY");
  if (secret !== null && Buffer.byteLength(secret) < 32)
    reader.report("JWT_SECRET", "must be at least 32 bytes long.");
  else requireStrongSecret({ reader, mode, name: "JWT_SECRET" });
  refuseDemoSecret({ reader, mode, name: "JWT_SECRET" });
  const previousKeys = reader.findPem("JWT_PREVIOUS_KEYS");
  // A retired secret still verifies: whoever guesses it makes tokens like the owner of the current one.
  const { secrets } = splitPreviousKeys(previousKeys ?? "");
  requireStrongSecret({ reader, mode, name: "JWT_PREVIOUS_KEYS", secrets });
  const alg = reader.isSet("JWT_ALG")
    ? reader.getChoice({ name: "JWT_ALG", choices: ["HS256", "ES256", "EdDSA"] })
    : secret !== null
      ? "HS256"
      : "ES256";
  if (alg === "HS256" && secret === null) reader.report("JWT_SECRET", "must be set when JWT_ALG is HS256.");
  if (alg !== "HS256" && privateKeyPem === null && mode === "production") {
    reader.report("JWT_SECRET", "or JWT_PRIVATE_KEY must be set in production.");
  }
  if (alg !== "HS256" && privateKeyPem !== null && keyTypeOf(privateKeyPem) !== keyTypes[alg]) {
    reader.report("JWT_PRIVATE_KEY", `must be an unencrypted PEM private key for ${alg}.`);
  }
  return {
    alg,
    secret,
    privateKeyPem,
    publicKeyPem: reader.findPem("JWT_PUBLIC_KEY"),
    previousKeys,
    accessTtlSeconds: reader.getInteger({ name: "JWT_ACCESS_TTL", min: 300, max: 86400 }),
    sessionMaxSeconds: reader.getInteger({ name: "SESSION_MAX_SECONDS", min: 0, max: 2_592_000 }),
    clockToleranceSeconds: reader.getInteger({ name: "JWT_CLOCK_TOLERANCE", min: 0, max: 60 }),
    issuer: reader.findText("JWT_ISS"),
    audience: reader.isSet("JWT_AUD") ? reader.getList("JWT_AUD") : null,
  } as const;
}

const keyTypes = { ES256: "ec", EdDSA: "ed25519" } as const;

function keyTypeOf(pem: string): string | undefined {
  try {
    return createPrivateKey(pem).asymmetricKeyType;
  } catch {
    return undefined;
  }
}

/** Nonces, limits and quotas: in Redis where its address is given, otherwise in the service's own database. */
function readState(reader: SettingReader) {
  const url = reader.findUrl({ name: "STATE_WORKER_URL", protocols: ["redis:", "rediss:"] });
  const password = reader.findText("STATE_WORKER_API_KEY");
  if (password !== null && !reader.isSet("STATE_WORKER_URL")) {
    reader.report("STATE_WORKER_API_KEY", "is the password of STATE_WORKER_URL, which is not set.");
  }
  if (url && password !== null && new URL(url).password !== "") {
    reader.report("STATE_WORKER_API_KEY", "must be left out where STATE_WORKER_URL holds a password.");
  }
  return {
    enabled: reader.getBoolean("NEXT_PUBLIC_ENABLE_STATE_WORKER"),
    redis: url ? { url, password } : null,
  };
}

function readNotifications(reader: SettingReader) {
  const webhookUrl = reader.findUrl({ name: "WEBHOOK_URL", protocols: ["https:", "http:"] });
  const webhookSecret = reader.findText("WEBHOOK_SECRET");
  if (webhookUrl && !webhookSecret) reader.report("WEBHOOK_SECRET", "must be set together with WEBHOOK_URL.");
  const smtpUrl = reader.findUrl({ name: "SMTP_URL", protocols: ["smtp:", "smtps:"] });
  const email = reader.findText("NOTIFY_EMAIL");
  if (smtpUrl && !email) reader.report("NOTIFY_EMAIL", "must be set together with SMTP_URL.");
  const from = reader.findText("NOTIFY_FROM") ?? email;
  for (const [name, address] of [
    ["NOTIFY_EMAIL", email],
    ["NOTIFY_FROM", from],
  ] as const) {
    if (address && !/^[^\s@<>,;"]+@[^\s@<>,;"]+$/.test(address))
      reader.report(name, "must be one e-mail address.");
  }
  return {
    webhook: webhookUrl && webhookSecret ? { url: webhookUrl, secret: webhookSecret } : null,
    email: smtpUrl && email && from ? { smtpUrl, to: email, from } : null,
  };
}
