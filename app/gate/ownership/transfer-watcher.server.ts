import type { Clock } from "~/platform/clock";
import type { Lease, LeaseHold } from "~/platform/leases/lease";
import { createTransferFollower } from "./transfer-follower.server";
import { createTransferReader } from "./transfer-reader.server";
import type { TransferCursor, TransferReader, TransferReaderOptions } from "./transfer-reader.server";

const maxBackoffSeconds = 60;
const minDelayMs = 20;

type Departure = Parameters<TransferReaderOptions["onDeparture"]>[0];

export type TransferWatcherOptions = Omit<TransferReaderOptions, "cursor" | "onDeparture"> & {
  pollSeconds: number;
  clock: Clock;
  /** What is written under a `hold` is written only while that is in force. */
  cursor: {
    load: () => Promise<TransferCursor | null>;
    /** False when the hold was not in force any more. */
    save: (written: { cursor: TransferCursor; hold: LeaseHold | undefined }) => Promise<boolean>;
  };
  onDeparture: (departure: Departure & { hold: LeaseHold | undefined }) => Promise<void> | void;
  /** Who reads the chain. Everybody else follows what that process has read. Without one, this process reads. */
  lease?: Lease;
};
export type TransferWatcherStatus = {
  isRunning: boolean;
  /** The last block that was read whole; null before the first poll. */
  blockNumber: bigint | null;
  /** How many blocks were not read yet, as of the last poll. */
  blocksBehind: bigint;
  lastSuccessAtMs: number | null;
  consecutiveFailures: number;
};
export type TransferWatcher = {
  start: () => void;
  /** Resolves when a poll that is under way has ended. */
  stop: () => Promise<void>;
  /** One poll, now, or the one that is under way. Rejects when it failed. */
  pollOnce: () => Promise<void>;
  status: () => TransferWatcherStatus;
};

/** What the reader meets when its lease has gone to somebody else, who reads on from the same cursor. */
class LeaseLost extends Error {}

/**
 * Polls the key contract's transfers and reports every key that left a wallet. Outlives outages. Of several processes
 * the one with the lease does so; each time it is gained, reading begins anew at the cursor.
 */
export function createTransferWatcher({
  pollSeconds,
  clock,
  lease,
  cursor,
  onDeparture,
  ...options
}: TransferWatcherOptions): TransferWatcher {
  const { log } = options;
  const follower = createTransferFollower({ ...options, load: cursor.load });
  let reader: { term: bigint | undefined; reader: TransferReader } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> | null = null;
  let isRunning = false;
  let lastSuccessAtMs: number | null = null;
  let consecutiveFailures = 0;

  function readerUnder(hold: LeaseHold | undefined): TransferReader {
    if (reader && reader.term === hold?.term) return reader.reader;
    async function save(place: TransferCursor): Promise<void> {
      if (!(await cursor.save({ cursor: place, hold }))) throw new LeaseLost();
    }
    const made = createTransferReader({
      ...options,
      cursor: { load: cursor.load, save },
      onDeparture: (departure) => onDeparture({ ...departure, hold }),
    });
    reader = { term: hold?.term, reader: made };
    return made;
  }

  async function readOrFollow(): Promise<void> {
    const hold = lease?.findHold();
    // What was read under a lease that is gone is out of date: somebody else reads on.
    if (hold === null) reader = undefined;
    await (hold === null ? follower.look() : readerUnder(hold).readOn());
  }

  async function poll(): Promise<void> {
    try {
      await readOrFollow();
    } catch (error) {
      if (error instanceof LeaseLost) return void (reader = undefined);
      consecutiveFailures += 1;
      // Said once and not with every poll: an outage of a night must not fill the disk.
      if (consecutiveFailures === 1) log.warn({ err: error }, "The transfers of keys cannot be watched now.");
      throw error;
    }
    if (consecutiveFailures > 0) {
      log.info({ failures: consecutiveFailures }, "The transfers of keys are watched again.");
    }
    consecutiveFailures = 0;
    lastSuccessAtMs = clock();
  }

  function pollOnce(): Promise<void> {
    underWay ??= poll().finally(() => {
      underWay = null;
    });
    return underWay;
  }

  const blocksBehind = () => reader?.reader.blocksBehind() ?? 0n;

  function delayMs(): number {
    let seconds = pollSeconds;
    if (consecutiveFailures > 1) {
      seconds = Math.max(seconds, Math.min(seconds * 2 ** (consecutiveFailures - 1), maxBackoffSeconds));
    } else if (consecutiveFailures === 0 && blocksBehind() > 0n) {
      seconds = Math.min(seconds, 1);
    }
    return Math.max(seconds * 1_000, minDelayMs);
  }

  function schedule(ms: number): void {
    if (!isRunning) return;
    const goOn = () => schedule(delayMs());
    timer = setTimeout(() => {
      // A poll that failed has said so already; the next one comes later.
      pollOnce().then(goOn, goOn);
    }, ms);
    timer.unref();
  }

  function pollAtOnce(): void {
    if (!isRunning) return;
    clearTimeout(timer);
    // After the poll that is under way, which began without the lease.
    void Promise.resolve(underWay)
      .catch(() => {})
      .then(() => schedule(0));
  }
  lease?.onGain(pollAtOnce);

  return {
    pollOnce,
    start() {
      if (isRunning) return;
      isRunning = true;
      schedule(0);
    },
    async stop() {
      isRunning = false;
      clearTimeout(timer);
      reader?.reader.interrupt();
      await underWay?.catch(() => {});
    },
    status: () => ({
      isRunning,
      blockNumber: reader?.reader.blockNumber() ?? null,
      blocksBehind: blocksBehind(),
      lastSuccessAtMs,
      consecutiveFailures,
    }),
  };
}
