import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "~/platform/time/clock";
import type { SweepStore } from "./sweep.store.server";

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
 * A spent signature is kept beyond its time: where the clock ran ahead for a while, its time may come
 * again. Longer than mistakes about zones and summer time.
 */
const spentRetentionMs = 86_400 * 1000;

/** Small enough that no batch holds up the requests of a single-threaded server for long. */
const defaultBatchSize = 500;

/** Deletes what has expired, every `intervalSeconds`. Several processes may do so on one database. */
export function createSweeper(options: SweeperOptions) {
  const { store, clock, intervalSeconds, onFailure, batchSize = defaultBatchSize } = options;
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  let running: Promise<void> = Promise.resolve();

  /** One complete sweep, now. Rejects when the database fails. */
  async function sweep(): Promise<void> {
    const nowMs = clock();
    const departedBeforeMs = nowMs - departureRetentionMs;
    const spentBeforeMs = nowMs - spentRetentionMs;
    const request = { nowMs, departedBeforeMs, spentBeforeMs, batchSize };
    while ((await store.deleteBatch(request)) >= batchSize && !isStopping) {
      // The SQLite driver is synchronous: without this turn, waiting requests would wait for the whole sweep.
      await nextTurn();
    }
  }

  function scheduleNext(): void {
    if (isStopping) return;
    const sweepNow = () => (running = sweep().catch(onFailure).finally(scheduleNext));
    // A sweep that is due must not keep a process alive that has nothing else to do.
    timer = setTimeout(sweepNow, intervalSeconds * 1000).unref();
  }

  return {
    start: scheduleNext,
    /** Resolves when no sweep is running any more, so that the database can be closed. */
    stop: async () => {
      isStopping = true;
      clearTimeout(timer);
      await running;
    },
    sweep,
  };
}
