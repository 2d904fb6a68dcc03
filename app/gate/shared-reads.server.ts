import { setImmediate } from "node:timers";
import type { Clock } from "~/platform/clock";

/** Reads of the chain, shared by callers that ask the same thing of the same block. */
export type SharedReads<T> = {
  /** `group` is what `forget` goes by. A `fresh` read joins only one that was begun in this very moment. */
  read: (wanted: { key: string; group: string; fresh: boolean; load: () => Promise<T> }) => Promise<T>;
  /** Drops what is known, and what is being read, of one group or of all. */
  forget: (group?: string) => void;
  /** From now on, what was read before counts as of an older block. */
  startBlock: () => void;
  size: () => number;
};

type Kept<T> = { value: T; group: string; startedAtMs: number };
type InFlight<T> = { promise: Promise<T>; group: string; isJustBegun: boolean };

/**
 * A result is kept until the block changes, and for less than `cacheMs` from when its read began. Failures
 * are not kept. Blocks are told apart in two ways: by `startBlock`, and by a read that comes from a later one.
 */
export function createSharedReads<T extends { blockNumber: bigint | null }>({
  cacheMs,
  maxEntries,
  clock,
}: {
  cacheMs: number;
  maxEntries: number;
  clock: Clock;
}): SharedReads<T> {
  const kept = new Map<string, Kept<T>>();
  const inFlight = new Map<string, InFlight<T>>();
  let latestBlock = -1n;

  function findKept(key: string): Kept<T> | undefined {
    const found = kept.get(key);
    if (!found) return undefined;
    const ageMs = clock() - found.startedAtMs;
    if (ageMs >= 0 && ageMs < cacheMs) return found;
    kept.delete(key);
    return undefined;
  }

  function keep({ key, entry }: { key: string; entry: Kept<T> }): void {
    // An answer that does not name its block counts as of the latest one known; `startBlock` ends it.
    const blockNumber = entry.value.blockNumber ?? latestBlock;
    if (blockNumber > latestBlock) {
      kept.clear();
      latestBlock = blockNumber;
    }
    // An endpoint that lags behind must not bring back what another one has seen pass.
    if (cacheMs <= 0 || blockNumber < latestBlock) return;
    kept.delete(key);
    kept.set(key, entry);
    const oldest = kept.keys().next();
    if (kept.size > maxEntries && !oldest.done) kept.delete(oldest.value);
  }

  function begin({ key, group, load }: { key: string; group: string; load: () => Promise<T> }): Promise<T> {
    const startedAtMs = clock();
    const promise = load();
    const flight: InFlight<T> = { promise, group, isJustBegun: true };
    inFlight.set(key, flight);
    // Until then nothing can have been answered: the network is not looked at before.
    setImmediate(() => (flight.isJustBegun = false));
    function land(): boolean {
      // Forgotten or overtaken on the way: what it brings may be older than what made it so.
      return inFlight.get(key) === flight && inFlight.delete(key);
    }
    promise.then(
      (value) => land() && keep({ key, entry: { value, group, startedAtMs } }),
      () => land(),
    );
    return promise;
  }

  function read({
    key,
    group,
    fresh,
    load,
  }: {
    key: string;
    group: string;
    fresh: boolean;
    load: () => Promise<T>;
  }) {
    const found = fresh ? undefined : findKept(key);
    if (found) return Promise.resolve(found.value);
    const flight = inFlight.get(key);
    if (flight && (!fresh || flight.isJustBegun)) return flight.promise;
    return begin({ key, group, load });
  }

  function drop(group?: string): void {
    for (const reads of [kept, inFlight] as Map<string, { group: string }>[]) {
      for (const [key, entry] of reads) if (group === undefined || entry.group === group) reads.delete(key);
    }
  }

  function forget(group?: string): void {
    drop(group);
    // After a reorganisation the chain may be shorter than it was.
    if (group === undefined) latestBlock = -1n;
  }

  return { read, forget, startBlock: () => drop(), size: () => kept.size };
}
