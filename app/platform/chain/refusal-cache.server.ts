import type { Clock } from "~/platform/time/clock";

/** How long a refusal is cached: servers are replaced, and some refuse for a passing reason. */
const refusalTtlMs = 600_000;

/** Caches that calls of one sort are refused, so that they need not be tried each time. */
export function createRefusalCache(clock: Clock) {
  let refusedAtMs: number | null = null;

  return {
    /** Of many who ask when a refusal is long ago, the first one is to try and the others are not. */
    shouldTry(): boolean {
      if (refusedAtMs === null) return true;
      const nowMs = clock();
      const ageMs = nowMs - refusedAtMs;
      if (ageMs >= 0 && ageMs < refusalTtlMs) return false;
      refusedAtMs = nowMs;
      return true;
    },
    /** Whether the last that is known is a refusal, however long ago. */
    wasRefused: () => refusedAtMs !== null,
    noteRefusal: () => void (refusedAtMs = clock()),
    forget: () => void (refusedAtMs = null),
  };
}
