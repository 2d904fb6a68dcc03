import type { Clock } from "~/platform/clock";

export type WatcherAge = {
  /** How long ago any process has read the transfers. Throws when the database cannot be asked. */
  readSeconds: () => Promise<number>;
  /** What is older is a fault. */
  allowedSeconds: number;
  /** The same, and what is wrong with it, in a sentence; null when nothing is. */
  judge: () => Promise<{ fault: string | null; ageSeconds: number }>;
};

/** What a hiccup of the chain may take: some failed polls and the longer waits that follow them. */
const patienceSeconds = 60;

type CreateWatcherAgeOptions = {
  /** Null while nobody has watched yet. */
  findCursorAgeMs: () => Promise<number | null>;
  pollSeconds: number;
  leaseSeconds: number;
  clock: Clock;
};

/**
 * How old the deployment's watcher is: by the cursor in the database, so that every process tells it, whichever watches
 * and above all when none does.
 */
export function createWatcherAge({
  findCursorAgeMs,
  pollSeconds,
  leaseSeconds,
  clock,
}: CreateWatcherAgeOptions): WatcherAge {
  const startedAtMs = clock();
  /** Two polls, and the time in which a process that died is replaced. */
  const allowedSeconds = patienceSeconds + 2 * pollSeconds + leaseSeconds;

  async function readSeconds(): Promise<number> {
    const ageMs = (await findCursorAgeMs()) ?? clock() - startedAtMs;
    return ageMs / 1_000;
  }

  async function judge() {
    const ageSeconds = Math.round(await readSeconds());
    const fault = `Nobody has read the transfers of keys for ${ageSeconds} s. Requests still read the chain.`;
    return { fault: ageSeconds > allowedSeconds ? fault : null, ageSeconds };
  }

  return { readSeconds, allowedSeconds, judge };
}
