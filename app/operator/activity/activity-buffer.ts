import type { Clock } from "~/platform/clock";

export type BufferedCount = { startMs: number; series: string; amount: number };

export type ActivityBuffer = ReturnType<typeof createActivityBuffer>;

const minuteMs = 60_000;
/** While nothing can be written: an hour of everything there is to count. Beyond that the oldest goes. */
const maxWaiting = 6_000;

/** Counts by minute and series, until somebody takes them. Counting is one look into a map. */
export function createActivityBuffer(clock: Clock) {
  let minuteStartMs = 0;
  let minute = new Map<string, number>();
  let waiting: BufferedCount[] = [];
  let droppedAmount = 0;

  function closeMinute(): void {
    for (const [series, amount] of minute) waiting.push({ startMs: minuteStartMs, series, amount });
    minute = new Map();
    const excess = waiting.length - maxWaiting;
    if (excess > 0) for (const { amount } of waiting.splice(0, excess)) droppedAmount += amount;
  }

  return {
    count({ series, amount = 1 }: { series: string; amount?: number }): void {
      const nowMs = clock();
      if (nowMs < minuteStartMs || nowMs >= minuteStartMs + minuteMs) {
        closeMinute();
        minuteStartMs = nowMs - (nowMs % minuteMs);
      }
      minute.set(series, (minute.get(series) ?? 0) + amount);
    },
    take(): BufferedCount[] {
      closeMinute();
      const taken = waiting;
      waiting = [];
      return taken;
    },
    putBack(counts: readonly BufferedCount[]): void {
      waiting = [...counts, ...waiting];
    },
    size: () => waiting.length + minute.size,
    dropped: () => droppedAmount,
  };
}
