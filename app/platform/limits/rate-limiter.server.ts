import { RateLimiterPrisma, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { RateLimiterStoreAbstract } from "rate-limiter-flexible";
import type { Clock } from "~/platform/time/clock";
import { readHits } from "./hit-log";
import type { LimitAlgorithm } from "./limit-name";
import { createMemoryLimits } from "./memory-limits.server";
import type { MemoryLimits } from "./memory-limits.server";
import { limitKeys } from "./redis-rate-limits.store.server";
import type { Hit, RateLimitStore, WindowModel } from "./rate-limits.store.server";

export type LimitVerdict = {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Whole seconds until a request will be admitted again: at least 1 when refused, 0 when allowed. */
  retryAfterSeconds: number;
  /** Whole seconds until some of the used points are free again. */
  resetSeconds: number;
  windowSeconds: number;
};

export type RateLimiter = { consume: (clientId: string) => Promise<LimitVerdict> };

export type RateLimiterOptions = {
  store: RateLimitStore;
  /** Keeps the limits of different routes apart. */
  name: string;
  points: number;
  windowSeconds: number;
  algorithm: LimitAlgorithm;
  clock: Clock;
  /** Called for each request that the store could not count and memory counted instead. */
  onStoreFailure: (error: unknown) => void;
  /** Called for each client evicted from memory although its limit applied. */
  onForgotten?: () => void;
};

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { points: limit, windowSeconds, clock } = options;
  const limiter = createLibraryLimiter(options);
  const blocks = boundBlocks(limiter);
  return {
    async consume(clientId) {
      blocks.beforeHit(clock());
      let allowed = true;
      const result = await limiter.consume(clientId).catch((error: unknown) => {
        if (!(error instanceof RateLimiterRes)) throw error;
        blocks.afterRefusal(error);
        allowed = false;
        return error;
      });
      const resetSeconds = Math.max(1, Math.ceil(result.msBeforeNext / 1000));
      const remaining = allowed ? result.remainingPoints : 0;
      const retryAfterSeconds = allowed ? 0 : resetSeconds;
      return { allowed, limit, remaining, retryAfterSeconds, resetSeconds, windowSeconds };
    },
  };
}

/**
 * The library's own stores count fixed windows; none of them slides or bounds its memory, so those are ours. The library
 * caches refusals and falls back to memory where a store fails.
 */
function createLibraryLimiter(options: RateLimiterOptions): RateLimiterStoreAbstract {
  const { store, name, points, windowSeconds, onForgotten, onStoreFailure } = options;
  const limit = { keyPrefix: name, points, duration: windowSeconds };
  const memory = createMemoryLimits({ onForgotten });
  const insuranceLimiter = new CountingLimiter({ ...limit, storeClient: memory }, (key) =>
    takeFrom(memory, key, options),
  );
  const insured = { ...limit, inMemoryBlockOnConsumed: points + 1, insuranceLimiter };
  function tellFailure(error: unknown): never {
    onStoreFailure(error);
    throw error;
  }
  if (options.algorithm === "sliding") {
    return new CountingLimiter({ ...insured, storeClient: store }, (key) =>
      takeFrom(store, key, options).catch(tellFailure),
    );
  }
  if ("openWindows" in store) {
    const { deleteMany, upsert } = store.openWindows(windowSeconds * 1000);
    const windows: WindowModel = {
      deleteMany: (request) => deleteMany(request).catch(tellFailure),
      upsert: (request) => upsert(request).catch(tellFailure),
    };
    // The sweep deletes what has expired.
    const ofDatabase = { tableName: "windows", storeClient: { windows }, clearExpiredByTimeout: false };
    return new RateLimiterPrisma({ ...insured, ...ofDatabase });
  }
  const { defineCommand, rlflxIncr } = store.windowClient;
  const storeClient = {
    defineCommand,
    rlflxIncr: (values: string[]) => rlflxIncr(values).catch(tellFailure),
  };
  return new RateLimiterRedis({ ...insured, keyPrefix: limitKeys.window(name), storeClient });
}

/** Then all cached refusals are dropped: from a thousand on the library walks through all of them for each one it adds. */
const maxBlockedClients = 900;

function boundBlocks(limiter: RateLimiterStoreAbstract) {
  let blocked = 0;
  let newestMs = 0;
  function forget(): void {
    limiter.deleteInMemoryBlockedAll();
    blocked = 0;
  }
  return {
    /** Otherwise a clock set back would prolong them. */
    beforeHit(nowMs: number): void {
      if (nowMs < newestMs) forget();
      newestMs = nowMs;
    },
    /** The store's own refusals carry points; cached ones do not. */
    afterRefusal({ consumedPoints }: RateLimiterRes): void {
      if (consumedPoints > 0) blocked += 1;
      if (blocked > maxBlockedClients) forget();
    },
  };
}

async function takeFrom(
  store: Pick<RateLimitStore, "takeFromLog"> & Partial<MemoryLimits>,
  key: string,
  { points, windowSeconds, clock, algorithm }: RateLimiterOptions,
): Promise<RateLimiterRes> {
  const hit: Hit = { key, points, windowMs: windowSeconds * 1000, nowMs: clock() };
  const { windowMs, nowMs } = hit;
  if (algorithm === "fixed" && store.takeFromWindow) {
    const { isAdmitted, points: used, startedAtMs } = await store.takeFromWindow(hit);
    return toLibraryResult(hit, isAdmitted, { used, resetAtMs: startedAtMs + windowMs });
  }
  const { isAdmitted, hits } = await store.takeFromLog(hit);
  const inWindow = readHits(hits)
    .slice(-points)
    .filter((atMs) => atMs > nowMs - windowMs);
  const resetAtMs = (inWindow[0] ?? nowMs) + windowMs;
  return toLibraryResult(hit, isAdmitted, { used: inWindow.length, resetAtMs });
}

/** The consumed points include this hit, even if it is refused and so not kept. */
function toLibraryResult(
  { points, nowMs }: Hit,
  isAdmitted: boolean,
  { used, resetAtMs }: { used: number; resetAtMs: number },
): RateLimiterRes {
  const usedPoints = Math.min(used, points);
  const remaining = isAdmitted ? points - usedPoints : 0;
  const consumed = isAdmitted ? usedPoints : points + 1;
  return new RateLimiterRes(remaining, Math.max(0, resetAtMs - nowMs), consumed, usedPoints === 1);
}

type LibrarySettings = ConstructorParameters<typeof RateLimiterPrisma>[0];

/**
 * The library's limiter on a count of ours. The package exports no base for stores; of the stores that it does, this one
 * asks nothing of its client before the two methods that are replaced here. `consume` calls no others.
 */
class CountingLimiter extends RateLimiterPrisma {
  readonly #take: (key: string) => Promise<RateLimiterRes>;

  /** `take`: counts one request, or refuses to, and tells where the client stands. */
  constructor(settings: LibrarySettings, take: (key: string) => Promise<RateLimiterRes>) {
    super({ ...settings, clearExpiredByTimeout: false });
    this.#take = take;
  }

  /** The result is passed to the next one. */
  _upsert(key: string): Promise<RateLimiterRes> {
    return this.#take(key);
  }

  _getRateLimiterRes(_key: string, _changedPoints: number, result: RateLimiterRes): RateLimiterRes {
    return result;
  }
}
