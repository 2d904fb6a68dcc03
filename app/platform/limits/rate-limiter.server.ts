import { RateLimiterPrisma, RateLimiterRes } from "rate-limiter-flexible";
import type { Clock } from "~/platform/clock";
import { readHits } from "./hit-log";
import { createMemoryLimits } from "./memory-limits.server";
import type { Hit, LogTake, RateLimitStore, WindowTake } from "./rate-limits.store.server";

export type RateLimit = {
  allowed: boolean;
  /** 0: the limiter is off, and there is nothing to tell the client. */
  limit: number;
  remaining: number;
  /** Whole seconds until a request will be admitted again: at least 1 when refused, 0 when allowed. */
  retryAfterSeconds: number;
  /** Whole seconds until some of what was used comes back. */
  resetSeconds: number;
  windowSeconds: number;
};

export type RateLimiter = { consume: (clientId: string) => Promise<RateLimit> };

export type RateLimiterOptions = {
  store: RateLimitStore;
  /** Keeps the limits of different routes apart. */
  name: string;
  /** 0 turns the limiter off. */
  points: number;
  windowSeconds: number;
  /** `fixed`: so many in each window, which begins with the first hit. `sliding`: so many in any window at all. */
  algorithm: "fixed" | "sliding";
  clock: Clock;
  /** Called for each request that the database could not count; the process then counts by itself. */
  onStoreFailure: (error: unknown) => void;
  /** Called for each client that this process had to forget meanwhile, though its limit was in force. */
  onForgotten?: () => void;
};

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { points, windowSeconds } = options;
  if (points === 0) {
    const off = {
      allowed: true,
      limit: 0,
      remaining: 0,
      retryAfterSeconds: 0,
      resetSeconds: 0,
      windowSeconds,
    };
    return { consume: async () => off };
  }
  const limiter = new DatabaseRateLimiter(options);
  return {
    async consume(clientId) {
      try {
        return toRateLimit({ options, isAllowed: true, result: await limiter.consume(clientId) });
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        return toRateLimit({ options, isAllowed: false, result: error });
      }
    },
  };
}

/**
 * The library's limiter with its two statements for each hit (delete what lapsed, then upsert and count refused hits
 * too) replaced by one conditional statement of ours, its clock by the given one, and its memory for when the database
 * fails, which grows with every client, by ours. What the library still does: key prefixes and the verdict.
 */
class DatabaseRateLimiter extends RateLimiterPrisma {
  readonly #options: RateLimiterOptions;
  readonly #memory: RateLimitStore;

  constructor(options: RateLimiterOptions) {
    const { store, name, points, windowSeconds } = options;
    super({
      ...{ keyPrefix: name, points, duration: windowSeconds },
      storeClient: store,
      clearExpiredByTimeout: false,
    });
    this.#options = options;
    this.#memory = createMemoryLimits({ onForgotten: options.onForgotten });
  }

  /** Called by the library to count one hit; the answer goes to `_getRateLimiterRes`. */
  async _upsert(key: string): Promise<RateLimiterRes> {
    const { store, points, windowSeconds, clock, onStoreFailure } = this.#options;
    const hit: Hit = { key, points, windowMs: windowSeconds * 1000, nowMs: clock() };
    try {
      return await this.#take({ hit, from: store });
    } catch (error) {
      onStoreFailure(error);
      return await this.#take({ hit, from: this.#memory });
    }
  }

  async #take({ hit, from }: { hit: Hit; from: RateLimitStore }): Promise<RateLimiterRes> {
    return this.#options.algorithm === "fixed"
      ? describeWindow({ hit, take: await from.takeFromWindow(hit) })
      : describeLog({ hit, take: await from.takeFromLog(hit) });
  }

  _getRateLimiterRes(_key: string, _changedPoints: number, result: RateLimiterRes): RateLimiterRes {
    return result;
  }
}

function describeWindow({ hit, take }: { hit: Hit; take: WindowTake }): RateLimiterRes {
  return toLibraryResult({
    hit,
    isAdmitted: take.isAdmitted,
    usedPoints: take.points,
    resetAtMs: take.startedAtMs + hit.windowMs,
  });
}

function describeLog({ hit, take }: { hit: Hit; take: LogTake }): RateLimiterRes {
  const { nowMs, windowMs, points } = hit;
  const inWindow = readHits(take.hits)
    .slice(-points)
    .filter((hitAtMs) => hitAtMs > nowMs - windowMs);
  return toLibraryResult({
    hit,
    isAdmitted: take.isAdmitted,
    usedPoints: inWindow.length,
    resetAtMs: (inWindow[0] ?? nowMs) + windowMs,
  });
}

/** The library refuses whatever has consumed more than the limit. */
function toLibraryResult(outcome: {
  hit: Hit;
  isAdmitted: boolean;
  usedPoints: number;
  resetAtMs: number;
}): RateLimiterRes {
  const { points, nowMs } = outcome.hit;
  const usedPoints = Math.min(outcome.usedPoints, points);
  const msBeforeNext = Math.max(0, outcome.resetAtMs - nowMs);
  return new RateLimiterRes(
    outcome.isAdmitted ? points - usedPoints : 0,
    msBeforeNext,
    outcome.isAdmitted ? usedPoints : points + 1,
    usedPoints === 1,
  );
}

function toRateLimit({
  options: { points, windowSeconds },
  isAllowed,
  result,
}: {
  options: RateLimiterOptions;
  isAllowed: boolean;
  result: RateLimiterRes;
}): RateLimit {
  const seconds = Math.max(1, Math.ceil(result.msBeforeNext / 1000));
  return {
    allowed: isAllowed,
    limit: points,
    remaining: isAllowed ? result.remainingPoints : 0,
    retryAfterSeconds: isAllowed ? 0 : seconds,
    resetSeconds: seconds,
    windowSeconds,
  };
}
