import type { Clock } from "~/platform/time/clock";

/** Allowance for a short fault of the chain: some failed polls and the longer waits that follow. */
const patienceSeconds = 60;

type CreateWatcherAgeOptions = {
  /** Null while nobody has watched yet. */
  findCursorAgeMs: () => Promise<number | null>;
  /** Only where there are several chains. */
  chainId?: number;
  pollSeconds: number;
  leaseSeconds: number;
  clock: Clock;
};

/** The age of the cursor in the database, so that every process tells it, above all when none watches. */
export function createWatcherAge(options: CreateWatcherAgeOptions) {
  const { findCursorAgeMs, chainId, pollSeconds, leaseSeconds, clock } = options;
  const where = chainId === undefined ? "" : ` on chain ${chainId}`;
  const startedAtMs = clock();
  /** Above this age it is a fault: two polls, and the time in which a process that died is replaced. */
  const allowedSeconds = patienceSeconds + 2 * pollSeconds + leaseSeconds;

  /** How long ago any process has read the transfers. Throws when the database cannot be asked. */
  async function readSeconds(): Promise<number> {
    return ((await findCursorAgeMs()) ?? clock() - startedAtMs) / 1_000;
  }

  /** The same, and what is wrong with it, in a sentence; null when nothing is. */
  async function judge(): Promise<{ fault: string | null; ageSeconds: number }> {
    const ageSeconds = Math.round(await readSeconds());
    const fault = `Nobody has read the transfers of keys${where} for ${ageSeconds} s. Requests still read the chain.`;
    return { fault: ageSeconds > allowedSeconds ? fault : null, ageSeconds };
  }

  return { readSeconds, allowedSeconds, judge };
}
