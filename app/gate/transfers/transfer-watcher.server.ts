import type { Lease, LeaseHold } from "~/platform/leases/lease";
import type { ChainCursor } from "./chain-cursor.store.server";
import type { Departed } from "./key-transfers.gateway.server";
import { TransferReader } from "./transfer-reader.server";
import type { TransferReaderOptions } from "./transfer-reader.server";

export const watcherLease = "watcher";

const maxBackoffSeconds = 60;
const minDelayMs = 20;
/** A longer poll ends after its current range. After twice this time it has failed. */
const defaultLongPollMs = 60_000;

export type DepartureReport = Departed & { hold: LeaseHold | undefined };
export type TransferWatcherOptions = Omit<TransferReaderOptions, "cursor" | "onDepartures"> & {
  pollSeconds: number;
  longPollMs?: number;
  cursor: {
    load: () => Promise<ChainCursor | null>;
    /** False if the hold has ended. */
    save: (cursor: ChainCursor, hold: LeaseHold | undefined) => Promise<boolean>;
  };
  onDepartures: (report: DepartureReport) => Promise<void> | void;
  /** The owner reads the chain, and other processes follow its cursor. Without a lease this process reads. */
  lease?: Lease;
};
type TransferWatcher = ReturnType<typeof createTransferWatcher>;
export type TransferWatcherStatus = ReturnType<TransferWatcher["status"]>;

class LeaseLost extends Error {}

/** Undefined without a lease. Null if another process owns it. */
type Hold = LeaseHold | null | undefined;

class TransferPolls {
  private readonly options: TransferWatcherOptions;
  private current: { term: bigint | undefined; reader: TransferReader; isAbandoned: boolean } | undefined;
  private followed: ChainCursor | null = null;
  private running: Promise<void> | null = null;
  private lastSuccessAtMs: number | null = null;
  private consecutiveFailures = 0;
  private hasLatestFailed = false;
  /** Whether reading failed here, and nobody has read on since. */
  private isUnread = false;

  constructor(options: TransferWatcherOptions) {
    this.options = options;
  }

  pollOnce(): Promise<void> {
    this.running ??= this.poll().finally(() => (this.running = null));
    return this.running;
  }

  async stop(): Promise<void> {
    this.current?.reader.interrupt();
    await this.settle();
  }

  async settle(): Promise<void> {
    await this.running?.catch(() => {});
  }

  status() {
    return {
      /** Null before the first poll. */
      blockNumber: this.current?.reader.blockNumber() ?? null,
      blocksBehind: this.current?.reader.blocksBehind() ?? 0n,
      lastSuccessAtMs: this.lastSuccessAtMs,
      consecutiveFailures: this.consecutiveFailures,
    };
  }

  delayMs(): number {
    const { pollSeconds } = this.options;
    const { blocksBehind, consecutiveFailures } = this.status();
    let seconds = pollSeconds;
    if (this.hasLatestFailed && consecutiveFailures > 1) {
      const backoffSeconds = Math.min(pollSeconds * 2 ** (consecutiveFailures - 1), maxBackoffSeconds);
      seconds = Math.max(pollSeconds, backoffSeconds);
    } else if (consecutiveFailures === 0 && blocksBehind > 0n) {
      seconds = Math.min(pollSeconds, 1);
    }
    return Math.max(seconds * 1_000, minDelayMs);
  }

  private async poll(): Promise<void> {
    const { lease, log, clock } = this.options;
    const hold: Hold = lease?.findHold();
    this.hasLatestFailed = false;
    try {
      const isRead = await this.readInTime(hold);
      if (hold !== null) lease?.noteSuccess();
      if (!isRead) return;
    } catch (error) {
      if (error instanceof LeaseLost) return void (this.current = undefined);
      this.hasLatestFailed = true;
      this.isUnread ||= hold !== null;
      this.consecutiveFailures += 1;
      // Once per outage.
      if (this.consecutiveFailures === 1) log.warn({ err: error }, "transfer watcher failed; retrying");
      if (hold !== null) lease?.noteFailure();
      throw error;
    }
    if (this.consecutiveFailures > 0) {
      log.info({ failures: this.consecutiveFailures }, "transfer watcher recovered");
    }
    this.isUnread = false;
    this.consecutiveFailures = 0;
    this.lastSuccessAtMs = clock();
  }

  /** A hanging poll is abandoned, so that it can't keep the lease. */
  private async readInTime(hold: Hold): Promise<boolean> {
    const { longPollMs = defaultLongPollMs } = this.options;
    const interrupting = setTimeout(() => this.current?.reader.interrupt(), longPollMs).unref();
    let abandoning: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_resolve, reject) => {
      abandoning = setTimeout(() => {
        if (this.current) this.current.isAbandoned = true;
        this.current = undefined;
        reject(new Error(`The transfers of keys were not read within ${2 * longPollMs} ms.`));
      }, 2 * longPollMs).unref();
    });
    try {
      return await Promise.race([this.readOrFollow(hold), tooLate]);
    } finally {
      clearTimeout(interrupting);
      clearTimeout(abandoning);
    }
  }

  private async readOrFollow(hold: Hold): Promise<boolean> {
    if (hold !== null) {
      await this.readerUnder(hold).readOn();
      return true;
    }
    // Its readings are out of date: another process reads on.
    this.current = undefined;
    // After a failure, this process recovers only when another has read on.
    return (await this.follow()) || !this.isUnread;
  }

  private readerUnder(hold: LeaseHold | undefined): TransferReader {
    const { cursor, onDepartures, ...options } = this.options;
    if (this.current && this.current.term === hold?.term) return this.current.reader;
    const reader = new TransferReader({
      ...options,
      cursor: {
        load: cursor.load,
        save: async (at) => {
          if (made.isAbandoned || !(await cursor.save(at, hold))) throw new LeaseLost();
        },
      },
      onDepartures: (departed) => onDepartures({ ...departed, hold }),
    });
    const made = { term: hold?.term, reader, isAbandoned: false };
    this.current = made;
    this.followed = null;
    return reader;
  }

  /** Whether another process has read on. Every request looks departures up by itself. */
  private async follow(): Promise<boolean> {
    const { cursor, onBlock, onReorganisation } = this.options;
    const last = this.followed;
    const now = await cursor.load();
    if (now === null) return false;
    const hasMoved = last !== null && now.blockHash !== last.blockHash;
    this.followed = now;
    if (hasMoved && now.blockNumber <= last.blockNumber) onReorganisation?.(now.blockNumber);
    onBlock(now);
    return hasMoved;
  }
}

/** The process with the lease polls; others follow its cursor. */
export function createTransferWatcher(options: TransferWatcherOptions) {
  const polls = new TransferPolls(options);
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;

  function schedule(ms: number): void {
    if (!isRunning) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      const scheduleNext = () => timer ?? schedule(polls.delayMs());
      // A failed poll has been logged.
      polls.pollOnce().then(scheduleNext, scheduleNext);
    }, ms).unref();
  }

  // The running poll began without the lease.
  options.lease?.onAcquired(() => void polls.settle().then(() => schedule(0)));

  return {
    pollOnce: () => polls.pollOnce(),
    start() {
      if (isRunning) return;
      isRunning = true;
      schedule(0);
    },
    async stop() {
      isRunning = false;
      clearTimeout(timer);
      await polls.stop();
    },
    status: () => ({ isRunning, ...polls.status() }),
  };
}
