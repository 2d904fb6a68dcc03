import { Refusal } from "~/platform/http/refusal";

/** For a 401 where no access token was presented. */
export const bearerChallenge = 'Bearer realm="latchkey"';
/** For a 401 where an access token was presented and is invalid. */
export const invalidTokenChallenge = 'Bearer realm="latchkey", error="invalid_token"';

type Failure = { detail: string; cause?: unknown };

/** For a missing proof, a signed message or a signature that is invalid. */
export function authenticationFailed({ detail, cause }: Failure): Refusal {
  return new Refusal("authentication-failed", {
    detail,
    cause,
    headers: { "WWW-Authenticate": bearerChallenge },
  });
}

/** For an access token that is invalid. */
export function accessTokenRefused({ detail, cause }: Failure): Refusal {
  return new Refusal("authentication-failed", {
    detail,
    cause,
    headers: { "WWW-Authenticate": invalidTokenChallenge },
  });
}
