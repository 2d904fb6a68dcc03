/** Durations, and counts by kind. */
export function createTally() {
  const counts = new Map<string, number>();
  const durations: number[] = [];
  return {
    count(kind: string, amount = 1): void {
      counts.set(kind, (counts.get(kind) ?? 0) + amount);
    },
    /** Records how long the work took, in milliseconds. */
    async time<Result>(work: () => Promise<Result>): Promise<Result> {
      const startedAtMs = performance.now();
      try {
        return await work();
      } finally {
        durations.push(performance.now() - startedAtMs);
      }
    },
    of: (kind: string): number => counts.get(kind) ?? 0,
    total: (): number => [...counts.values()].reduce((sum, count) => sum + count, 0),
    slowestMs: (): number => durations.reduce((slowest, one) => Math.max(slowest, one), 0),
    say: (): string => [...counts].map(([kind, count]) => `${kind} ${count.toLocaleString("en")}`).join(", "),
  };
}
export type Tally = ReturnType<typeof createTally>;

/**
 * Several workers repeat the work until it is over. A failure rejects the returned promise, but stops nothing else
 * until that is awaited.
 */
export function keepBusy(
  workers: number,
  isOver: () => boolean,
  work: (worker: number) => Promise<void>,
): Promise<unknown> {
  const busy = Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      while (!isOver()) await work(worker);
    }),
  );
  busy.catch(() => undefined);
  return busy;
}
