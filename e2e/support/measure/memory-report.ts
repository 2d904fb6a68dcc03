import { waitUntil } from "../processes";
import type { RunningServer } from "../running-server";

/** Node options for a server whose memory can be read. */
export const memoryReportOptions = [
  "--expose-gc",
  "--import",
  new URL("memory-reporter.mjs", import.meta.url).href,
];

export type MemoryReport = { memoryReport: number; heldBytes: number; rss: number };

/** The server's heap after a collection, and its resident memory, both in bytes. */
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
