import { randomUUID } from "node:crypto";
import type { ProtectedHeaderParameters } from "jose";
import { SignJWT, decodeProtectedHeader, errors, jwtVerify } from "jose";
import { keccak256, stringToBytes } from "viem";
import type { Clock } from "~/platform/clock";
import type { AccessClaims, GateScope } from "./access-token.schema";
import { accessClaimsSchema } from "./access-token.schema";
import { firstSecondAfter } from "./revocation-by-departure";
import { accessTokenRefused, malformedToken } from "../authentication-failed";
import type { KeyKind, KeyKinds } from "../kinds/kind";
import { findKind } from "../kinds/kind-of-key";
import { scopesOf } from "./scopes";
import type { TokenKeys, VerifyingKey } from "./token-keys.server";

const tokenType = "at+jwt";
/** A token of ours is some 1 KiB. Anything longer is turned away before a byte of it is decoded. */
export const maxTokenLength = 8192;
/** A token minted past a revocation cutoff may be dated this far ahead of the clock. */
const issuedAtStepSeconds = 1;

/** What a token says, and the kind of key it was made for. */
export type VerifiedToken = { claims: AccessClaims; keyKind: KeyKind };

export type MintedAccessToken = { token: string; claims: AccessClaims };

type MintAccessTokenOptions = Pick<AccessClaims, "auth" | "tokenId" | "siwe"> & {
  keys: TokenKeys;
  address: string;
  keyKind: KeyKind;
  /** Whether the token says which kind it is for. */
  areNamed: boolean;
  vault?: string | null;
  /** Default: all that the kind opens. */
  scopes?: readonly GateScope[];
  /** The exact text whose signature was the proof. */
  signedText: string;
  ttlSeconds: number;
  issuer: string;
  audience: readonly string[];
  issuedAtMs: number;
  /** When the key last left the holder's wallet. */
  departedAtMs?: number | null;
};

/** A holder who comes back within the second in which a departure revoked older tokens gets one dated beyond it. */
export async function mintAccessToken(options: MintAccessTokenOptions): Promise<MintedAccessToken> {
  const { auth, keyKind, tokenId, vault = null, siwe, issuedAtMs, departedAtMs = null } = options;
  const earliest = departedAtMs === null ? 0 : firstSecondAfter(departedAtMs);
  const iat = Math.max(Math.floor(issuedAtMs / 1000), earliest);
  return await sign(options.keys, {
    iss: options.issuer,
    aud: [...options.audience],
    sub: options.address.toLowerCase(),
    iat,
    exp: iat + options.ttlSeconds,
    kind: "access",
    auth,
    scopes: [...(options.scopes ?? scopesOf(keyKind))],
    tokenId,
    chainId: keyKind.chainId,
    contract: contractOf(keyKind),
    ...(options.areNamed && { key: keyKind.name }),
    ...(vault !== null && { vault: vault.toLowerCase() }),
    siwe,
    siwe_hash: keccak256(stringToBytes(options.signedText)),
  });
}

export type ReissueAccessTokenOptions = {
  keys: TokenKeys;
  claims: AccessClaims;
  issuedAtSeconds: number;
  expiresAtSeconds: number;
};

/** The same proof with new dates. `expiresAtSeconds` is the caller's to bound. */
export async function reissueAccessToken(options: ReissueAccessTokenOptions): Promise<MintedAccessToken> {
  const { keys, claims, issuedAtSeconds: iat, expiresAtSeconds: exp } = options;
  return await sign(keys, { ...claims, iat, exp });
}

/** Parsed on the way out too, so that nothing is signed that would be refused on its way in. */
async function sign(
  { signing: { alg, kid, key } }: TokenKeys,
  dated: Omit<AccessClaims, "jti">,
): Promise<MintedAccessToken> {
  const claims = accessClaimsSchema.parse({ ...dated, jti: randomUUID() });
  return {
    token: await new SignJWT(claims).setProtectedHeader({ alg, kid, typ: tokenType }).sign(key),
    claims,
  };
}

export type ExpectedAccess = {
  issuer: string;
  /** One of these has to be among the token's own. */
  audience: readonly string[];
  kinds: KeyKinds;
};

type VerifyAccessTokenOptions = {
  keys: TokenKeys;
  token: string;
  expected: ExpectedAccess;
  clockToleranceSeconds: number;
  clock: Clock;
};

