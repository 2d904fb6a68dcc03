import { leaseNames } from "~/platform/leases/lease";
import { createLeaseKeeper } from "~/platform/leases/lease-keeper.server";
import type { LeaseKeeper } from "~/platform/leases/lease-keeper.server";
import { createLeaseStore } from "~/platform/leases/leases.store.server";
import type { Foundation } from "./foundation.server";

/** Acquires nothing before `start`. */
export function wireLeases({ config, database, instance, metrics, log }: Foundation): LeaseKeeper {
  const keeper = createLeaseKeeper({
    store: createLeaseStore(database),
    // A process that cannot pay must not keep the work from one that can.
    names: leaseNames.filter((name) => name !== "payments" || config.payments !== null),
    owner: instance,
    leaseSeconds: config.database.leaseSeconds,
    log,
  });
  metrics.observeLeases(keeper.readHeld);
  return keeper;
}
