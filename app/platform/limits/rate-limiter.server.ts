import { RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { RateLimiterStoreAbstract } from "rate-limiter-flexible";
import type { Clock } from "~/platform/clock";
import { CountingLimiter } from "./counting-limiter.server";
import { readHits } from "./hit-log";
import { createMemoryLimits } from "./memory-limits.server";
import { limitKeys } from "./redis-limit-keys";
import type { CountingStore, Hit, LogTake, RateLimitStore, WindowTake } from "./rate-limits.store.server";

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
  /** Called for each request that the store could not count; the process then counts by itself. */
  onStoreFailure: (error: unknown) => void;
  /** Called for each client that this process had to forget meanwhile, though its limit was in force. */
  onForgotten?: () => void;
};

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { points, windowSeconds, clock } = options;
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
  const limiter = createLibraryLimiter(options);
  const blocks = boundBlocks(limiter);
  return {
    async consume(clientId) {
      blocks.beforeHit(clock());
      try {
        return toRateLimit({ options, isAllowed: true, result: await limiter.consume(clientId) });
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        blocks.afterRefusal(error);
        return toRateLimit({ options, isAllowed: false, result: error });
      }
    },
  };
}

/**
 * The library's own store for Redis counts fixed windows as they should be. In a database its stores can be raced, and
 * none of them slides or holds memory within bounds: there, ours stand on its base class for stores. Whoever was
 * refused is refused from memory until their time has come, and a store that fails is stood in for, by the library.
 */
function createLibraryLimiter(options: RateLimiterOptions): RateLimiterStoreAbstract {
  const { store, name, points, windowSeconds, onForgotten } = options;
  const limit = { keyPrefix: name, points, duration: windowSeconds };
  const memory = createMemoryLimits({ onForgotten });
  const insured = {
    ...limit,
    inMemoryBlockOnConsumed: points + 1,
    insuranceLimiter: new CountingLimiter(limit, (key) => takeFrom(memory, key, options)),
  };
  const { onStoreFailure } = options;
  function tellFailure(error: unknown): never {
    onStoreFailure(error);
    throw error;
  }
  if ("takeFromWindow" in store || options.algorithm === "sliding") {
    return new CountingLimiter(insured, (key) => takeFrom(store, key, options).catch(tellFailure));
  }
  const { defineCommand, rlflxIncr } = store.windowClient;
  const storeClient = {
    defineCommand,
    rlflxIncr: (values: string[]) => rlflxIncr(values).catch(tellFailure),
  };
  return new RateLimiterRedis({ ...insured, keyPrefix: limitKeys.window(name), storeClient });
}

/**
 * So many refused clients are remembered by a process; then they are all asked of the store again. From a thousand on
 * the library walks through all of them for each one that it adds.
 */
const maxBlockedClients = 900;

function boundBlocks(limiter: RateLimiterStoreAbstract) {
  let blocked = 0;
  let newestMs = 0;
  function forget(): void {
    limiter.deleteInMemoryBlockedAll();
    blocked = 0;
  }
  return {
    /** A clock that was set back would hold them for as much longer. */
    beforeHit(nowMs: number): void {
      if (nowMs < newestMs) forget();
      newestMs = nowMs;
    },
    /** What the store has refused was counted; what was refused from memory was not. */
    afterRefusal({ consumedPoints }: RateLimiterRes): void {
      if (consumedPoints > 0) blocked += 1;
      if (blocked > maxBlockedClients) forget();
    },
  };
}

async function takeFrom(
  store: Pick<CountingStore, "takeFromLog"> & Partial<CountingStore>,
  key: string,
  { points, windowSeconds, clock, algorithm }: RateLimiterOptions,
): Promise<RateLimiterRes> {
  const hit: Hit = { key, points, windowMs: windowSeconds * 1000, nowMs: clock() };
  return algorithm === "fixed" && store.takeFromWindow
    ? describeWindow(hit, await store.takeFromWindow(hit))
    : describeLog(hit, await store.takeFromLog(hit));
}

function describeWindow(hit: Hit, take: WindowTake): RateLimiterRes {
  return toLibraryResult({
    hit,
    isAdmitted: take.isAdmitted,
    usedPoints: take.points,
    resetAtMs: take.startedAtMs + hit.windowMs,
  });
}

function describeLog(hit: Hit, take: LogTake): RateLimiterRes {
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

type ToLibraryResultOptions = {
  hit: Hit;
  isAdmitted: boolean;
  usedPoints: number;
  resetAtMs: number;
};

/** The library refuses whatever has consumed more than the limit. */
function toLibraryResult(outcome: ToLibraryResultOptions): RateLimiterRes {
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