/**
 * Scope, revocation and ownership are checked elsewhere. Good until `exp` plus the tolerance, exclusive. Of the scopes
 * those are left that the kind opens by today's settings.
 */
export async function verifyAccessToken(options: VerifyAccessTokenOptions): Promise<VerifiedToken> {
  const { expected, clockToleranceSeconds } = options;
  const nowMs = options.clock();
  const payload = await verifySignature(options, nowMs);
  const { success, data: claims, error } = accessClaimsSchema.safeParse(payload);
  if (!success) {
    const paths = error.issues.map((issue) => issue.path.join(".") || "claims").join(", ");
    throw accessTokenRefused("The access token is not one of this site's. Sign in again.", paths);
  }
  requireToken(
    claims.iat <= Math.floor(nowMs / 1000) + clockToleranceSeconds + issuedAtStepSeconds,
    "The access token is dated in the future. Sign in again.",
  );
  const keyKind = requireKind(claims, expected.kinds);
  const opened: readonly string[] = scopesOf(keyKind);
  return { claims: { ...claims, scopes: claims.scopes.filter((scope) => opened.includes(scope)) }, keyKind };
}

function requireKind(claims: AccessClaims, kinds: KeyKinds): KeyKind {
  const isNamed = claims.key !== undefined;
  const keyKind = findKind(kinds, claims.key);
  if (!keyKind || isNamed !== kinds.areNamed) {
    throw accessTokenRefused("The access token is not for a kind of key that this site has. Sign in again.");
  }
  requireToken(
    claims.chainId === keyKind.chainId,
    `The access token is for another chain: it names ${claims.chainId}, this site uses ${keyKind.chainId}.`,
  );
  requireToken(
    claims.contract === contractOf(keyKind),
    `The access token is for keys of another contract: it names ${claims.contract}, this site uses ${keyKind.contract ?? contractOf(keyKind)}. Sign in again.`,
  );
  requireToken(
    claims.vault === undefined || keyKind.delegation !== "none",
    "The access token is a delegate's, and keys of its kind are not for delegates any more.",
  );
  return keyKind;
}

function contractOf({ keptUnder }: KeyKind): string {
  return keptUnder.contractAddress.toLowerCase();
}

/** Where kinds have names, whoever is let in has a session, and finds it empty where the token does not open the room. */
export function requireScope({ claims }: VerifiedToken, requiredScope: GateScope): void {
  if (requiredScope === "gate:read" && claims.key !== undefined) return;
  requireToken(
    claims.scopes.includes(requiredScope),
    `The access token does not reach this far: it lacks the scope ${requiredScope}.`,
  );
}

function requireToken(holds: boolean, detail: string): void {
  if (!holds) throw accessTokenRefused(detail);
}

/** The key a token names, provided the token keeps to that key's algorithm. No signature is tried yet. */
function requireKey(keys: TokenKeys, token: string): VerifyingKey {
  requireToken(token.length <= maxTokenLength && token.split(".").length === 3, malformedToken);
  let header: ProtectedHeaderParameters;
  try {
    header = decodeProtectedHeader(token);
  } catch {
    throw accessTokenRefused(malformedToken);
  }
  requireToken(header.typ === tokenType, "The token is not an access token.");
  const key = typeof header.kid === "string" ? keys.verifying.get(header.kid) : undefined;
  if (!key) {
    throw accessTokenRefused("The access token was signed with a key this site does not use. Sign in again.");
  }
  requireToken(header.alg === key.alg, "The access token names an algorithm its key does not have.");
  return key;
}

async function verifySignature(
  { keys, token, expected, clockToleranceSeconds }: VerifyAccessTokenOptions,
  nowMs: number,
): Promise<unknown> {
  const { alg, key } = requireKey(keys, token);
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [alg],
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
    throw accessTokenRefused(explain(error), error.code);
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
  return malformedToken;
}

/** The characters a Bearer token may have (RFC 6750), and no more of them than a token of ours could. */
export function isBearerToken(text: string): boolean {
  return text.length <= maxTokenLength && /^[A-Za-z0-9._~+/-]+=*$/.test(text);
}

/** The token of an Authorization header: `Bearer`, one space, one token. Anything else is a 401. */
export function parseBearerHeader(value: string): string {
  const token = value.startsWith("Bearer ") ? value.slice("Bearer ".length) : "";
  if (isBearerToken(token)) return token;
  throw accessTokenRefused(
    'The Authorization header must be exactly "Bearer", one space and the access token.',
  );
}
