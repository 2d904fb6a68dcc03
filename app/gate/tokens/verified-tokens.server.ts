import { hash } from "node:crypto";
import type { Clock } from "~/platform/time/clock";
import { maxTokenLength } from "./signed-token.server";

/** Some 2 KB each. */
const defaultMaxEntries = 4096;

/** Valid from its verification until the token expires. */
type Verified<Token> = { token: Token; sinceMs: number; untilMs: number };

type CreateVerifiedTokensOptions<Token> = {
  verify: (token: string) => Promise<Token>;
  clockToleranceSeconds: number;
  clock: Clock;
  maxEntries?: number;
};

/** Only what is fixed for a process is left to `verify`; scope, use and revocation are checked with every call. */
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
      // Back at the end: the least recently used is evicted first.
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

/** One object serves many requests: none of them may change it. */
function freeze<Token extends { claims: object }>(verified: Token): Token {
  for (const claim of Object.values(verified.claims)) Object.freeze(claim);
  Object.freeze(verified.claims);
  return Object.freeze(verified);
}
