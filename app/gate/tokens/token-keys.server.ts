import type { KeyObject } from "node:crypto";
import { createHmac, createPrivateKey, createPublicKey, webcrypto } from "node:crypto";
import type { CryptoKey, JWK } from "jose";
import { calculateJwkThumbprint, importJWK } from "jose";
import { getGeneratedKeyPem } from "./token-key-file.server";
import { splitPreviousKeys } from "./tokens.settings";
import type { readTokens } from "./tokens.settings";

const minSecretBytes = 32;

export type TokenAlgorithm = "HS256" | "ES256" | "EdDSA";

/** Imported once. The key cannot be taken out of it again. */
export type SigningKey = { alg: TokenAlgorithm; kid: string; key: CryptoKey };

export type VerifyingKey = {
  alg: TokenAlgorithm;
  kid: string;
  key: CryptoKey;
  /** Null for a shared secret, which has no public half. */
  publicJwk: JWK | null;
};

export type TokenKeys = {
  signing: SigningKey;
  /** The signing key's other half and the retired keys, by `kid`. */
  verifying: ReadonlyMap<string, VerifyingKey>;
};

type JwtSettings = ReturnType<typeof readTokens>;
type KeySettingName = "alg" | "secret" | "privateKeyPem" | "publicKeyPem" | "previousKeys";

/** As in the settings; unset, `alg` is HS256 where there is a secret, else ES256. */
export type TokenKeySettings = { [Name in KeySettingName]?: JwtSettings[Name] | null | undefined } & {
  dataDir: string;
  /** In "production" a missing key is an error, elsewhere one is generated in `dataDir`. */
  mode: string;
};

/** Environment files often carry a PEM on one line, its line ends written as backslash and n. */
function unfoldPem(pem: string): string {
  return pem.replaceAll("\\r", "").replaceAll("\\n", "\n").trim();
}

function readPem(name: string, pem: string, read: (pem: string) => KeyObject): KeyObject {
  try {
    return read(unfoldPem(pem));
  } catch {
    // The cause is dropped: nothing of key material may travel with an error.
    throw new Error(`${name} could not be read as an unencrypted PEM key.`);
  }
}

function algorithmOf(name: string, key: KeyObject): "ES256" | "EdDSA" {
  if (key.asymmetricKeyType === "ed25519") return "EdDSA";
  if (key.asymmetricKeyDetails?.namedCurve === "prime256v1") return "ES256";
  throw new Error(`${name} is neither a P-256 key (ES256) nor an Ed25519 key (EdDSA).`);
}

async function importAsymmetric(jwk: JWK, alg: TokenAlgorithm): Promise<CryptoKey> {
  const key = await importJWK(jwk, alg);
  if (key instanceof Uint8Array) throw new Error("A shared secret was given where a key pair belongs.");
  return key;
}

async function loadPublicKey(name: string, key: KeyObject): Promise<VerifyingKey> {
  const alg = algorithmOf(name, key);
  const publicJwk: JWK = key.export({ format: "jwk" });
  const kid = await calculateJwkThumbprint(publicJwk);
  return {
    alg,
    kid,
    key: await importAsymmetric(publicJwk, alg),
    publicJwk: { ...publicJwk, alg, kid, use: "sig" },
  };
}

async function loadSecret(name: string, secret: string): Promise<VerifyingKey> {
  const bytes = Buffer.from(secret, "utf8");
  if (bytes.length < minSecretBytes) throw new Error(`${name} is shorter than ${minSecretBytes} bytes.`);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await webcrypto.subtle.importKey("raw", bytes, algorithm, false, ["sign", "verify"]);
  // A keyed digest of a fixed label tells secrets apart and says nothing of them that a token would not.
  const kid = createHmac("sha256", bytes).update("latchkey token key id").digest("base64url").slice(0, 22);
  return { alg: "HS256", kid, key, publicJwk: null };
}

type LoadedPair = { signing: TokenKeys["signing"]; verifying: VerifyingKey };

