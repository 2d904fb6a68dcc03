import { setImmediate } from "node:timers";
import type { Clock } from "~/platform/clock";

type ReadOptions<T> = { key: string; group: string; fresh: boolean; load: () => Promise<T> };
type CachedRead<T> = { value: T; group: string; startedAtMs: number };
type PendingRead<T> = { promise: Promise<T>; group: string; isJustBegun: boolean };

/**
 * Reads of the chain, cached and coalesced for callers that ask the same thing of the same block: until the block changes
 * (by `startBlock`, or by a read that comes from a later one), and for less than `cacheMs` from when the read began.
 */
export function createSharedReads<T extends { blockNumber: bigint | null }>(
  cacheMs: number,
  maxEntries: number,
  clock: Clock,
) {
  const cached = new Map<string, CachedRead<T>>();
  const pending = new Map<string, PendingRead<T>>();
  let latestBlock = -1n;

  function findCached(key: string): CachedRead<T> | undefined {
    const found = cached.get(key);
    if (!found) return undefined;
    const ageMs = clock() - found.startedAtMs;
    if (ageMs >= 0 && ageMs < cacheMs) return found;
    cached.delete(key);
    return undefined;
  }

  function cache(key: string, entry: CachedRead<T>): void {
    // An answer that does not name its block counts as of the latest one known; `startBlock` ends it.
    const blockNumber = entry.value.blockNumber ?? latestBlock;
    if (blockNumber > latestBlock) {
      cached.clear();
      latestBlock = blockNumber;
    }
    // An endpoint that lags behind must not bring back what another one has seen pass.
    if (cacheMs <= 0 || blockNumber < latestBlock) return;
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
    // Until then nothing can have been answered: the network is not looked at before.
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

  /** `group` is what `forget` goes by. A `fresh` read joins only one that was begun in this very moment. */
  function read({ key, group, fresh, load }: ReadOptions<T>): Promise<T> {
    const found = fresh ? undefined : findCached(key);
    if (found) return Promise.resolve(found.value);
    const pendingRead = pending.get(key);
    if (pendingRead && (!fresh || pendingRead.isJustBegun)) return pendingRead.promise;
    return begin(key, group, load);
  }

  function drop(groups?: ReadonlySet<string>): void {
    for (const reads of [cached, pending] as Map<string, { group: string }>[]) {
      for (const [key, entry] of reads) if (groups?.has(entry.group) ?? true) reads.delete(key);
    }
  }

  /** Drops what is known, and what is being read, of some groups or of all. */
  function forget(groups?: ReadonlySet<string>): void {
    drop(groups);
    // After a reorganisation the chain may be shorter than it was.
    if (groups === undefined) latestBlock = -1n;
  }

  /** From `startBlock` on, what was read before counts as of an older block. */
  return { read, forget, startBlock: () => drop(), size: () => cached.size };
}
