import type { ProtectedHeaderParameters } from "jose";
import { CompactSign, decodeProtectedHeader, errors, jwtVerify } from "jose";
import type { JWTPayload } from "jose";
import type { z } from "zod";
import type { Clock } from "~/platform/time/clock";
import { accessTokenRefused, malformedToken } from "./authentication-failed";
import type { TokenKeys, VerifyingKey } from "./token-keys.server";

/** Each kind of token has a type of its own, so that none passes for another. */
export type TokenType = "at+jwt" | "door+jwt";

/** A token of ours is some 1 KiB. Anything longer is turned away before a byte of it is decoded. */
export const maxTokenLength = 8192;
/** A token minted past a revocation cutoff may be dated this far ahead of the clock. */
const issuedAtStepSeconds = 1;

export type SignedTokenRules = {
  keys: TokenKeys;
  /** Of the audience one has to be among the token's own. */
  expected: { issuer: string; audience: readonly string[] };
  clockToleranceSeconds: number;
  clock: Clock;
};

type ReadOptions<Claims> = SignedTokenRules & {
  token: string;
  type: TokenType;
  schema: z.ZodType<Claims>;
};

/** The claims as they are: `SignJWT` is for putting them together step by step, and would copy them. */
export async function signToken(
  { signing: { alg, kid, key } }: TokenKeys,
  type: TokenType,
  claims: JWTPayload,
): Promise<string> {
  const payload = Buffer.from(JSON.stringify(claims));
  return new CompactSign(payload).setProtectedHeader({ alg, kid, typ: type }).sign(key);
}

/** Signature, algorithm, type, issuer, audience, times and shape. Good until `exp` plus the tolerance, exclusive. */
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

/** The key a token names, provided the token keeps to that key's algorithm. No signature is tried yet. */
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
