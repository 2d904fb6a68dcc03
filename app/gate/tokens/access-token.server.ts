import { randomUUID } from "node:crypto";
import type { ProtectedHeaderParameters } from "jose";
import { SignJWT, decodeProtectedHeader, errors, jwtVerify } from "jose";
import { keccak256, stringToBytes } from "viem";
import type { Clock } from "~/platform/clock";
import type { AccessClaims, GateScope, SiweClaims } from "./access-token.schema";
import { accessClaimsSchema } from "./access-token.schema";
import { firstSecondAfter } from "../keys/token-departure";
import { accessTokenRefused } from "../authentication-failed";
import type { SigningKey, TokenKeys, VerifyingKey } from "./token-keys.server";

const tokenType = "at+jwt";
/** A token of ours is some 1 KiB. Anything longer is turned away before a byte of it is decoded. */
export const maxTokenLength = 8192;
/** A token minted past a revocation cutoff may be dated this far ahead of the clock. */
const issuedAtStepSeconds = 1;

export type MintedAccessToken = { token: string; claims: AccessClaims };

type MintAccessTokenOptions = {
  keys: TokenKeys;
  address: string;
  auth: AccessClaims["auth"];
  scopes: readonly GateScope[];
  tokenId: string;
  chainId: number;
  contractAddress: string;
  siwe: SiweClaims;
  signedText: string;
  ttlSeconds: number;
  issuer: string;
  audience: readonly string[];
  issuedAtMs: number;
  /** When the key last left the holder's wallet. */
  departedAtMs?: number | null;
};

/**
 * Signs a new access token. `signedText` is the exact text whose signature was the proof. A holder who comes back within
 * the second in which a departure revoked older tokens gets one that stands beyond it.
 */
export async function mintAccessToken({
  keys,
  address,
  auth,
  scopes,
  tokenId,
  chainId,
  contractAddress,
  siwe,
  signedText,
  ttlSeconds,
  issuer,
  audience,
  issuedAtMs,
  departedAtMs = null,
}: MintAccessTokenOptions): Promise<MintedAccessToken> {
  const issuedAtSeconds = Math.floor(issuedAtMs / 1000);
  const iat =
    departedAtMs === null ? issuedAtSeconds : Math.max(issuedAtSeconds, firstSecondAfter(departedAtMs));
  // Parsed on the way out too, so that nothing is signed that would be refused on its way in.
  const claims = accessClaimsSchema.parse({
    iss: issuer,
    aud: [...audience],
    sub: address.toLowerCase(),
    iat,
    exp: iat + ttlSeconds,
    jti: randomUUID(),
    kind: "access",
    auth,
    scopes: [...scopes],
    tokenId,
    chainId,
    contract: contractAddress.toLowerCase(),
    siwe,
    siwe_hash: keccak256(stringToBytes(signedText)),
  });
  return { token: await signToken(keys.signing, claims), claims };
}

type ReissueAccessTokenOptions = {
  keys: TokenKeys;
  claims: AccessClaims;
  issuedAtSeconds: number;
  expiresAtSeconds: number;
};

/** The same proof dated anew. `expiresAtSeconds` is the caller's to bound. */
export async function reissueAccessToken({
  keys,
  claims,
  issuedAtSeconds,
  expiresAtSeconds,
}: ReissueAccessTokenOptions): Promise<MintedAccessToken> {
  const dated = { ...claims, iat: issuedAtSeconds, exp: expiresAtSeconds, jti: randomUUID() };
  const renewed = accessClaimsSchema.parse(dated);
  return { token: await signToken(keys.signing, renewed), claims: renewed };
}

async function signToken({ alg, kid, key }: SigningKey, claims: AccessClaims): Promise<string> {
  return await new SignJWT(claims).setProtectedHeader({ alg, kid, typ: tokenType }).sign(key);
}

export type ExpectedAccess = {
  issuer: string;
  /** One of these has to be among the token's own. */
  audience: readonly string[];
  chainId: number;
  contractAddress: string;
};

type VerifyAccessTokenOptions = {
  keys: TokenKeys;
  token: string;
  expected: ExpectedAccess;
  clockToleranceSeconds: number;
  clock: Clock;
};

/**
 * The claims of a token that is good here and now, or a 401. Scope, revocation and ownership are asked elsewhere.
 * A token is good until `exp` plus the tolerance, that moment excluded.
 */
