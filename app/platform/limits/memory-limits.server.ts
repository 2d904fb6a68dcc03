import { toMoment } from "./hit-log";
import type { Hit, LogTake } from "./rate-limits.store.server";

type WindowTake = { isAdmitted: boolean; startedAtMs: number; points: number };
export type MemoryLimits = ReturnType<typeof createMemoryLimits>;

/** For each limit: some 20 MB for clients and 16 MB for the times of a sliding one. Beyond, the least recent client is evicted. */
const defaultMaxClients = 50_000;
const defaultMaxMoments = 2_000_000;

type Window = { startedAtMs: number; points: number };

export type MemoryLimitsOptions = {
  maxClients?: number;
  maxMoments?: number;
  /** For each client that is forgotten within its window: that takes requests in the name of `maxClients` others. */
  onForgotten?: () => void;
};

/** Fixed windows and logs in this process alone, for while the store fails. */
export function createMemoryLimits({
  maxClients = defaultMaxClients,
  maxMoments = defaultMaxMoments,
  onForgotten = () => {},
}: MemoryLimitsOptions = {}) {
  const windows = new Map<string, Window>();
  const logs = new Map<string, number[]>();
  let moments = 0;

  // A moment beyond the window lies in the future: the clock was set back.
  const isWithin = (atMs: number, { nowMs, windowMs }: Hit) =>
    atMs > nowMs - windowMs && atMs <= nowMs + windowMs;

  async function takeFromWindow(hit: Hit): Promise<WindowTake> {
    const { key, points, nowMs } = hit;
    const known = windows.get(key);
    const open = known && isWithin(known.startedAtMs, hit) ? known : { startedAtMs: nowMs, points: 0 };
    const isAdmitted = open.points < points;
    const value = { ...open, points: open.points + (isAdmitted ? 1 : 0) };
    putLast(windows, key, value);
    if (windows.size > maxClients) {
      const forgotten = takeFirst(windows);
      if (forgotten && isWithin(forgotten.startedAtMs, hit)) onForgotten();
    }
    return { isAdmitted, ...value };
  }

  async function takeFromLog(hit: Hit): Promise<LogTake> {
    const { key, points, nowMs } = hit;
    const known = logs.get(key) ?? [];
    const inWindow = known.filter((atMs) => isWithin(atMs, hit));
    const isAdmitted = inWindow.length < points;
    const hits = isAdmitted ? [...inWindow, nowMs] : inWindow;
    putLast(logs, key, hits);
    moments += hits.length - known.length;
    while (logs.size > maxClients || (moments > maxMoments && logs.size > 1)) {
      const forgotten = takeFirst(logs) ?? [];
      moments -= forgotten.length;
      if (forgotten.some((atMs) => isWithin(atMs, hit))) onForgotten();
    }
    return { isAdmitted, hits: hits.map(toMoment).join("") };
  }

  return { takeFromWindow, takeFromLog, size: () => windows.size + logs.size, moments: () => moments };
}

/** At the end, so that the first is the one that came longest ago. */
function putLast<Value>(of: Map<string, Value>, key: string, value: Value): void {
  of.delete(key);
  of.set(key, value);
}

function takeFirst<Value>(of: Map<string, Value>): Value | undefined {
  const [first] = of;
  if (first === undefined) return undefined;
  of.delete(first[0]);
  return first[1];
}
