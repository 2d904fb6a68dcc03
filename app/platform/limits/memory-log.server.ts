import { toMoment } from "./hit-log";
import type { Hit, LogTake } from "./rate-limits.store.server";

/** Beyond so many clients those are looked for who have not come for a whole window. */
const sweepAboveClients = 1000;

/** The sliding log of the database, for the time it cannot be asked: the same rule, in this process alone. */
export function createMemoryLog() {
  const logs = new Map<string, number[]>();

  function forgetLapsed({ nowMs, windowMs }: Hit): void {
    for (const [key, hits] of logs) if ((hits.at(-1) ?? 0) <= nowMs - windowMs) logs.delete(key);
  }

  return function takeFromLog(hit: Hit): LogTake {
    const { key, points, windowMs, nowMs } = hit;
    if (logs.size > sweepAboveClients) forgetLapsed(hit);
    const known = logs.get(key) ?? [];
    // A moment beyond the window lies in the future: the clock was set back.
    const inWindow = known.filter((atMs) => atMs > nowMs - windowMs && atMs <= nowMs + windowMs);
    const isAdmitted = inWindow.length < points;
    const hits = isAdmitted ? [...inWindow, nowMs] : inWindow;
    logs.set(key, hits);
    return { isAdmitted, hits: hits.map(toMoment).join("") };
  };
}
