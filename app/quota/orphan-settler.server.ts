import type { Clock } from "~/platform/time/clock";
import type { Log } from "~/platform/log/log.server";
import type { FindUsages, QuotaStore } from "./quota.store.server";

type OrphanSettlerOptions = {
  store: Pick<
    QuotaStore,
    "settleOrphans" | "sendHeartbeat" | "leave" | "listGoneInstances" | "forgetInstances"
  >;
  clock: Clock;
  /** A process without a heartbeat within it is gone. Each sends one and checks three times in that time. */
  heartbeatTimeoutSeconds: number;
  /** The id of this process. */
  instance: string;
  findUsages?: FindUsages;
  log: Log;
};

/** Settles reservations of dead processes. Several processes may do so on one database. */
export function createOrphanSettler(options: OrphanSettlerOptions) {
  const { store, clock, heartbeatTimeoutSeconds, instance, findUsages, log } = options;
  const timeoutMs = heartbeatTimeoutSeconds * 1000;
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  /** Whether the previous heartbeat succeeded. */
  let hasRenewed = false;
  let running: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    try {
      const couldRenew = hasRenewed;
      hasRenewed = false;
      const wasAlive = await store.sendHeartbeat({ timeoutMs });
      hasRenewed = true;
      // After an outage of the store, others get one turn to send their heartbeats.
      const goneInstances = wasAlive && couldRenew ? await store.listGoneInstances() : [];
      await settleAll(goneInstances, () => isStopping);
      if (!isStopping) await store.forgetInstances(goneInstances);
    } catch (err) {
      log.warn({ err }, "orphaned reservations could not be settled; retrying");
    }
  }

  async function settleAll(goneInstances: readonly string[], isInterrupted: () => boolean): Promise<void> {
    let total = 0;
    for (let settled = -1; settled !== 0 && !isInterrupted(); total += settled) {
      settled = await store.settleOrphans({ nowMs: clock(), goneInstances, findUsages });
    }
    if (total > 0) log.warn({ reservations: total }, "orphaned reservations settled");
  }

  /** Settles what failed while the store was down, instead of leaving it to another process. */
  async function leave(): Promise<void> {
    try {
      await settleAll([instance], () => false);
      await store.leave();
    } catch (err) {
      log.warn({ err }, "reservations could not be settled at shutdown");
    }
  }

  function scheduleNext(): void {
    if (isStopping) return;
    timer = setTimeout(() => (running = look().finally(scheduleNext)), timeoutMs / 3).unref();
  }

  return {
    /** Resolves after a first look, which settles expired reservations. Later looks detect dead processes. */
    start: () => (running = look().finally(scheduleNext)),
    /** Resolves when no look is running, so that the database can be closed. */
    stop: async () => {
      isStopping = true;
      clearTimeout(timer);
      await running;
      await leave();
    },
  };
}
