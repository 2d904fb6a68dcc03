import type { Log } from "~/platform/log.server";
import type { Lease, LeaseHold, LeaseName } from "./lease";
import type { LeaseStore } from "./leases.store.server";

export type LeaseKeeper = {
  of: (name: LeaseName) => Lease;
  /** Resolves after the first look; a database that is away is asked again later. */
  start: () => Promise<void>;
  /** To be called when the work has ended: what is held is given back, so that others go on at once. */
  stop: () => Promise<void>;
  readHeld: () => Record<string, boolean>;
};

export type LeaseKeeperOptions = {
  store: Pick<LeaseStore, "takeOrRenew" | "release">;
  names: readonly LeaseName[];
  /** Unique for each start of a process. */
  holder: string;
  leaseSeconds: number;
  log: Pick<Log, "info" | "warn">;
};

/** How often a process that lacks a lease looks whether it is free. */
const longestLookMs = 1_000;

type Held = LeaseHold & { untilMs: number };

/**
 * Takes leases that are free and renews them three times in their life. Whether a lease is still this process's own is
 * judged by the monotonic clock from before it was asked for, so it ends here before it ends in the database.
 */
export function createLeaseKeeper({
  store,
  names,
  holder,
  leaseSeconds,
  log,
}: LeaseKeeperOptions): LeaseKeeper {
  const leaseMs = leaseSeconds * 1_000;
  const held = new Map<LeaseName, Held>();
  const gainListeners = new Map<LeaseName, (() => void)[]>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let state: "new" | "running" | "stopped" = "new";
  let isAway = false;

  function findHold(name: LeaseName): LeaseHold | null {
    const hold = held.get(name);
    return hold !== undefined && performance.now() < hold.untilMs ? hold : null;
  }

  function note({ hold, untilMs }: { hold: LeaseHold; untilMs: number }): void {
    const isNew = held.get(hold.name)?.term !== hold.term;
    held.set(hold.name, { ...hold, untilMs });
    if (!isNew) return;
    log.info({ lease: hold.name, term: Number(hold.term) }, "this process does this work from now on");
    for (const listener of gainListeners.get(hold.name) ?? []) listener();
  }

  async function look(): Promise<void> {
    const untilMs = performance.now() + leaseMs;
    try {
      const holds = await store.takeOrRenew({ names, holder, leaseMs });
      for (const name of held.keys()) {
        if (holds.some((hold) => hold.name === name) || !held.delete(name)) continue;
        log.warn({ lease: name }, "another process does this work now");
      }
      for (const hold of holds) note({ hold, untilMs });
      if (isAway) log.info({}, "leases are kept again");
      isAway = false;
    } catch (err) {
      // Once per outage; what is held lapses by itself.
      if (!isAway) log.warn({ err }, "leases cannot be renewed: the database cannot be asked");
      isAway = true;
    }
  }

  function scheduleNext(): void {
    if (state === "stopped") return;
    const hasAll = !isAway && names.every((name) => findHold(name) !== null);
    timer = setTimeout(
      () => {
        running = look().finally(scheduleNext);
      },
      hasAll ? leaseMs / 3 : Math.min(leaseMs / 3, longestLookMs),
    );
    timer.unref();
  }

  return {
    of: (name) => ({
      findHold: () => findHold(name),
      onGain: (listener) => gainListeners.set(name, [...(gainListeners.get(name) ?? []), listener]),
    }),
    start: () => {
      state = "running";
      return (running = look().finally(scheduleNext));
    },
    stop: async () => {
      state = "stopped";
      clearTimeout(timer);
      await running;
      held.clear();
      await store.release({ holder }).catch((err: unknown) => {
        log.warn({ err }, "leases could not be given back; they lapse by themselves");
      });
    },
    readHeld: () => Object.fromEntries(names.map((name) => [name, findHold(name) !== null])),
  };
}
