import type { Hit } from "./rate-limits.store.server";

type Window = { startedAtMs: number; points: number };

/** About 20 MB for each limit. Beyond it, the least recent client is evicted. */
const defaultMaxClients = 50_000;

type MemoryLimitsOptions = {
  maxClients?: number;
  /** Called for each client that is evicted within its window. */
  onForgotten?: (() => void) | undefined;
};

/** Fixed windows in this process alone, for every limit while its store fails. */
export function createMemoryLimits({
  maxClients = defaultMaxClients,
  onForgotten,
}: MemoryLimitsOptions = {}) {
  const windows = new Map<string, Window>();

  // A window from the future was opened before the clock was set back.
  const isOpen = ({ startedAtMs }: Window, { nowMs, windowMs }: Hit) =>
    startedAtMs > nowMs - windowMs && startedAtMs <= nowMs + windowMs;

  function take(hit: Hit): Window & { isAdmitted: boolean } {
    const { key, points, nowMs } = hit;
    const known = windows.get(key);
    const open = known && isOpen(known, hit) ? known : { startedAtMs: nowMs, points: 0 };
    const isAdmitted = open.points < points;
    const value = { ...open, points: open.points + (isAdmitted ? 1 : 0) };
    // Moves to the end, so that the first is the least recent.
    windows.delete(key);
    windows.set(key, value);
    const [oldest] = windows.size > maxClients ? windows : [];
    if (oldest) {
      windows.delete(oldest[0]);
      if (isOpen(oldest[1], hit)) onForgotten?.();
    }
    return { isAdmitted, ...value };
  }

  return { take, size: () => windows.size };
}
