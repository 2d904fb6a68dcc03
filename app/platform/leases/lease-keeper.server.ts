import type { Log } from "~/platform/log/log.server";
import type { Lease, LeaseHold } from "./lease";
import type { LeaseStore } from "./leases.store.server";

export type LeaseKeeper = ReturnType<typeof createLeaseKeeper>;

type LeaseKeeperOptions = {
  store: Pick<LeaseStore, "acquireOrRenew" | "release">;
  owner: string;
  leaseSeconds: number;
  log: Pick<Log, "info" | "warn">;
};

/** How often a process without the lease tries to acquire it. */
const longestPauseMs = 1_000;
/** After this many failures in a row the lease is released, and left to others for its duration. */
const failuresAllowed = 5;

/** Times are of the monotonic clock. */
type KnownLease = {
  name: string;
  hold: LeaseHold | null;
  untilMs: number;
  failures: number;
  leftUntilMs: number;
  listeners: (() => void)[];
};

const findHold = ({ hold, untilMs }: KnownLease) => (performance.now() < untilMs ? hold : null);
const isLeft = ({ leftUntilMs }: KnownLease) => performance.now() < leftUntilMs;

/**
 * Acquires free leases and renews each three times in its life. Counts from before the request, by the monotonic clock,
 * so that a lease expires here before it expires in the database.
 */
export function createLeaseKeeper({ store, owner, leaseSeconds, log }: LeaseKeeperOptions) {
  const leaseMs = leaseSeconds * 1_000;
  const leases: KnownLease[] = [];
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isStopped = false;
  let isUnavailable = false;

  function noteFailure(lease: KnownLease): void {
    if (findHold(lease) === null) return;
    lease.failures += 1;
    if (lease.failures < failuresAllowed) return;
    log.warn({ lease: lease.name, failures: lease.failures }, "lease released: its work keeps failing");
    lease.leftUntilMs = performance.now() + leaseMs;
    lease.hold = null;
    // After the renewal in flight.
    running = running.then(() => release([lease.name]));
  }

  async function release(released: readonly string[]): Promise<void> {
    await store.release(owner, released).catch((err: unknown) => {
      log.warn({ err }, "leases could not be released; they expire by themselves");
    });
  }

  function noteHold(lease: KnownLease, hold: LeaseHold | null, untilMs: number): void {
    if (hold === null && lease.hold !== null) log.warn({ lease: lease.name }, "lease lost");
    const isNew = hold !== null && lease.hold?.term !== hold.term;
    Object.assign(lease, { hold, untilMs });
    if (!isNew) return;
    lease.failures = 0;
    log.info({ lease: lease.name, term: Number(hold.term) }, "lease acquired");
    for (const listener of lease.listeners) listener();
  }

  async function acquireOrRenew(): Promise<void> {
    const wanted = leases.filter((lease) => !isLeft(lease)).map(({ name }) => name);
    if (wanted.length === 0) return;
    const untilMs = performance.now() + leaseMs;
    try {
      const holds = await store.acquireOrRenew(wanted, owner, leaseMs);
      for (const lease of leases) {
        const hold = holds.find(({ name }) => name === lease.name) ?? null;
        noteHold(lease, isLeft(lease) ? null : hold, untilMs);
      }
      if (isUnavailable) log.info({}, "leases can be renewed again");
      isUnavailable = false;
    } catch (err) {
      // Once per outage. Leases expire by themselves.
      if (!isUnavailable) log.warn({ err }, "leases cannot be renewed: database unavailable");
      isUnavailable = true;
    }
  }

  function scheduleNext(): void {
    if (isStopped) return;
    const hasAll = !isUnavailable && leases.every((lease) => findHold(lease) !== null);
    const pauseMs = hasAll ? leaseMs / 3 : Math.min(leaseMs / 3, longestPauseMs);
    timer = setTimeout(() => (running = running.then(acquireOrRenew).finally(scheduleNext)), pauseMs);
    timer.unref();
  }

  return {
    /** Call it before `start`. */
    add(name: string): Lease {
      const lease: KnownLease = { name, hold: null, untilMs: 0, failures: 0, leftUntilMs: 0, listeners: [] };
      leases.push(lease);
      return {
        findHold: () => findHold(lease),
        onAcquired: (listener) => lease.listeners.push(listener),
        noteSuccess: () => (lease.failures = 0),
        noteFailure: () => noteFailure(lease),
      };
    },
    /** Resolves after the first attempt. Retries while the database is unavailable. */
    start: () => (running = acquireOrRenew().finally(scheduleNext)),
    /** Call it after the work has ended. Releases all leases, so that others take over at once. */
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
      for (const lease of leases) lease.hold = null;
      await release(leases.map(({ name }) => name));
    },
    readHeld: () => Object.fromEntries(leases.map((lease) => [lease.name, findHold(lease) !== null])),
  };
}
