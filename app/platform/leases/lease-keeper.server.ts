import type { Log } from "~/platform/log.server";
import type { Lease, LeaseHold, LeaseName } from "./lease";
import type { LeaseStore } from "./leases.store.server";

export type LeaseKeeper = {
  of: (name: LeaseName) => Lease;
  /** Resolves after the first attempt; while the database is unavailable, it retries. */
  start: () => Promise<void>;
  /** To be called when the work has ended: releases what is held, so that others go on at once. */
  stop: () => Promise<void>;
  readHeld: () => Record<string, boolean>;
};

export type LeaseKeeperOptions = {
  store: Pick<LeaseStore, "acquireOrRenew" | "release">;
  names: readonly LeaseName[];
  /** The id of this process. */
  owner: string;
  leaseSeconds: number;
  log: Pick<Log, "info" | "warn">;
};

/** How often a process that lacks a lease tries to acquire it. */
const longestPauseMs = 1_000;
/** Failures in a row after which a lease is released. It is left to others for as long as a lease lasts. */
const failuresAllowed = 5;

type Held = LeaseHold & { untilMs: number };

/**
 * Acquires leases that are free and renews them three times in their life. Whether a lease is still held is judged by the
 * monotonic clock from before the request, so that it expires here before it expires in the database.
 */
export function createLeaseKeeper({
  store,
  names,
  owner,
  leaseSeconds,
  log,
}: LeaseKeeperOptions): LeaseKeeper {
  const leaseMs = leaseSeconds * 1_000;
  const held = new Map<LeaseName, Held>();
  const failures = new Map<LeaseName, number>();
  const leftUntilMs = new Map<LeaseName, number>();
  const acquiredListeners = new Map<LeaseName, (() => void)[]>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let state: "new" | "running" | "stopped" = "new";
  let isUnavailable = false;

  function findHold(name: LeaseName): LeaseHold | null {
    const hold = held.get(name);
    return hold !== undefined && performance.now() < hold.untilMs ? hold : null;
  }

  const isLeft = (name: LeaseName) => performance.now() < (leftUntilMs.get(name) ?? -Infinity);

  function noteFailure(name: LeaseName): void {
    if (findHold(name) === null) return;
    const count = (failures.get(name) ?? 0) + 1;
    failures.set(name, count);
    if (count >= failuresAllowed) giveUp(name);
  }

  function giveUp(name: LeaseName): void {
    log.warn({ lease: name, failures: failures.get(name) }, "lease released: its work keeps failing");
    leftUntilMs.set(name, performance.now() + leaseMs);
    held.delete(name);
    // After the renewal that is in flight.
    running = running.then(() => release([name]));
  }

  async function release(released: readonly LeaseName[]): Promise<void> {
    await store.release(owner, released).catch((err: unknown) => {
      log.warn({ err }, "leases could not be released; they expire by themselves");
    });
  }

  function note(hold: LeaseHold, untilMs: number): void {
    const isNew = held.get(hold.name)?.term !== hold.term;
    held.set(hold.name, { ...hold, untilMs });
    if (!isNew) return;
    failures.delete(hold.name);
    log.info({ lease: hold.name, term: Number(hold.term) }, "lease acquired");
    for (const listener of acquiredListeners.get(hold.name) ?? []) listener();
  }

  async function acquireOrRenew(): Promise<void> {
    const wanted = names.filter((name) => !isLeft(name));
    if (wanted.length === 0) return;
    const untilMs = performance.now() + leaseMs;
    try {
      const taken = await store.acquireOrRenew(wanted, owner, leaseMs);
      const holds = taken.filter(({ name }) => !isLeft(name));
      for (const name of held.keys()) {
        if (holds.some((hold) => hold.name === name) || !held.delete(name)) continue;
        log.warn({ lease: name }, "lease lost");
      }
      for (const hold of holds) note(hold, untilMs);
      if (isUnavailable) log.info({}, "leases can be renewed again");
      isUnavailable = false;
    } catch (err) {
      // Once per outage; what is held expires by itself.
      if (!isUnavailable) log.warn({ err }, "leases cannot be renewed: database unavailable");
      isUnavailable = true;
    }
  }

  function scheduleNext(): void {
    if (state === "stopped") return;
    const hasAll = !isUnavailable && names.every((name) => findHold(name) !== null);
    timer = setTimeout(
      () => {
        running = running.then(acquireOrRenew).finally(scheduleNext);
      },
      hasAll ? leaseMs / 3 : Math.min(leaseMs / 3, longestPauseMs),
    );
    timer.unref();
  }

  return {
    of: (name) => ({
      findHold: () => findHold(name),
      onAcquired: (listener) =>
        acquiredListeners.set(name, [...(acquiredListeners.get(name) ?? []), listener]),
      noteSuccess: () => failures.delete(name),
      noteFailure: () => noteFailure(name),
    }),
    start: () => {
      state = "running";
      return (running = acquireOrRenew().finally(scheduleNext));
    },
    stop: async () => {
      state = "stopped";
      clearTimeout(timer);
      await running;
      held.clear();
      await release(names);
    },
    readHeld: () => Object.fromEntries(names.map((name) => [name, findHold(name) !== null])),
  };
}
