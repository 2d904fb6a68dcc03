import { Refusal } from "~/platform/http/refusal";

/** For a 401 where no access token was presented. */
export const bearerChallenge = 'Bearer realm="latchkey"';
/** For a 401 where an access token was presented and is not good. */
export const invalidTokenChallenge = 'Bearer realm="latchkey", error="invalid_token"';

type Failure = { detail: string; cause?: unknown };

/** A signed message, a signature or a missing proof that does not let its sender in. */
export function authenticationFailed({ detail, cause }: Failure): Refusal {
  return new Refusal("authentication-failed", {
    detail,
    cause,
    headers: { "WWW-Authenticate": bearerChallenge },
  });
}

/** An access token that does not let its bearer in. */
export function accessTokenRefused({ detail, cause }: Failure): Refusal {
  return new Refusal("authentication-failed", {
    detail,
    cause,
    headers: { "WWW-Authenticate": invalidTokenChallenge },
  });
}
