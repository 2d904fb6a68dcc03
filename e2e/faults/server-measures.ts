import { existsSync, readFileSync } from "node:fs";
import type { Figure } from "./scenario";

/** Resident bytes of a process, without a garbage collection. Null if the system doesn't tell. */
export function readResidentBytes(pid: number): number | null {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return null;
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(file, "utf8"))?.[1]) * 1024;
}

/** Log lines that report a defect of the server. */
export function findDefects(output: string): string[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith('{"level":"error"') || line.startsWith('{"level":"fatal"'));
}

/** Omits figures that could not be measured. */
export function measuredOnly(figures: readonly (Omit<Figure, "measured"> & { measured: number | null })[]) {
  return figures.filter((figure): figure is Figure => figure.measured !== null);
}
