import type { RateLimitName } from "~/platform/limits/limit-name";
import type { LimitVerdict } from "~/platform/limits/rate-limiter.server";
import { Refusal } from "~/platform/refusals/refusal";
import type { RequestContext } from "./request-context.server";

/** Counts the request, and returns the limit's headers. Throws the refusal `too-many-requests`. */
export async function requireWithinLimit(
  context: RequestContext,
  name: RateLimitName,
): Promise<Record<string, string>> {
  const verdict = await context.service.consumeLimit({ name, clientId: context.clientId });
  if (!verdict) return {};
  const headers = limitHeaders(verdict, name);
  if (verdict.allowed) return headers;
  const { limit, remaining, windowSeconds, retryAfterSeconds } = verdict;
  throw new Refusal("too-many-requests", {
    detail: `More than ${limit} requests in ${windowSeconds} seconds came from you. Wait ${retryAfterSeconds} seconds, then try again.`,
    headers: { ...headers, "Retry-After": String(retryAfterSeconds) },
    members: { limit, remaining, retryAfter: retryAfterSeconds },
  });
}

/** Long-known names, and those of the IETF draft. */
function limitHeaders(verdict: LimitVerdict, name: string): Record<string, string> {
  const { limit, remaining, windowSeconds, resetSeconds } = verdict;
  return {
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(remaining),
    "RateLimit-Policy": `"${name}";q=${limit};w=${windowSeconds}`,
    RateLimit: `"${name}";r=${remaining};t=${resetSeconds}`,
  };
}
