import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Figure } from "./scenario";

export const megabyte = 1024 * 1024;

/** Files and sockets that a process has open; null where the system does not tell. */
export function countDescriptors(pid: number): number | null {
  const folder = `/proc/${pid}/fd`;
  return existsSync(folder) ? readdirSync(folder).length : null;
}

/** What the system has given a process, in bytes, without waiting for its collector; null where it does not tell. */
export function readResidentBytes(pid: number): number | null {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return null;
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(file, "utf8"))?.[1]) * 1024;
}

/** What a SQLite database takes on the disk, with what waits to be put in its place. */
export function readDatabaseBytes(file: string): number {
  return [file, `${file}-wal`].reduce((sum, name) => sum + (existsSync(name) ? statSync(name).size : 0), 0);
}

/** Lines of a server's log that tell of a defect of its own. */
export function findDefects(output: string): string[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith('{"level":"error"') || line.startsWith('{"level":"fatal"'));
}

/** Omitted where it could not be measured, rather than shown as kept. */
export function measuredOnly(figures: readonly (Omit<Figure, "measured"> & { measured: number | null })[]) {
  return figures.filter((figure): figure is Figure => figure.measured !== null);
}

/** What this process holds after a collection, which it is not started for. */
export async function readHeldBytes(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let round = 0; round < 4; round += 1) {
    collect();
    await delay(20);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
