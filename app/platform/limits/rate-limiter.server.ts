import { RateLimiterPrisma, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { RateLimiterStoreAbstract } from "rate-limiter-flexible";
import type { WarnLog } from "~/platform/log/log.server";
import type { Metrics } from "~/platform/metrics/metrics.server";
import { systemClock } from "~/platform/time/clock";
import type { Clock } from "~/platform/time/clock";
import { readHits } from "./hit-log";
import type { LimitAlgorithm } from "./limit-name";
import { createMemoryLimits } from "./memory-limits.server";
import { limitKeys } from "./redis-rate-limits.store.server";
import type { Hit, RateLimitStore, WindowModel } from "./rate-limits.store.server";

export type LimitVerdict = {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Whole seconds until a request will be admitted again: at least 1 if refused, 0 if allowed. */
  retryAfterSeconds: number;
  /** Whole seconds until some of the used points are free again. */
  resetSeconds: number;
  windowSeconds: number;
};

export type RateLimiter = { consume: (clientId: string) => Promise<LimitVerdict> };

type Limit = {
  /** Keeps the limits of different routes apart. */
  name: string;
  points: number;
  windowSeconds: number;
  algorithm: LimitAlgorithm;
};

type RateLimiterOptions = Limit & {
  store: RateLimitStore;
  clock: Clock;
  /** Called for each request that memory counted because the store failed. */
  onStoreFailure: (error: unknown) => void;
  /** Called for each client evicted from memory although its limit applied. */
  onForgotten?: () => void;
};

type LimiterDependencies = {
  store: RateLimitStore;
  metrics: Pick<Metrics, "countLimiterStoreFailure" | "countForgottenClient">;
  log: WarnLog;
};

/** Logs and counts failures of the store. */
export function openLimiter({ store, metrics, log }: LimiterDependencies, limit: Limit): RateLimiter {
  const { name } = limit;
  return createRateLimiter({
    ...limit,
    store,
    clock: systemClock,
    onStoreFailure: (error) => {
      metrics.countLimiterStoreFailure(name);
      log.warn({ limit: name, err: error }, "rate limit store unavailable; limits are kept in memory");
    },
    onForgotten: () => metrics.countForgottenClient(name),
  });
}

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
 * The library's own stores count fixed windows. The sliding log and the bounded memory are ours. The library caches
 * refusals and falls back to memory if a store fails.
 */
function createLibraryLimiter(options: RateLimiterOptions): RateLimiterStoreAbstract {
  const { store, name, points, windowSeconds, clock, onForgotten, onStoreFailure } = options;
  const windowMs = windowSeconds * 1000;
  const limit = { keyPrefix: name, points, duration: windowSeconds };
  const toHit = (key: string): Hit => ({ key, points, windowMs, nowMs: clock() });
  const memory = createMemoryLimits({ onForgotten });
  const insuranceLimiter = new CountingLimiter({ ...limit, storeClient: memory }, async (key) => {
    const hit = toHit(key);
    const { isAdmitted, points: used, startedAtMs } = memory.take(hit);
    return toLibraryResult(hit, isAdmitted, { used, resetAtMs: startedAtMs + windowMs });
  });
  const insured = { ...limit, inMemoryBlockOnConsumed: points + 1, insuranceLimiter };
  function reportFailure(error: unknown): never {
    onStoreFailure(error);
    throw error;
  }
  if (options.algorithm === "sliding") {
    return new CountingLimiter({ ...insured, storeClient: store }, (key) =>
      takeFromLog(store, toHit(key)).catch(reportFailure),
    );
  }
  if ("openWindows" in store) {
    const { deleteMany, upsert } = store.openWindows(windowMs);
    const windows: WindowModel = {
      deleteMany: (request) => deleteMany(request).catch(reportFailure),
      upsert: (request) => upsert(request).catch(reportFailure),
    };
    // The sweep deletes expired rows.
    const ofDatabase = { tableName: "windows", storeClient: { windows }, clearExpiredByTimeout: false };
    return new RateLimiterPrisma({ ...insured, ...ofDatabase });
  }
  const { defineCommand, rlflxIncr } = store.windowClient;
  const storeClient = {
    defineCommand,
    rlflxIncr: (values: string[]) => rlflxIncr(values).catch(reportFailure),
  };
  return new RateLimiterRedis({ ...insured, keyPrefix: limitKeys.window(name), storeClient });
}

/** Beyond it all cached refusals are dropped: from a thousand on, the library walks through all of them each time. */
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

async function takeFromLog(store: RateLimitStore, hit: Hit): Promise<RateLimiterRes> {
  const { isAdmitted, hits } = await store.takeFromLog(hit);
  const inWindow = readHits(hits)
    .slice(-hit.points)
    .filter((atMs) => atMs > hit.nowMs - hit.windowMs);
  const resetAtMs = (inWindow[0] ?? hit.nowMs) + hit.windowMs;
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
 * The library's limiter on our own count. The package exports no base for stores. This one asks nothing of its client
 * before the two methods that are replaced here, and `consume` calls no others.
 */
class CountingLimiter extends RateLimiterPrisma {
  readonly #take: (key: string) => Promise<RateLimiterRes>;

  constructor(settings: LibrarySettings, take: (key: string) => Promise<RateLimiterRes>) {
    super({ ...settings, clearExpiredByTimeout: false });
    this.#take = take;
  }

  /** The result is passed to the next method. */
  _upsert(key: string): Promise<RateLimiterRes> {
    return this.#take(key);
  }

  _getRateLimiterRes(_key: string, _changedPoints: number, result: RateLimiterRes): RateLimiterRes {
    return result;
  }
}
