import { toMoment } from "./hit-log";
import type { Hit, LogTake, RateLimitStore, WindowTake } from "./rate-limits.store.server";

/** Some 20 MB for a limit at most. Of more clients than that at once, those that came last long ago begin anew. */
const defaultMaxClients = 50_000;

type Window = { startedAtMs: number; points: number };

/** The limits of the database, for the time it cannot be asked: the same rules, in this process alone. */
export function createMemoryLimits({ maxClients = defaultMaxClients }: { maxClients?: number } = {}) {
  const windows = new Map<string, Window>();
  const logs = new Map<string, number[]>();

  /** Back at the end, so that the first is the one that was not heard of for longest. */
  function keep<Value>({ of, key, value }: { of: Map<string, Value>; key: string; value: Value }): void {
    of.delete(key);
    of.set(key, value);
    const [oldest] = of.keys();
    if (of.size > maxClients && oldest !== undefined) of.delete(oldest);
  }

  // A moment beyond the window lies in the future: the clock was set back.
  const isWithin = ({ atMs, hit: { nowMs, windowMs } }: { atMs: number; hit: Hit }) =>
    atMs > nowMs - windowMs && atMs <= nowMs + windowMs;

  async function takeFromWindow(hit: Hit): Promise<WindowTake> {
    const { key, points, nowMs } = hit;
    const known = windows.get(key);
    const open =
      known && isWithin({ atMs: known.startedAtMs, hit }) ? known : { startedAtMs: nowMs, points: 0 };
    const isAdmitted = open.points < points;
    const value = { ...open, points: open.points + (isAdmitted ? 1 : 0) };
    keep({ of: windows, key, value });
    return { isAdmitted, ...value };
  }

  async function takeFromLog(hit: Hit): Promise<LogTake> {
    const { key, points, nowMs } = hit;
    const inWindow = (logs.get(key) ?? []).filter((atMs) => isWithin({ atMs, hit }));
    const isAdmitted = inWindow.length < points;
    const hits = isAdmitted ? [...inWindow, nowMs] : inWindow;
    keep({ of: logs, key, value: hits });
    return { isAdmitted, hits: hits.map(toMoment).join("") };
  }

  return { takeFromWindow, takeFromLog, size: () => windows.size + logs.size } satisfies RateLimitStore & {
    size: () => number;
  };
}
