import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { waitUntil } from "../processes";
import type { RunningServer } from "../running-server";

/** Node options for a server whose time can be set. Each server needs its own `offsetFile`. */
export function movableClockOptions(offsetFile: string): string[] {
  const program = pathToFileURL(path.resolve("e2e/support/measure/movable-clock-preload.mjs"));
  program.searchParams.set("file", offsetFile);
  return ["--import", program.href];
}

/** Resolves when the server's time differs from the machine's by `offsetMs`. */
export async function setClock({
  server: { pid, output },
  offsetFile,
  offsetMs,
}: {
  server: Pick<RunningServer, "pid" | "output">;
  offsetFile: string;
  offsetMs: number;
}): Promise<void> {
  const countJumps = () => output().split('{"clockOffsetMs":').length;
  const before = countJumps();
  writeFileSync(offsetFile, String(offsetMs));
  process.kill(pid, "SIGUSR2");
  await waitUntil(() => countJumps() > before);
}
