import { readFileSync } from "node:fs";

/** The kernel counts in hundredths of a second for programs, whatever its own timer does. */
const microsPerTick = 10_000;

/** CPU time of all threads of a process since it began, in user and kernel mode; null where there is no /proc. */
export function findProcessCpuMicros(pid: number): number | null {
  if (process.platform !== "linux") return null;
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field is the program's name in brackets and may hold anything, so fields are counted from behind it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [userTicks, kernelTicks] = [Number(fields[11]), Number(fields[12])];
  return (userTicks + kernelTicks) * microsPerTick;
}
