import { hash } from "node:crypto";
import type { Clock } from "~/platform/clock";
import type { AccessClaims } from "./access-token.schema";
import { maxTokenLength } from "./access-token.server";

/** Some 2 KB each. */
const defaultMaxEntries = 4096;

/** From the moment a token was found good until it expires, the same check would find the same. */
type Verified = { claims: AccessClaims; sinceMs: number; untilMs: number };

/**
 * Remembers which tokens were found good, by their digest, so that a signature is checked once and not with each call.
 * Only what cannot change while the token lives may be left to `verify`: keys, issuer, audience and chain, which are
 * those of one process. Scope, use and revocation are asked with every call. Refusals are not remembered; at the end
 * of its time, or with the clock set back, a token goes through `verify` again.
 */
export function createVerifiedTokens({
  verify,
  clockToleranceSeconds,
  clock,
  maxEntries = defaultMaxEntries,
}: {
  verify: (token: string) => Promise<AccessClaims>;
  clockToleranceSeconds: number;
  clock: Clock;
  maxEntries?: number;
}) {
  const known = new Map<string, Verified>();

  async function read(token: string): Promise<AccessClaims> {
    if (token.length > maxTokenLength) return await verify(token);
    const digest = hash("sha256", token, "base64");
    const nowMs = clock();
    const found = known.get(digest);
    known.delete(digest);
    if (found && found.sinceMs <= nowMs && nowMs < found.untilMs) {
      // Back at the end: what was not asked for longest is the first to go.
      known.set(digest, found);
      return found.claims;
    }
    const claims = freeze(await verify(token));
    known.set(digest, { claims, sinceMs: nowMs, untilMs: (claims.exp + clockToleranceSeconds) * 1000 });
    const [oldest] = known.keys();
    if (known.size > maxEntries && oldest !== undefined) known.delete(oldest);
    return claims;
  }

  return { read, size: () => known.size };
}

/** One object serves many requests: none of them may change it. */
function freeze(claims: AccessClaims): AccessClaims {
  Object.freeze(claims.aud);
  Object.freeze(claims.scopes);
  Object.freeze(claims.siwe);
  return Object.freeze(claims);
}
