import { waitUntil } from "../processes";
import type { RunningServer } from "../running-server";

/** What a server has to be started with, so that it can be asked. */
export const memoryReportOptions = [
  "--expose-gc",
  "--import",
  new URL("memory-reporter.mjs", import.meta.url).href,
];

export type MemoryReport = { memoryReport: number; heldBytes: number; rss: number };

/** What the server's process holds after a collection, and what the system has given it, both in bytes. */
export async function readMemory({
  pid,
  output,
}: Pick<RunningServer, "pid" | "output">): Promise<MemoryReport> {
  const findReports = () =>
    output()
      .split("\n")
      .filter((line) => line.startsWith('{"memoryReport"') && line.endsWith("}"));
  const before = findReports().length;
  process.kill(pid, "SIGUSR2");
  await waitUntil(() => findReports().length > before, { timeoutMs: 20_000, everyMs: 50 });
  return JSON.parse(findReports()[before]!) as MemoryReport;
}
