import { randomUUID } from "node:crypto";
import os from "node:os";

/** Names this process among all that share a database: where it runs, which process it is, and which start of it. */
export function nameInstance(): string {
  return `${os.hostname()}/${process.pid}/${randomUUID()}`;
}

/**
 * Whether another instance has certainly ended: it ran on this machine, and no such process is left, or its process id
 * is ours by now, as in a container that was started again. Of other machines nothing is known.
 */
export function isInstanceGone({ instance, self }: { instance: string; self: string }): boolean {
  const [, host, pidText] = /^(.+)\/(\d+)\/[^/]+$/.exec(instance) ?? [];
  if (instance === self || host !== os.hostname()) return false;
  const pid = Number(pidText);
  return pid === process.pid || !isProcessAlive(pid);
}

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user may not be asked, but is there.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
