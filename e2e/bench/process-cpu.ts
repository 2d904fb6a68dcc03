import { readdirSync, readFileSync } from "node:fs";

/** The kernel counts in hundredths of a second for programs, whatever its own timer does. */
const microsPerTick = 10_000;

/** CPU time of all threads of a process since it began, in user and kernel mode; null where there is no /proc. */
export function findProcessCpuMicros(pid: number): number | null {
  if (process.platform !== "linux") return null;
  const { userTicks, kernelTicks } = readStat(pid);
  return (userTicks + kernelTicks) * microsPerTick;
}

/** The same for a process, its children that live, and those that have ended and been waited for. */
export function findFamilyCpuMicros(pid: number): number | null {
  if (process.platform !== "linux") return null;
  const parent = readStat(pid);
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readStat(Number(name));
        return stat.parentPid === pid ? [stat] : [];
      } catch {
        // It ended while the list was read.
        return [];
      }
    });
  const ticks = [parent, ...children].map(({ userTicks, kernelTicks }) => userTicks + kernelTicks);
  return ticks.reduce((total, each) => total + each, parent.endedTicks) * microsPerTick;
}

/**
 * CPU time of the threads that live now, in millionths of a second and not in ticks, for what costs little; null where
 * the kernel does not keep it.
 */
export function findThreadsCpuMicros(pid: number): number | null {
  const threads = readThreads(pid);
  return threads && sum(threads);
}

/**
 * Begins to measure a process; what is given back tells its CPU time since then. Where a thread has ended meanwhile,
 * whose time the kernel keeps in ticks alone, in ticks.
 */
export function meterCpuMicros(pid: number): () => number | null {
  const [threadsBefore, before] = [readThreads(pid), findProcessCpuMicros(pid)];
  return () => {
    const [threads, after] = [readThreads(pid), findProcessCpuMicros(pid)];
    if (threadsBefore && threads && [...threadsBefore.keys()].every((id) => threads.has(id)))
      return sum(threads) - sum(threadsBefore);
    return before === null || after === null ? null : after - before;
  };
}

function readThreads(pid: number): Map<string, number> | null {
  const read = (id: string) =>
    Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8").split(" ")[0]) / 1000;
  try {
    return new Map(readdirSync(`/proc/${pid}/task`).map((id) => [id, read(id)]));
  } catch {
    return null;
  }
}

function sum(threads: Map<string, number>): number {
  return [...threads.values()].reduce((total, each) => total + each, 0);
}

function readStat(pid: number) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field is the program's name in brackets and may hold anything, so fields are counted from behind it.
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const [userTicks = 0, kernelTicks = 0, endedUserTicks = 0, endedKernelTicks = 0] = fields.slice(11);
  return { parentPid: fields[1], userTicks, kernelTicks, endedTicks: endedUserTicks + endedKernelTicks };
}
