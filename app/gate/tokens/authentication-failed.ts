import { Refusal } from "~/platform/refusals/refusal";

/** For a 401 without an access token. */
export const bearerChallenge = 'Bearer realm="latchkey"';
/** For a 401 with an invalid access token. */
export const invalidTokenChallenge = 'Bearer realm="latchkey", error="invalid_token"';

export function authenticationFailed(detail: string, cause?: unknown): Refusal {
  const headers = { "WWW-Authenticate": bearerChallenge };
  return new Refusal("authentication-failed", { detail, cause, headers });
}

/** Takes the condition that must hold, so that a comparison with NaN refuses. */
export function requireProof(holds: boolean, detail: string): void {
  if (!holds) throw authenticationFailed(detail);
}

export function accessTokenRefused(detail: string, cause?: unknown): Refusal {
  const headers = { "WWW-Authenticate": invalidTokenChallenge };
  return new Refusal("authentication-failed", { detail, cause, headers });
}

export const malformedToken =
  "The access token is malformed. Send it as it was given to you, or sign in again.";
