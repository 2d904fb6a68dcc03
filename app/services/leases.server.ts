import { randomUUID } from "node:crypto";
import os from "node:os";
import type { Config } from "~/platform/config/config.server";
import type { Database } from "~/platform/database/database.server";
import { leaseNames } from "~/platform/leases/lease";
import type { LeaseName } from "~/platform/leases/lease";
import { createLeaseKeeper } from "~/platform/leases/lease-keeper.server";
import type { LeaseKeeper } from "~/platform/leases/lease-keeper.server";
import { createLeaseStore } from "~/platform/leases/leases.store.server";
import type { Log } from "~/platform/log.server";
import type { Metrics } from "~/platform/metrics.server";

export type LeaseServices = {
  keeper: LeaseKeeper;
  /** Asks the database, whose clock decides. */
  mayWork: (name: LeaseName) => Promise<boolean>;
};

/** Who of all the processes on one database watches, sends and sweeps. Nothing is taken before `keeper.start`. */
export function wireLeases({
  config,
  database,
  metrics,
  log,
}: {
  config: Config;
  database: Database;
  metrics: Metrics;
  log: Log;
}): LeaseServices {
  const store = createLeaseStore({ database });
  const keeper = createLeaseKeeper({
    store,
    names: leaseNames,
    // Readable for whoever looks into the table, and never the same for two processes.
    holder: `${os.hostname()}/${process.pid}/${randomUUID()}`,
    leaseSeconds: config.database.leaseSeconds,
    log,
  });
  metrics.watchLeases(keeper.readHeld);
  return {
    keeper,
    mayWork: async (name) => {
      const hold = keeper.of(name).findHold();
      return hold !== null && (await store.isHeld(hold));
    },
  };
}
