import { Refusal } from "~/platform/refusals/refusal";

/** For a 401 where no access token was presented. */
export const bearerChallenge = 'Bearer realm="latchkey"';
/** For a 401 where an access token was presented and is invalid. */
export const invalidTokenChallenge = 'Bearer realm="latchkey", error="invalid_token"';

export function authenticationFailed(detail: string, cause?: unknown): Refusal {
  const headers = { "WWW-Authenticate": bearerChallenge };
  return new Refusal("authentication-failed", { detail, cause, headers });
}

/** Given what must hold, so that a comparison with NaN refuses too. */
export function requireProof(holds: boolean, detail: string): void {
  if (!holds) throw authenticationFailed(detail);
}

export function accessTokenRefused(detail: string, cause?: unknown): Refusal {
  const headers = { "WWW-Authenticate": invalidTokenChallenge };
  return new Refusal("authentication-failed", { detail, cause, headers });
}

export const malformedToken =
  "The access token is malformed. Send it as it was given to you, or sign in again.";
