import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** Waits for an event outside this process. Fails if it does not come. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  { timeoutMs = 10_000, everyMs = 20 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not so within ${timeoutMs} ms: ${condition.toString()}`);
    await delay(everyMs);
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** This process's running children. Linux only. */
export function listChildren(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return children.trim().split(" ").filter(Boolean).map(Number);
}
