import type { Log } from "~/platform/log.server";
import type { Lease, LeaseHold, LeaseName } from "./lease";
import type { LeaseStore } from "./leases.store.server";

export type LeaseKeeper = ReturnType<typeof createLeaseKeeper>;

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

/** What this process knows of one lease; moments are of the monotonic clock. */
type KnownLease = {
  hold: LeaseHold | null;
  untilMs: number;
  failures: number;
  leftUntilMs: number;
  listeners: (() => void)[];
};

const unknown = (): KnownLease => ({ hold: null, untilMs: 0, failures: 0, leftUntilMs: 0, listeners: [] });

/**
 * Acquires leases that are free and renews them three times in their life. Whether a lease is still held is judged by the
 * monotonic clock from before the request, so that it expires here before it expires in the database.
 */
export function createLeaseKeeper({ store, names, owner, leaseSeconds, log }: LeaseKeeperOptions) {
  const leaseMs = leaseSeconds * 1_000;
  const leases: Record<LeaseName, KnownLease> = { payments: unknown(), watcher: unknown() };
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isStopped = false;
  let isUnavailable = false;

  function findHold(name: LeaseName): LeaseHold | null {
    const { hold, untilMs } = leases[name];
    return performance.now() < untilMs ? hold : null;
  }

  const isLeft = (name: LeaseName) => performance.now() < leases[name].leftUntilMs;

  function noteFailure(name: LeaseName): void {
    if (findHold(name) === null) return;
    const lease = leases[name];
    lease.failures += 1;
    if (lease.failures < failuresAllowed) return;
    log.warn({ lease: name, failures: lease.failures }, "lease released: its work keeps failing");
    lease.leftUntilMs = performance.now() + leaseMs;
    lease.hold = null;
    // After the renewal that is in flight.
    running = running.then(() => release([name]));
  }

  async function release(released: readonly LeaseName[]): Promise<void> {
    await store.release(owner, released).catch((err: unknown) => {
      log.warn({ err }, "leases could not be released; they expire by themselves");
    });
  }

  function noteHold(name: LeaseName, hold: LeaseHold | null, untilMs: number): void {
    const lease = leases[name];
    if (hold === null && lease.hold !== null) log.warn({ lease: name }, "lease lost");
    const isNew = hold !== null && lease.hold?.term !== hold.term;
    Object.assign(lease, { hold, untilMs });
    if (!isNew) return;
    lease.failures = 0;
    log.info({ lease: name, term: Number(hold.term) }, "lease acquired");
    for (const listener of lease.listeners) listener();
  }

  async function acquireOrRenew(): Promise<void> {
    const wanted = names.filter((name) => !isLeft(name));
    if (wanted.length === 0) return;
    const untilMs = performance.now() + leaseMs;
    try {
      const holds = await store.acquireOrRenew(wanted, owner, leaseMs);
      for (const name of names) {
        const hold = holds.find((held) => held.name === name) ?? null;
        noteHold(name, isLeft(name) ? null : hold, untilMs);
      }
      if (isUnavailable) log.info({}, "leases can be renewed again");
      isUnavailable = false;
    } catch (err) {
      // Once per outage; what is held expires by itself.
      if (!isUnavailable) log.warn({ err }, "leases cannot be renewed: database unavailable");
      isUnavailable = true;
    }
  }

  function scheduleNext(): void {
    if (isStopped) return;
    const hasAll = !isUnavailable && names.every((name) => findHold(name) !== null);
    const pauseMs = hasAll ? leaseMs / 3 : Math.min(leaseMs / 3, longestPauseMs);
    timer = setTimeout(() => (running = running.then(acquireOrRenew).finally(scheduleNext)), pauseMs);
    timer.unref();
  }

  return {
    of: (name: LeaseName): Lease => ({
      findHold: () => findHold(name),
      onAcquired: (listener) => leases[name].listeners.push(listener),
      noteSuccess: () => (leases[name].failures = 0),
      noteFailure: () => noteFailure(name),
    }),
    /** Resolves after the first attempt; while the database is unavailable, it retries. */
    start: () => (running = acquireOrRenew().finally(scheduleNext)),
    /** To be called when the work has ended: releases what is held, so that others go on at once. */
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
      for (const lease of Object.values(leases)) lease.hold = null;
      await release(names);
    },
    readHeld: () => Object.fromEntries(names.map((name) => [name, findHold(name) !== null])),
  };
}
