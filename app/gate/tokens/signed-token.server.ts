import type { ProtectedHeaderParameters, JWTPayload } from "jose";
import { CompactSign, decodeProtectedHeader, errors, jwtVerify } from "jose";
import type { z } from "zod";
import type { Clock } from "~/platform/time/clock";
import { accessTokenRefused, malformedToken } from "./authentication-failed";
import type { TokenKeys, VerifyingKey } from "./token-keys.server";
import { hash } from "node:crypto";

/** Types keep one kind of token from passing as another. */
type TokenType = "at+jwt" | "door+jwt";

/** Ours have about 1 KiB. Longer ones are refused before decoding. */
export const maxTokenLength = 8192;
/** A token minted after a departure may be dated this far ahead. */
const issuedAtStepSeconds = 1;

export type SignedTokenRules = {
  keys: TokenKeys;
  /** One audience of the token must be listed. */
  expected: { issuer: string; audience: readonly string[] };
  clockToleranceSeconds: number;
  clock: Clock;
};

type ReadOptions<Claims> = SignedTokenRules & {
  token: string;
  type: TokenType;
  schema: z.ZodType<Claims>;
};

/** `SignJWT` would copy the claims. */
export async function signToken(
  { signing: { alg, kid, key } }: TokenKeys,
  type: TokenType,
  claims: JWTPayload,
): Promise<string> {
  const payload = Buffer.from(JSON.stringify(claims));
  return new CompactSign(payload).setProtectedHeader({ alg, kid, typ: type }).sign(key);
}

/**
 * Checks signature, algorithm, type, issuer, audience, times and shape. Valid until `exp` plus the
 * tolerance, exclusive.
 */
export async function readSignedToken<Claims extends { iat: number }>(
  options: ReadOptions<Claims>,
): Promise<Claims> {
  const { schema, clockToleranceSeconds } = options;
  const nowMs = options.clock();
  const payload = await verifySignature(options, nowMs);
  const { success, data: claims, error } = schema.safeParse(payload);
  if (!success) {
    const paths = error.issues.map((issue) => issue.path.join(".") || "claims").join(", ");
    throw accessTokenRefused("The access token is not one of this site's. Sign in again.", paths);
  }
  requireToken(
    claims.iat <= Math.floor(nowMs / 1000) + clockToleranceSeconds + issuedAtStepSeconds,
    "The access token is dated in the future. Sign in again.",
  );
  return claims;
}

export function requireToken(holds: boolean, detail: string): void {
  if (!holds) throw accessTokenRefused(detail);
}

/** The key that the token names. The signature is not verified yet. */
function requireKey({ keys, token, type }: ReadOptions<unknown>): VerifyingKey {
  requireToken(token.length <= maxTokenLength && token.split(".").length === 3, malformedToken);
  let header: ProtectedHeaderParameters;
  try {
    header = decodeProtectedHeader(token);
  } catch {
    throw accessTokenRefused(malformedToken);
  }
  requireToken(header.typ === type, "The token is not an access token.");
  const key = typeof header.kid === "string" ? keys.verifying.get(header.kid) : undefined;
  if (!key) {
    throw accessTokenRefused("The access token was signed with a key this site does not use. Sign in again.");
  }
  requireToken(header.alg === key.alg, "The access token names an algorithm its key does not have.");
  return key;
}

async function verifySignature(options: ReadOptions<unknown>, nowMs: number): Promise<unknown> {
  const { token, type, expected, clockToleranceSeconds } = options;
  const { alg, key } = requireKey(options);
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [alg],
      typ: type,
      issuer: expected.issuer,
      audience: [...expected.audience],
      clockTolerance: clockToleranceSeconds,
      currentDate: new Date(nowMs),
    });
    return payload;
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    // The library's errors contain the payload, which must not be logged.
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

/** About 2 KB each. */
const defaultMaxEntries = 4096;

type Verified<Token> = { token: Token; sinceMs: number; untilMs: number };

type CreateVerifiedTokensOptions<Token> = {
  verify: (token: string) => Promise<Token>;
  clockToleranceSeconds: number;
  clock: Clock;
  maxEntries?: number;
};

/** `verify` checks what can't change. Scope, use and revocation are checked with every call. */
export function createVerifiedTokens<Token extends { claims: { exp: number } }>({
  verify,
  clockToleranceSeconds,
  clock,
  maxEntries = defaultMaxEntries,
}: CreateVerifiedTokensOptions<Token>) {
  const cached = new Map<string, Verified<Token>>();

  async function read(token: string): Promise<Token> {
    if (token.length > maxTokenLength) return await verify(token);
    const digest = hash("sha256", token, "base64");
    const nowMs = clock();
    const found = cached.get(digest);
    cached.delete(digest);
    if (found && found.sinceMs <= nowMs && nowMs < found.untilMs) {
      // Moves to the end: the least recently used is evicted first.
      cached.set(digest, found);
      return found.token;
    }
    const verified = freeze(await verify(token));
    const untilMs = (verified.claims.exp + clockToleranceSeconds) * 1000;
    cached.set(digest, { token: verified, sinceMs: nowMs, untilMs });
    const [oldest] = cached.keys();
    if (cached.size > maxEntries && oldest !== undefined) cached.delete(oldest);
    return verified;
  }

  return { read, size: () => cached.size };
}

/** Many requests share the object. */
function freeze<Token extends { claims: object }>(verified: Token): Token {
  for (const claim of Object.values(verified.claims)) Object.freeze(claim);
  Object.freeze(verified.claims);
  return Object.freeze(verified);
}
