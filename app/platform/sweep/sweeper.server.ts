import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "~/platform/time/clock";
import type { SweepStore } from "./sweep.store.server";

type SweeperOptions = {
  store: SweepStore;
  clock: Clock;
  intervalSeconds: number;
  /** Called when a periodic sweep failed; the next one retries. */
  onFailure: (error: unknown) => void;
  batchSize?: number;
};

/** The longest life of an access token, and an hour for clock differences. */
const departureRetentionMs = (86_400 + 3_600) * 1000;

/**
 * The clock may have run ahead, so that a spent signature becomes valid again. Longer than mistakes about time zones.
 */
const spentRetentionMs = 86_400 * 1000;

/** Small enough not to block requests for long. */
const defaultBatchSize = 500;

/** Several processes may sweep one database. */
export function createSweeper(options: SweeperOptions) {
  const { store, clock, intervalSeconds, onFailure, batchSize = defaultBatchSize } = options;
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  let running: Promise<void> = Promise.resolve();

  /** Rejects if the database fails. */
  async function sweep(): Promise<void> {
    const nowMs = clock();
    const departedBeforeMs = nowMs - departureRetentionMs;
    const spentBeforeMs = nowMs - spentRetentionMs;
    const request = { nowMs, departedBeforeMs, spentBeforeMs, batchSize };
    while ((await store.deleteBatch(request)) >= batchSize && !isStopping) {
      // The SQLite driver is synchronous. Without this turn, requests would wait for the whole sweep.
      await nextTurn();
    }
  }

  function scheduleNext(): void {
    if (isStopping) return;
    const sweepNow = () => (running = sweep().catch(onFailure).finally(scheduleNext));
    // A due sweep must not keep an idle process alive.
    timer = setTimeout(sweepNow, intervalSeconds * 1000).unref();
  }

  return {
    start: scheduleNext,
    /** Resolves when no sweep is running, so that the database can be closed. */
    stop: async () => {
      isStopping = true;
      clearTimeout(timer);
      await running;
    },
    sweep,
  };
}
