import { integer, list, oneOf, pem, setting, text } from "~/platform/config/kinds";
import { requireStrongRetiredSecret, requireStrongSecret } from "~/platform/config/secret-strength";
import { InvalidSetting } from "~/platform/config/setting";
import type { Judging } from "~/platform/config/setting";
import type { SettingReader } from "~/platform/config/setting-reader";
import { tokenLifeSeconds } from "./access-token.schema";
import { minSecretBytes, requireKeyPair, requirePreviousKeys, splitPreviousKeys } from "./token-keys.server";

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

export function readTokens(reader: SettingReader) {
  const values = reader.read(tokenSettings);
  const { privateKeyPem, publicKeyPem, sessionMaxSeconds } = values;
  const hasSecret = reader.isSet(tokenSettings.secret);
  const alg = values.alg ?? (hasSecret ? "HS256" : "ES256");
  if (alg === "HS256" && !hasSecret) {
    reader.report(tokenSettings.secret, "must be set when JWT_ALG is HS256.");
  }
  if (alg !== "HS256" && privateKeyPem === null && reader.mode === "production") {
    reader.report(tokenSettings.secret, "or JWT_PRIVATE_KEY must be set in production.");
  }
  if (alg !== "HS256" && privateKeyPem !== null) {
    const pair = { alg, name: tokenSettings.privateKeyPem.name, pem: privateKeyPem, publicKeyPem };
    tell(reader, () => requireKeyPair(pair));
  } else if (alg !== "HS256" && publicKeyPem !== null) {
    reader.report(tokenSettings.publicKeyPem, "is set, but JWT_PRIVATE_KEY is not.");
  }
  tell(reader, () => requirePreviousKeys(values.previousKeys ?? ""));
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

function tell(reader: SettingReader, check: () => void): void {
  try {
    check();
  } catch (error) {
    reader.problems.push((error as Error).message);
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
