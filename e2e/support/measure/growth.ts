const turns = 7;
/** Linear work grows by four, quadratic work by sixteen. */
export const linearGrowth = 9;

/** The ratio of CPU time for four times the size. The fastest of several turns counts, because of other load. */
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
