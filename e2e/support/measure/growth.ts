const turns = 7;
/** Linear work grows by four, quadratic work by sixteen. */
export const linearGrowth = 9;

/** How many times as long four times as much takes of the processor, which others use too: the fastest of several turns each. */
export function growthOf(work: (size: number) => unknown, size: number): number {
  const time = (amount: number) => {
    const before = process.cpuUsage();
    work(amount);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const fastest = (amount: number) => Math.min(...Array.from({ length: turns }, () => time(amount)));
  fastest(size);
  return fastest(size * 4) / fastest(size);
}
