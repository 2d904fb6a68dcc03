import { performance } from "node:perf_hooks";
import { setImmediate as letOthersRun, setTimeout as delay } from "node:timers/promises";
import Sqlite from "libsql";

/**
 * The driver waits inside a synchronous call, and the whole process with it. So it waits only as long as a short
 * write takes; the rest of the time is waited here, where requests that need no database go on.
 */
export const blockingWaitMs = 5;
const longestPauseMs = 20;

export const sqliteBusy = 5;
const primaryCodeMask = 0xff;

/** `taken`: by a transaction, or by whoever waits for another process's lock, which was met first and last at these times. */
export type Queue = {
  taken: Promise<void> | null;
  metAt: number;
  lastAt: number;
  readonly busyTimeoutMs: number;
};

export const createQueue = (busyTimeoutMs: number): Queue => ({
  taken: null,
  metAt: 0,
  lastAt: -Infinity,
  busyTimeoutMs,
});

/** Returns how to give the turn back. Those who wait go on in microtasks, in the order in which they came. */
export function takeTurn(queue: Queue): () => void {
  let letOthersOn = () => {};
  queue.taken = new Promise((resolve) => (letOthersOn = resolve));
  return () => {
    queue.taken = null;
    letOthersOn();
  };
}

/**
 * Waits for its turn, and retries while another process holds the lock: what was refused for a lock has changed nothing. How
 * long is counted for all together: statements queue for the connection, and would else each wait in full after those before them.
 */
export async function whenNotBusy<T>(queue: Queue, attempt: () => T, kind?: "read"): Promise<T> {
  for (;;) {
    while (queue.taken !== null) await queue.taken;
    try {
      const result = attempt();
      if (kind !== "read") queue.lastAt = -Infinity;
      return result;
    } catch (error) {
      if (!isBusy(error)) throw error;
      const now = performance.now();
      // A lock seen that long ago was another one.
      if (now - queue.lastAt > queue.busyTimeoutMs) queue.metAt = now;
      queue.lastAt = now;
      const isOver = now >= queue.metAt + queue.busyTimeoutMs;
      const giveBack = takeTurn(queue);
      // Where all give up, each has held the loop for as long as the driver waits: others run between them.
      await (isOver ? letOthersRun() : delay(Math.random() * longestPauseMs));
      giveBack();
      if (isOver) throw error;
    }
  }
}

function isBusy(error: unknown): boolean {
  return primaryCodeOf(error) === sqliteBusy;
}

export function primaryCodeOf(error: unknown): number | null {
  if (!(error instanceof Sqlite.SqliteError) || error.rawCode === undefined) return null;
  return error.rawCode & primaryCodeMask;
}
