import type { Clock } from "~/platform/time/clock";

/** Servers are replaced, and some refuse for a passing reason. */
const refusalTtlMs = 600_000;

/** Caches that an endpoint refuses one sort of call, so that we needn't try it each time. */
export function createRefusalCache(clock: Clock) {
  let refusedAtMs: number | null = null;

  return {
    /** When the refusal has expired, only the first caller tries again. */
    shouldTry(): boolean {
      if (refusedAtMs === null) return true;
      const nowMs = clock();
      const ageMs = nowMs - refusedAtMs;
      if (ageMs >= 0 && ageMs < refusalTtlMs) return false;
      refusedAtMs = nowMs;
      return true;
    },
    wasRefused: () => refusedAtMs !== null,
    noteRefusal: () => void (refusedAtMs = clock()),
    forget: () => void (refusedAtMs = null),
  };
}
