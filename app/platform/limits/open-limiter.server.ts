import { systemClock as clock } from "~/platform/time/clock";
import type { WarnLog } from "../log/log.server";
import type { Metrics } from "../metrics/metrics.server";
import { createRateLimiter } from "./rate-limiter.server";
import type { RateLimiter, RateLimiterOptions } from "./rate-limiter.server";

type LimiterDependencies = {
  store: RateLimiterOptions["store"];
  metrics: Pick<Metrics, "countLimiterStoreFailure" | "countForgottenClient">;
  log: WarnLog;
};

/** One whose failures are logged and measured. */
export function openLimiter(
  { store, metrics, log }: LimiterDependencies,
  limit: Pick<RateLimiterOptions, "name" | "points" | "windowSeconds" | "algorithm">,
): RateLimiter {
  const { name } = limit;
  return createRateLimiter({
    ...limit,
    store,
    clock,
    onStoreFailure: (error) => {
      metrics.countLimiterStoreFailure(name);
      log.warn({ limit: name, err: error }, "rate limit store unavailable; limits are kept in memory");
    },
    onForgotten: () => metrics.countForgottenClient(name),
  });
}