type KeyPair = {
  alg: "ES256" | "EdDSA";
  name: string;
  pem: string;
  publicKeyPem?: string | null | undefined;
};

async function loadKeyPair({ alg, name, pem, publicKeyPem }: KeyPair): Promise<LoadedPair> {
  const privateKey = readPem(name, pem, createPrivateKey);
  const found = algorithmOf(name, privateKey);
  if (found !== alg) throw new Error(`${name} is a key for ${found}, but JWT_ALG asks for ${alg}.`);
  const verifying = await loadPublicKey(name, createPublicKey(privateKey));
  if (publicKeyPem) {
    const given = readPem("JWT_PUBLIC_KEY", publicKeyPem, createPublicKey);
    const { kid } = await loadPublicKey("JWT_PUBLIC_KEY", given);
    if (kid !== verifying.kid) throw new Error(`JWT_PUBLIC_KEY does not belong to ${name}.`);
  }
  // A private key is imported so that it cannot be exported.
  const key = await importAsymmetric(privateKey.export({ format: "jwk" }), alg);
  return { signing: { alg, kid: verifying.kid, key }, verifying };
}

async function loadPreviousKeys(previousKeys: string): Promise<VerifyingKey[]> {
  const { pems, secrets } = splitPreviousKeys(previousKeys);
  if (secrets.some((secret) => secret.includes("-----"))) {
    throw new Error("JWT_PREVIOUS_KEYS holds a PEM block without its beginning or end.");
  }
  const publicKeys = pems.map(async (pem, index) => {
    const name = `PEM block ${index + 1} of JWT_PREVIOUS_KEYS`;
    return await loadPublicKey(name, readPem(name, pem, createPublicKey));
  });
  const loadNth = (secret: string, index: number) =>
    loadSecret(`Secret ${index + 1} of JWT_PREVIOUS_KEYS`, secret);
  return await Promise.all([...publicKeys, ...secrets.map(loadNth)]);
}

async function loadCurrent(settings: TokenKeySettings): Promise<LoadedPair> {
  const { secret, privateKeyPem, publicKeyPem, dataDir, mode } = settings;
  const alg = settings.alg ?? (secret ? "HS256" : "ES256");
  if (alg === "HS256") {
    if (!secret) throw new Error("JWT_ALG is HS256, but JWT_SECRET is not set.");
    const verifying = await loadSecret("JWT_SECRET", secret);
    return { signing: { alg, kid: verifying.kid, key: verifying.key }, verifying };
  }
  if (privateKeyPem) return loadKeyPair({ alg, name: "JWT_PRIVATE_KEY", pem: privateKeyPem, publicKeyPem });
  if (publicKeyPem) throw new Error("JWT_PUBLIC_KEY is set, but JWT_PRIVATE_KEY is not.");
  if (mode === "production") {
    throw new Error("No token key is configured: set JWT_SECRET (at least 32 bytes) or JWT_PRIVATE_KEY.");
  }
  if (alg === "EdDSA") throw new Error("JWT_ALG is EdDSA, but JWT_PRIVATE_KEY is not set.");
  return loadKeyPair({ alg, name: "The key in jwt-key.pem", pem: await getGeneratedKeyPem(dataDir) });
}

/** Throws an error that names the setting at fault, never its value. Each key serves its own algorithm only. */
export async function loadTokenKeys(settings: TokenKeySettings): Promise<TokenKeys> {
  const { signing, verifying } = await loadCurrent(settings);
  const previous = await loadPreviousKeys(settings.previousKeys ?? "");
  return { signing, verifying: new Map([...previous, verifying].map((key) => [key.kid, key])) };
}

/** What anybody may know: the public keys, retired ones included, and nothing of shared secrets. */
export function publicJwks(keys: TokenKeys): { keys: JWK[] } {
  return { keys: [...keys.verifying.values()].flatMap((key) => (key.publicJwk ? [key.publicJwk] : [])) };
}