export async function verifyAccessToken({
  keys,
  token,
  expected,
  clockToleranceSeconds,
  clock,
}: VerifyAccessTokenOptions): Promise<AccessClaims> {
  const key = requireKey(keys, token);
  const nowMs = clock();
  const payload = await verifySignature({ key, token, expected, clockToleranceSeconds, nowMs });
  const { success, data: claims, error } = accessClaimsSchema.safeParse(payload);
  if (!success) {
    const paths = error.issues.map((issue) => issue.path.join(".") || "claims").join(", ");
    throw accessTokenRefused({
      detail: "The access token is not one of this site's. Sign in again.",
      cause: paths,
    });
  }
  if (claims.iat > Math.floor(nowMs / 1000) + clockToleranceSeconds + issuedAtStepSeconds) {
    throw accessTokenRefused({ detail: "The access token is dated in the future. Sign in again." });
  }
  if (claims.chainId !== expected.chainId) {
    throw accessTokenRefused({
      detail: `The access token is for another chain: it names ${claims.chainId}, this site uses ${expected.chainId}.`,
    });
  }
  if (claims.contract !== expected.contractAddress.toLowerCase()) {
    throw accessTokenRefused({
      detail: `The access token is for keys of another contract: it names ${claims.contract}, this site uses ${expected.contractAddress}. Sign in again.`,
    });
  }
  return claims;
}

/** Refuses a token that does not reach as far as the route asked for. */
export function requireScope(claims: AccessClaims, requiredScope: GateScope): void {
  if (claims.scopes.includes(requiredScope)) return;
  throw accessTokenRefused({
    detail: `The access token does not reach this far: it lacks the scope ${requiredScope}.`,
  });
}

/** The key a token names, provided the token keeps to that key's algorithm. No signature is tried yet. */
function requireKey(keys: TokenKeys, token: string): VerifyingKey {
  const malformed = "The access token is malformed. Send it as it was given to you, or sign in again.";
  if (token.length > maxTokenLength || token.split(".").length !== 3) {
    throw accessTokenRefused({ detail: malformed });
  }
  let header: ProtectedHeaderParameters;
  try {
    header = decodeProtectedHeader(token);
  } catch {
    throw accessTokenRefused({ detail: malformed });
  }
  if (header.typ !== tokenType) {
    throw accessTokenRefused({ detail: "The token is not an access token." });
  }
  const key = typeof header.kid === "string" ? keys.verifying.get(header.kid) : undefined;
  if (!key) {
    throw accessTokenRefused({
      detail: "The access token was signed with a key this site does not use. Sign in again.",
    });
  }
  if (header.alg !== key.alg) {
    throw accessTokenRefused({ detail: "The access token names an algorithm its key does not have." });
  }
  return key;
}

type VerifySignatureOptions = {
  key: VerifyingKey;
  token: string;
  expected: ExpectedAccess;
  clockToleranceSeconds: number;
  nowMs: number;
};

async function verifySignature({
  key,
  token,
  expected,
  clockToleranceSeconds,
  nowMs,
}: VerifySignatureOptions): Promise<unknown> {
  try {
    const { payload } = await jwtVerify(token, key.key, {
      algorithms: [key.alg],
      typ: tokenType,
      issuer: expected.issuer,
      audience: [...expected.audience],
      clockTolerance: clockToleranceSeconds,
      currentDate: new Date(nowMs),
    });
    return payload;
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    // Only the code goes on: the library's errors carry the whole payload, which no log may hold.
    throw accessTokenRefused({ detail: explain(error), cause: error.code });
  }
}

function explain(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return "The access token has expired. Sign in again.";
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return "The signature of the access token is wrong. Sign in again.";
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === "iss") return "The access token was issued by another site. Sign in again.";
    if (error.claim === "aud") return "The access token is meant for another site. Sign in again.";
    if (error.claim === "nbf") return "The access token is not valid yet.";
    return "The access token lacks a claim or holds a wrong one. Sign in again.";
  }
  return "The access token is malformed. Send it as it was given to you, or sign in again.";
}

/** The characters a Bearer token may have (RFC 6750), and no more of them than a token of ours could. */
export function isBearerToken(text: string): boolean {
  return text.length <= maxTokenLength && /^[A-Za-z0-9._~+/-]+=*$/.test(text);
}

/** The token of an Authorization header: `Bearer`, one space, one token. Anything else is a 401. */
export function parseBearerHeader(value: string): string {
  const token = value.startsWith("Bearer ") ? value.slice("Bearer ".length) : "";
  if (isBearerToken(token)) return token;
  throw accessTokenRefused({
    detail: 'The Authorization header must be exactly "Bearer", one space and the access token.',
  });
}
