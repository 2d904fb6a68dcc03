import type { KeyObject } from "node:crypto";
import {
  createHmac,
  createPublicKey,
  webcrypto,
  createPrivateKey,
  generateKeyPairSync,
  randomUUID,
} from "node:crypto";
import type { CryptoKey, JWK } from "jose";
import { calculateJwkThumbprint, importJWK } from "jose";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

type TokenAlgorithm = "HS256" | PairAlgorithm;

/** Not extractable. */
type SigningKey = { alg: TokenAlgorithm; kid: string; key: CryptoKey };

export type VerifyingKey = {
  alg: TokenAlgorithm;
  kid: string;
  key: CryptoKey;
  /** Null for a shared secret. */
  publicJwk: JWK | null;
};

export type TokenKeys = {
  signing: SigningKey;
  /** The current key and the retired ones, by `kid`. */
  verifying: ReadonlyMap<string, VerifyingKey>;
};

/** By default `alg` is HS256 if there is a secret, else ES256. */
type TokenKeySettings = {
  alg?: TokenAlgorithm | null | undefined;
  secret?: string | null | undefined;
  privateKeyPem?: string | null | undefined;
  publicKeyPem?: string | null | undefined;
  previousKeys?: string | null | undefined;
  dataDir: string;
  /** Outside production, a missing key is generated in `dataDir`. */
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
  // A keyed digest tells secrets apart without revealing them.
  const kid = createHmac("sha256", bytes).update("latchkey token key id").digest("base64url").slice(0, 22);
  return { alg: "HS256", kid, key, publicJwk: null };
}

type LoadedPair = { signing: TokenKeys["signing"]; verifying: VerifyingKey };

async function loadKeyPair(pair: Parameters<typeof requireKeyPair>[0]): Promise<LoadedPair> {
  const privateKey = requireKeyPair(pair);
  const verifying = await loadPublicKey(createPublicKey(privateKey));
  // Imported so that it can't be exported.
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

/** Errors name the setting at fault, never its value. Each key serves its own algorithm only. */
export async function loadTokenKeys(settings: TokenKeySettings): Promise<TokenKeys> {
  const { signing, verifying } = await loadCurrent(settings);
  const previous = await loadPreviousKeys(settings.previousKeys ?? "");
  return { signing, verifying: new Map([...previous, verifying].map((key) => [key.kid, key])) };
}

/** Includes retired keys. Shared secrets have no public half. */
export function publicJwks(keys: TokenKeys): { keys: JWK[] } {
  return { keys: [...keys.verifying.values()].flatMap((key) => (key.publicJwk ? [key.publicJwk] : [])) };
}

export const minSecretBytes = 32;

type PairAlgorithm = "ES256" | "EdDSA";
type KeyPair = { alg: PairAlgorithm; name: string; pem: string; publicKeyPem?: string | null | undefined };

/** Returns the private key. */
export function requireKeyPair({ alg, name, pem, publicKeyPem }: KeyPair): KeyObject {
  const privateKey = readPem(name, pem, createPrivateKey);
  const found = algorithmOf(name, privateKey);
  if (found !== alg) throw new Error(`${name} is a key for ${found}, but JWT_ALG asks for ${alg}.`);
  if (publicKeyPem) {
    const publicKey = readPem("JWT_PUBLIC_KEY", publicKeyPem, createPublicKey);
    if (!publicKey.equals(createPublicKey(privateKey))) {
      throw new Error(`JWT_PUBLIC_KEY does not belong to ${name}.`);
    }
  }
  return privateKey;
}

export function requirePreviousKeys(text: string): { publicKeys: KeyObject[]; secrets: string[] } {
  const { pems, secrets } = splitPreviousKeys(text);
  if (secrets.some((secret) => secret.includes("-----"))) {
    throw new Error("JWT_PREVIOUS_KEYS holds a PEM block without its beginning or end.");
  }
  const publicKeys = pems.map((pem, index) => {
    const name = `PEM block ${index + 1} of JWT_PREVIOUS_KEYS`;
    const key = readPem(name, pem, createPublicKey);
    algorithmOf(name, key);
    return key;
  });
  for (const [index, secret] of secrets.entries()) {
    requireLongSecret(`Secret ${index + 1} of JWT_PREVIOUS_KEYS`, secret);
  }
  return { publicKeys, secrets };
}

function requireLongSecret(name: string, secret: string): Buffer {
  const bytes = Buffer.from(secret, "utf8");
  if (bytes.length < minSecretBytes) throw new Error(`${name} is shorter than ${minSecretBytes} bytes.`);
  return bytes;
}

function algorithmOf(name: string, key: KeyObject): PairAlgorithm {
  if (key.asymmetricKeyType === "ed25519") return "EdDSA";
  if (key.asymmetricKeyDetails?.namedCurve === "prime256v1") return "ES256";
  throw new Error(`${name} is neither a P-256 key (ES256) nor an Ed25519 key (EdDSA).`);
}

/** Environment files often hold a PEM on one line, with `\\n` for line breaks. */
function unfoldPem(pem: string): string {
  return pem.replaceAll("\\r", "").replaceAll("\\n", "\n").trim();
}

function readPem(name: string, pem: string, read: (pem: string) => KeyObject): KeyObject {
  try {
    return read(unfoldPem(pem));
  } catch {
    // The cause could contain key material.
    throw new Error(`${name} could not be read as an unencrypted PEM key.`);
  }
}

/** PEM blocks anywhere; the rest, split at commas and line breaks, is secrets. */
export function splitPreviousKeys(text: string): { pems: string[]; secrets: string[] } {
  const pemBlock = /-----BEGIN [A-Z ]+-----[^-]*-----END [A-Z ]+-----/g;
  // Some tools write the curve's parameters before the key.
  const pems = (text.match(pemBlock) ?? []).filter((pem) => !pem.startsWith("-----BEGIN EC PARAM"));
  const secrets = text
    .replace(pemBlock, "\n")
    .split(/,|\r|\n|\\r|\\n/)
    .map((secret) => secret.trim())
    .filter((secret) => secret !== "");
  return { pems, secrets };
}

const keyFileName = "jwt-key.pem";

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

async function findKeyFile(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** Linking never replaces a file, so exactly one of several processes wins. */
async function storeNewKey(path: string): Promise<void> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  const draftPath = `${path}.${randomUUID()}.tmp`;
  try {
    // After a power cut, the name could be there without the content.
    await writeFile(draftPath, pem, { flag: "wx", mode: 0o600, flush: true });
    await link(draftPath, path);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    await rm(draftPath, { force: true });
  }
}

/** The ES256 key (PKCS#8 PEM), generated on first use and shared by all processes. */
export async function getGeneratedKeyPem(dataDir: string): Promise<string> {
  const path = join(dataDir, keyFileName);
  try {
    const kept = await findKeyFile(path);
    if (kept !== null) return kept;
    await mkdir(dataDir, { recursive: true });
    await storeNewKey(path);
    return await readFile(path, "utf8");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `The generated token key could not be kept at ${path} (${reason}). Make the folder writable, or set JWT_SECRET or JWT_PRIVATE_KEY.`,
      { cause },
    );
  }
}
