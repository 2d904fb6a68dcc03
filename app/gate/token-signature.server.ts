import { createHmac, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";

export type TokenAlgorithm = "HS256" | "ES256" | "EdDSA";

/** The key itself stays inside: nobody who holds this can take it out. */
export type SigningKey = {
  alg: TokenAlgorithm;
  kid: string;
  /** The signature of ASCII text, in base64url, as RFC 7518 and RFC 8037 have it. */
  sign: (text: string) => string;
};

export function createSigningKey({
  alg,
  kid,
  key,
}: {
  alg: TokenAlgorithm;
  kid: string;
  key: KeyObject;
}): SigningKey {
  if (alg === "HS256") {
    return { alg, kid, sign: (text) => createHmac("sha256", key).update(text, "ascii").digest("base64url") };
  }
  const digest = alg === "ES256" ? "sha256" : null;
  const how = { key, dsaEncoding: "ieee-p1363" } as const;
  return { alg, kid, sign: (text) => sign(digest, Buffer.from(text, "ascii"), how).toString("base64url") };
}

/**
 * A JSON Web Token in the compact form of RFC 7515. Signed here and now: the library hands each signature to another
 * thread and back, which takes more time than the signature does (docs/decisions/025-what-a-sign-in-costs.md).
 */
export function signToken({
  signing,
  type,
  claims,
}: {
  signing: SigningKey;
  type: string;
  claims: object;
}): string {
  const { alg, kid } = signing;
  const text = `${encode({ alg, kid, typ: type })}.${encode(claims)}`;
  return `${text}.${signing.sign(text)}`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value), "utf8").toString("base64url");
}
