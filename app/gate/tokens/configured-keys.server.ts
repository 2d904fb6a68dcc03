import { createPrivateKey, createPublicKey } from "node:crypto";
import type { KeyObject } from "node:crypto";

/** Whatever throws here names the setting at fault, never its value. */
export const minSecretBytes = 32;

export type PairAlgorithm = "ES256" | "EdDSA";
type KeyPair = { alg: PairAlgorithm; name: string; pem: string; publicKeyPem?: string | null | undefined };

/** The private key. */
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

/** Those that JWT_PREVIOUS_KEYS lists. */
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

export function requireLongSecret(name: string, secret: string): Buffer {
  const bytes = Buffer.from(secret, "utf8");
  if (bytes.length < minSecretBytes) throw new Error(`${name} is shorter than ${minSecretBytes} bytes.`);
  return bytes;
}

export function algorithmOf(name: string, key: KeyObject): PairAlgorithm {
  if (key.asymmetricKeyType === "ed25519") return "EdDSA";
  if (key.asymmetricKeyDetails?.namedCurve === "prime256v1") return "ES256";
  throw new Error(`${name} is neither a P-256 key (ES256) nor an Ed25519 key (EdDSA).`);
}

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
