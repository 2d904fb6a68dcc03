import type { Lease, LeaseHold } from "~/platform/leases/lease";
import type { Departure } from "./key-transfers.gateway.server";
import { createTransferFollower } from "./transfer-follower.server";
import { createTransferReader } from "./transfer-reader.server";
import type { TransferCursor, TransferReader, TransferReaderOptions } from "./transfer-reader.server";

const maxBackoffSeconds = 60;
const minDelayMs = 20;
/** A poll that takes longer ends after the range it is at. One that has not ended after as long again has failed. */
const defaultLongPollMs = 60_000;

export type DepartureReport = { departures: readonly Departure[]; hold: LeaseHold | undefined };
export type TransferWatcherOptions = Omit<TransferReaderOptions, "cursor" | "onDepartures"> & {
  pollSeconds: number;
  longPollMs?: number;
  /** What is written under a `hold` is written only while that is in force. */
  cursor: {
    load: () => Promise<TransferCursor | null>;
    /** False when the hold was not in force any more. */
    save: (written: { cursor: TransferCursor; hold: LeaseHold | undefined }) => Promise<boolean>;
  };
  onDepartures: (report: DepartureReport) => Promise<void> | void;
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
  longPollMs = defaultLongPollMs,
  lease,
  cursor,
  onDepartures,
  ...options
}: TransferWatcherOptions): TransferWatcher {
  const { log, clock } = options;
  const makeFollower = () => createTransferFollower({ ...options, load: cursor.load });
  let follower = makeFollower();
  let reader: { term: bigint | undefined; reader: TransferReader; isGivenUp: boolean } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> | null = null;
  let isRunning = false;
  let lastSuccessAtMs: number | null = null;
  let consecutiveFailures = 0;
  /** Whether the latest poll failed. */
  let hasFailed = false;
  /** Whether the chain could not be read here, and nobody has read on since. */
  let isUnread = false;

  function readerUnder(hold: LeaseHold | undefined): TransferReader {
    if (reader && reader.term === hold?.term) return reader.reader;
    async function save(place: TransferCursor): Promise<void> {
      if (made.isGivenUp || !(await cursor.save({ cursor: place, hold }))) throw new LeaseLost();
    }
    const transfers = createTransferReader({
      ...options,
      cursor: { load: cursor.load, save },
      onDepartures: (departures) => onDepartures({ departures, hold }),
    });
    const made = { term: hold?.term, reader: transfers, isGivenUp: false };
    reader = made;
    follower = makeFollower();
    return transfers;
  }

  /** Whether the chain is being read, here or elsewhere. */
  async function readOrFollow(hold: LeaseHold | null | undefined): Promise<boolean> {
    if (hold !== null) {
      await readerUnder(hold).readOn();
      return true;
    }
    // What was read under a lease that is gone is out of date: somebody else reads on.
    reader = undefined;
    // Who could not read and gave the lease up is not well again before somebody has read on.
    return (await follower.look()) || !isUnread;
  }

  /** What hangs must not keep the lease: it is left behind, and the next poll begins at the cursor. */
  async function readInTime(hold: LeaseHold | null | undefined): Promise<boolean> {
    let patience: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_resolve, reject) => {
      function giveUp(): void {
        if (reader) reader.isGivenUp = true;
        reader = undefined;
        reject(new Error(`The transfers of keys were not read within ${2 * longPollMs} ms.`));
      }
      patience = setTimeout(() => {
        reader?.reader.interrupt();
        patience = setTimeout(giveUp, longPollMs).unref();
      }, longPollMs).unref();
    });
    try {
      return await Promise.race([readOrFollow(hold), tooLate]);
    } finally {
      clearTimeout(patience);
    }
  }

  async function poll(): Promise<void> {
    const hold = lease?.findHold();
    hasFailed = false;
    try {
      const isRead = await readInTime(hold);
      if (hold !== null) lease?.noteSuccess();
      if (!isRead) return;
    } catch (error) {
      if (error instanceof LeaseLost) return void (reader = undefined);
      hasFailed = true;
      isUnread ||= hold !== null;
      consecutiveFailures += 1;
      // Said once and not with every poll: an outage of a night must not fill the disk.
      if (consecutiveFailures === 1) log.warn({ err: error }, "The transfers of keys cannot be watched now.");
      if (hold !== null) lease?.noteFailure();
      throw error;
    }
    if (consecutiveFailures > 0) {
      log.info({ failures: consecutiveFailures }, "The transfers of keys are watched again.");
    }
    isUnread = false;
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
    if (hasFailed && consecutiveFailures > 1) {
      seconds = Math.max(seconds, Math.min(seconds * 2 ** (consecutiveFailures - 1), maxBackoffSeconds));
    } else if (consecutiveFailures === 0 && blocksBehind() > 0n) {
      seconds = Math.min(seconds, 1);
    }
    return Math.max(seconds * 1_000, minDelayMs);
  }

  /** In place of the poll that is due, if there is one: whoever asks for it, one follows another. */
  function schedule(ms: number): void {
    if (!isRunning) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      const goOn = () => timer ?? schedule(delayMs());
      // A poll that failed has said so already; the next one comes later.
      pollOnce().then(goOn, goOn);
    }, ms);
    timer.unref();
  }

  function pollAtOnce(): void {
    // After the poll that is under way, which began without the lease.
    void Promise.resolve(underWay)
      .catch(() => {})
      .then(() => schedule(0));
  }
  lease?.onAcquired(pollAtOnce);

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
