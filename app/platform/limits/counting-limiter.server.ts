import RateLimiterStoreAbstract from "rate-limiter-flexible/lib/RateLimiterStoreAbstract.js";
import type { RateLimiterRes } from "rate-limiter-flexible";

type Settings = ConstructorParameters<typeof RateLimiterStoreAbstract>[0];

/**
 * A limiter of the library on a store of ours. Of the four methods that its base class asks a store for, `consume`
 * needs two; nothing else is called here.
 */
export class CountingLimiter extends RateLimiterStoreAbstract {
  readonly #take: (key: string) => Promise<RateLimiterRes>;

  /** `take`: counts one request, or refuses to, and tells where the client stands. */
  constructor(settings: Omit<Settings, "storeClient">, take: (key: string) => Promise<RateLimiterRes>) {
    super({ ...settings, storeClient: null });
    this.#take = take;
  }

  /** What it resolves to goes on to the next one. */
  _upsert(key: string): Promise<RateLimiterRes> {
    return this.#take(key);
  }

  _getRateLimiterRes(_key: string, _changedPoints: number, result: RateLimiterRes): RateLimiterRes {
    return result;
  }
}
