import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "./clock";
import type { SweepStore } from "./database/sweep.store.server";

export type Sweeper = {
  start: () => void;
  /** Resolves when no sweep is running any more, so that the database can be closed. */
  stop: () => Promise<void>;
  /** One complete sweep, now. Rejects when the database fails. */
  sweep: () => Promise<void>;
};

export type SweeperOptions = {
  store: SweepStore;
  clock: Clock;
  intervalSeconds: number;
  /** Called when a periodic sweep failed; the next one retries. */
  onFailure: (error: unknown) => void;
  batchSize?: number;
};

/** The longest life an access token can be given, and an hour for clocks that disagree. */
const departureRetentionMs = (86_400 + 3_600) * 1000;

/**
 * A signature that was spent is remembered beyond its time: where the clock ran ahead for a while, its time may come
 * again. Longer than mistakes about zones and summer time.
 */
const spentRetentionMs = 86_400 * 1000;

/** Small enough that no batch holds up the requests of a single-threaded server for long. */
const defaultBatchSize = 500;

/** Deletes what has expired, every `intervalSeconds`. Several processes may do so on one database. */
export function createSweeper({
  store,
  clock,
  intervalSeconds,
  onFailure,
  batchSize = defaultBatchSize,
}: SweeperOptions): Sweeper {
  let timer: NodeJS.Timeout | undefined;
  let isStarted = false;
  let isStopping = false;
  let running: Promise<void> = Promise.resolve();

  async function sweep(): Promise<void> {
    const nowMs = clock();
    const request = {
      nowMs,
      departedBeforeMs: nowMs - departureRetentionMs,
      spentBeforeMs: nowMs - spentRetentionMs,
      batchSize,
    };
    while ((await store.deleteBatch(request)) >= batchSize && !isStopping) {
      // The SQLite driver is synchronous: without this turn, waiting requests would wait for the whole sweep.
      await nextTurn();
    }
  }

  function scheduleNext(): void {
    if (isStopping) return;
    timer = setTimeout(() => {
      running = sweep().catch(onFailure).finally(scheduleNext);
    }, intervalSeconds * 1000);
    // A sweep that is due must not keep a process alive that has nothing else to do.
    timer.unref();
  }

  function start(): void {
    if (isStarted) return;
    isStarted = true;
    scheduleNext();
  }

  async function stop(): Promise<void> {
    isStopping = true;
    clearTimeout(timer);
    await running;
  }

  return { start, stop, sweep };
}
