import type { Clock } from "~/platform/clock";
import { createTransferReader } from "./transfer-reader.server";
import type { TransferReaderOptions } from "./transfer-reader.server";

const maxBackoffSeconds = 60;
const minDelayMs = 20;

export type TransferWatcherOptions = TransferReaderOptions & { pollSeconds: number; clock: Clock };
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

/** Polls the key contract's transfers and reports every key that left a wallet. Outlives outages. */
export function createTransferWatcher({
  pollSeconds,
  clock,
  ...options
}: TransferWatcherOptions): TransferWatcher {
  const { log } = options;
  const reader = createTransferReader(options);
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> | null = null;
  let isRunning = false;
  let lastSuccessAtMs: number | null = null;
  let consecutiveFailures = 0;

  async function poll(): Promise<void> {
    try {
      await reader.readOn();
    } catch (error) {
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

  function delayMs(): number {
    let seconds = pollSeconds;
    if (consecutiveFailures > 1) {
      seconds = Math.max(seconds, Math.min(seconds * 2 ** (consecutiveFailures - 1), maxBackoffSeconds));
    } else if (consecutiveFailures === 0 && reader.blocksBehind() > 0n) {
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
      reader.interrupt();
      await underWay?.catch(() => {});
    },
    status: () => ({
      isRunning,
      blockNumber: reader.blockNumber(),
      blocksBehind: reader.blocksBehind(),
      lastSuccessAtMs,
      consecutiveFailures,
    }),
  };
}
