import { systemClock as clock } from "~/platform/time/clock";
import { createRateLimiter } from "~/platform/limits/rate-limiter.server";
import type { RateLimiter, RateLimiterOptions } from "~/platform/limits/rate-limiter.server";
import type { Foundation } from "~/services/foundation.server";

/** One whose failures are logged and measured. */
export function openLimiter(
  { state, metrics, log }: Pick<Foundation, "state" | "metrics" | "log">,
  limit: Pick<RateLimiterOptions, "name" | "points" | "windowSeconds" | "algorithm">,
): RateLimiter {
  const { name } = limit;
  return createRateLimiter({
    ...limit,
    store: state.limits,
    clock,
    onStoreFailure: (error) => {
      metrics.countLimiterStoreFailure(name);
      log.warn({ limit: name, err: error }, "rate limit store unavailable; limits are kept in memory");
    },
    onForgotten: () => metrics.countForgottenClient(name),
  });
}
