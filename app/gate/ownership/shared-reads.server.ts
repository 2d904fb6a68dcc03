import { setImmediate } from "node:timers";
import type { SeenBlock } from "~/platform/chain/seen-block";
import type { Clock } from "~/platform/time/clock";

type LoadOptions<T> = { key: string; group: string; load: () => Promise<T> };
type ReadOptions<T> = LoadOptions<T> & { fresh: boolean };
type CachedRead<T> = { value: T; group: string; startedAtMs: number };
type PendingRead<T> = { promise: Promise<T>; group: string; isJustBegun: boolean };

type SharedReadsOptions = {
  cacheMs: number;
  maxEntries: number;
  clock: Clock;
  /** Whether a newer block is known by now. */
  isOutdated: (block: SeenBlock) => boolean;
};

/** Coalesced, and cached until the block changes or, counted from the beginning of the read, `cacheMs` have passed. */
export function createSharedReads<T extends SeenBlock>(options: SharedReadsOptions) {
  const { cacheMs, maxEntries, clock, isOutdated } = options;
  const cached = new Map<string, CachedRead<T>>();
  const pending = new Map<string, PendingRead<T>>();
  let drops = 0;

  function findCached(key: string): CachedRead<T> | undefined {
    const found = cached.get(key);
    if (!found) return undefined;
    const ageMs = clock() - found.startedAtMs;
    if (ageMs >= 0 && ageMs < cacheMs && !isOutdated(found.value)) return found;
    cached.delete(key);
    return undefined;
  }

  function cache(key: string, entry: CachedRead<T>): void {
    if (cacheMs <= 0 || isOutdated(entry.value)) return;
    cached.delete(key);
    cached.set(key, entry);
    const oldest = cached.keys().next();
    if (cached.size > maxEntries && !oldest.done) cached.delete(oldest.value);
  }

  function begin(key: string, group: string, load: () => Promise<T>): Promise<T> {
    const startedAtMs = clock();
    const promise = load();
    const pendingRead: PendingRead<T> = { promise, group, isJustBegun: true };
    pending.set(key, pendingRead);
    // Until then no answer can have arrived: the event loop polls the network after that.
    setImmediate(() => (pendingRead.isJustBegun = false));
    /** False for a read that was forgotten or replaced meanwhile: its result may be older than the reason for that. */
    function finish(): boolean {
      return pending.get(key) === pendingRead && pending.delete(key);
    }
    promise.then(
      (value) => finish() && cache(key, { value, group, startedAtMs }),
      () => finish(),
    );
    return promise;
  }

  /** `forget` removes a `group`. A `fresh` read joins only one that began at this very moment. */
  function read({ key, group, fresh, load }: ReadOptions<T>): Promise<T> {
    const found = fresh ? undefined : findCached(key);
    if (found) return Promise.resolve(found.value);
    const pendingRead = pending.get(key);
    if (pendingRead && (!fresh || pendingRead.isJustBegun)) return pendingRead.promise;
    return begin(key, group, load);
  }

  /** Nobody joins it: what is asked together with it is of the caller's making and may delay or fail it. */
  async function readAlone({ key, group, load }: LoadOptions<T>): Promise<T> {
    const startedAtMs = clock();
    const dropsBefore = drops;
    const value = await load();
    if (drops === dropsBefore) cache(key, { value, group, startedAtMs });
    return value;
  }

  /** Drops pending reads as well. */
  function forget(groups?: ReadonlySet<string>): void {
    drops += 1;
    for (const reads of [cached, pending] as Map<string, { group: string }>[]) {
      for (const [key, entry] of reads) if (groups?.has(entry.group) ?? true) reads.delete(key);
    }
  }

  return { read, readAlone, forget, size: () => cached.size };
}
