import type { Clock } from "~/platform/clock";
import type { Log } from "~/platform/log.server";
import type { QuotaStore } from "./quota.store.server";

export type OrphanSettler = {
  /** Resolves after a first look, which finds what the last run of this process left; then looks periodically. */
  start: () => Promise<void>;
  /** Resolves when no look is running any more, so that the database can be closed. */
  stop: () => Promise<void>;
};

/** Settles reservations whose owners are gone. Several processes may do so on one database. */
export function createOrphanSettler({
  store,
  isGone,
  clock,
  intervalSeconds,
  log,
}: {
  store: Pick<QuotaStore, "settleOrphans" | "listInstances">;
  isGone: (instance: string) => boolean;
  clock: Clock;
  intervalSeconds: number;
  log: Log;
}): OrphanSettler {
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  let running: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    try {
      const goneInstances = (await store.listInstances()).filter(isGone);
      let total = 0;
      for (let settled = -1; settled !== 0 && !isStopping; total += settled) {
        settled = await store.settleOrphans({ nowMs: clock(), goneInstances });
      }
      if (total > 0) log.warn({ reservations: total }, "answers that nobody ended were counted in full");
    } catch (err) {
      log.warn({ err }, "orphaned reservations could not be settled; the next look tries again");
    }
  }

  function scheduleNext(): void {
    if (isStopping) return;
    timer = setTimeout(() => {
      running = look().finally(scheduleNext);
    }, intervalSeconds * 1000);
    timer.unref();
  }

  return {
    start: () => (running = look().finally(scheduleNext)),
    stop: async () => {
      isStopping = true;
      clearTimeout(timer);
      await running;
    },
  };
}
