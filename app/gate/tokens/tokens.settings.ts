import { createPrivateKey } from "node:crypto";
import { integer, list, oneOf, pem, setting, text } from "~/platform/config/kinds";
import { requireStrongRetiredSecret, requireStrongSecret } from "~/platform/config/secret-strength";
import { InvalidSetting } from "~/platform/config/setting";
import type { Judging } from "~/platform/config/setting";
import type { SettingReader } from "~/platform/config/setting-reader";
import { tokenLifeSeconds } from "./access-token.schema";

const minSecretBytes = 32;
const maxSessionSeconds = 2_592_000;

export const tokenSettings = {
  alg: oneOf(
    "JWT_ALG",
    { of: ["HS256", "ES256", "EdDSA"], switches: { name: "Access tokens" } },
    "How access tokens are signed. Default: HS256 where JWT_SECRET is set, else ES256.",
  ),
  secret: setting(
    "JWT_SECRET",
    { parse: parseSecret, isSecret: true, range: `at least ${minSecretBytes} bytes` },
    "Secret for HS256: `openssl rand -hex 32`. Production refuses what is easily guessed, here and in the other secrets you make up yourself.",
  ),
  privateKeyPem: pem("JWT_PRIVATE_KEY", { isSecret: true }, "Private key (PKCS#8 PEM) for ES256 or EdDSA."),
  publicKeyPem: pem("JWT_PUBLIC_KEY", {}, "Public key (SPKI PEM). Derived from the private key when unset."),
  previousKeys: setting(
    "JWT_PREVIOUS_KEYS",
    {
      parse: parsePreviousKeys,
      range: "PEM public keys one after another, or HS256 secrets, comma-separated",
      isSecret: true,
      switches: { name: "Retired keys still verify" },
    },
    "Retired keys that still verify.",
  ),
  accessTtlSeconds: integer(
    "JWT_ACCESS_TTL",
    { ...tokenLifeSeconds, default: 900 },
    "Life of an access token in seconds.",
  ),
  sessionMaxSeconds: integer(
    "SESSION_MAX_SECONDS",
    {
      min: 0,
      max: maxSessionSeconds,
      range: `0 or ${tokenLifeSeconds.min} to ${maxSessionSeconds}`,
      default: 86_400,
      switches: { name: "Sessions renew without a new signature" },
    },
    `How long, counted from the signature, the gate's page may renew its session without a new one while the key is held and unused; 0 never renews. A renewal that would last less than ${tokenLifeSeconds.min} seconds is refused.`,
  ),
  clockToleranceSeconds: integer(
    "JWT_CLOCK_TOLERANCE",
    { min: 0, max: 60, default: 5 },
    "Seconds of clock difference that are forgiven.",
  ),
  issuer: text("JWT_ISS", {}, "Issuer claim. Default: the service's origin."),
  audience: list("JWT_AUD", {}, "Audience claim. Default: the first domain."),
};

const keyTypes = { ES256: "ec", EdDSA: "ed25519" } as const;

export function readTokens(reader: SettingReader) {
  const values = reader.read(tokenSettings);
  const { privateKeyPem, sessionMaxSeconds } = values;
  const hasSecret = reader.isSet(tokenSettings.secret);
  const alg = values.alg ?? (hasSecret ? "HS256" : "ES256");
  if (alg === "HS256" && !hasSecret) {
    reader.report(tokenSettings.secret, "must be set when JWT_ALG is HS256.");
  }
  if (alg !== "HS256" && privateKeyPem === null && reader.mode === "production") {
    reader.report(tokenSettings.secret, "or JWT_PRIVATE_KEY must be set in production.");
  }
  if (alg !== "HS256" && privateKeyPem !== null && findKeyType(privateKeyPem) !== keyTypes[alg]) {
    reader.report(tokenSettings.privateKeyPem, `must be an unencrypted PEM private key for ${alg}.`);
  }
  const { min } = tokenLifeSeconds;
  if (sessionMaxSeconds > 0 && sessionMaxSeconds < min) {
    reader.report(
      tokenSettings.sessionMaxSeconds,
      `must be 0, or at least ${min}: no renewed token lives shorter.`,
    );
  }
  reader.setSwitch(tokenSettings.alg, true, `Signed with ${alg} (JWT_ALG).`);
  return { ...values, alg, audience: values.audience.length > 0 ? values.audience : null };
}

function findKeyType(pemText: string): string | undefined {
  try {
    return createPrivateKey(pemText).asymmetricKeyType;
  } catch {
    return undefined;
  }
}

function parseSecret(given: string, judging: Judging): string {
  if (Buffer.byteLength(given) < minSecretBytes) {
    throw new InvalidSetting(`must be at least ${minSecretBytes} bytes long.`);
  }
  return requireStrongSecret(given, judging);
}

function parsePreviousKeys(given: string, judging: Judging): string {
  const keys = given.replaceAll("\\n", "\n");
  for (const retired of splitPreviousKeys(keys).secrets) requireStrongRetiredSecret(retired, judging);
  return keys;
}

/** Retired keys: PEM blocks may stand anywhere; what is left between commas and line breaks are secrets. */
export function splitPreviousKeys(text: string): { pems: string[]; secrets: string[] } {
  const pemBlock = /-----BEGIN [A-Z ]+-----[^-]*-----END [A-Z ]+-----/g;
  // Some tools write the curve's parameters in a block of their own before the key.
  const pems = (text.match(pemBlock) ?? []).filter((pem) => !pem.startsWith("-----BEGIN EC PARAM"));
  const secrets = text
    .replace(pemBlock, "\n")
    .split(/,|\r|\n|\\r|\\n/)
    .map((secret) => secret.trim())
    .filter((secret) => secret !== "");
  return { pems, secrets };
}
