import type { KeyObject } from "node:crypto";
import { createHmac, createPublicKey, webcrypto } from "node:crypto";
import type { CryptoKey, JWK } from "jose";
import { calculateJwkThumbprint, importJWK } from "jose";
import {
  algorithmOf,
  requireKeyPair,
  requireLongSecret,
  requirePreviousKeys,
} from "./configured-keys.server";
import type { PairAlgorithm } from "./configured-keys.server";
import { getGeneratedKeyPem } from "./token-key-file.server";
import type { readTokens } from "./tokens.settings";

export type TokenAlgorithm = "HS256" | PairAlgorithm;

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

async function importAsymmetric(jwk: JWK, alg: TokenAlgorithm): Promise<CryptoKey> {
  const key = await importJWK(jwk, alg);
  if (key instanceof Uint8Array) throw new Error("A shared secret was given where a key pair belongs.");
  return key;
}

async function loadPublicKey(key: KeyObject): Promise<VerifyingKey> {
  const alg = algorithmOf("The public key", key);
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
  const bytes = requireLongSecret(name, secret);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await webcrypto.subtle.importKey("raw", bytes, algorithm, false, ["sign", "verify"]);
  // A keyed digest of a fixed label tells secrets apart and says nothing of them that a token would not.
  const kid = createHmac("sha256", bytes).update("latchkey token key id").digest("base64url").slice(0, 22);
  return { alg: "HS256", kid, key, publicJwk: null };
}

type LoadedPair = { signing: TokenKeys["signing"]; verifying: VerifyingKey };

async function loadKeyPair(pair: Parameters<typeof requireKeyPair>[0]): Promise<LoadedPair> {
  const privateKey = requireKeyPair(pair);
  const verifying = await loadPublicKey(createPublicKey(privateKey));
  // A private key is imported so that it cannot be exported.
  const key = await importAsymmetric(privateKey.export({ format: "jwk" }), pair.alg);
  return { signing: { alg: pair.alg, kid: verifying.kid, key }, verifying };
}

async function loadPreviousKeys(previousKeys: string): Promise<VerifyingKey[]> {
  const { publicKeys, secrets } = requirePreviousKeys(previousKeys);
  const loadRetired = (secret: string) => loadSecret("A secret of JWT_PREVIOUS_KEYS", secret);
  return await Promise.all([...publicKeys.map(loadPublicKey), ...secrets.map(loadRetired)]);
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
