const turns = 7;
/** Linear work grows by four, quadratic work by sixteen. */
export const linearGrowth = 9;

/** How many times as long four times as much takes, the fastest of several turns each. */
export function growthOf(work: (size: number) => unknown, size: number): number {
  const time = (amount: number) => {
    const startedAt = performance.now();
    work(amount);
    return performance.now() - startedAt;
  };
  const fastest = (amount: number) => Math.min(...Array.from({ length: turns }, () => time(amount)));
  fastest(size);
  return fastest(size * 4) / fastest(size);
}
