import type { Log } from "~/platform/log/log.server";
import { createLog } from "~/platform/log/log.server";

export type LogLines = {
  log: Log;
  /** One JSON text a line. */
  lines: string[];
  /** The same, parsed. */
  entries(): Record<string, unknown>[];
};

/** The real log, written to memory. */
export function createLogLines(): LogLines {
  const lines: string[] = [];
  const log = createLog("trace", { write: (line) => void lines.push(line) });
  return { log, lines, entries: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}
