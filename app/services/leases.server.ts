import { createLeaseKeeper } from "~/platform/leases/lease-keeper.server";
import type { LeaseKeeper } from "~/platform/leases/lease-keeper.server";
import { createLeaseStore } from "~/platform/leases/leases.store.server";
import type { Foundation } from "./foundation.server";

/** Features add the leases of their work; none is acquired before `start`. */
export function wireLeases({ config, database, instance, metrics, log }: Foundation): LeaseKeeper {
  const keeper = createLeaseKeeper({
    store: createLeaseStore(database),
    owner: instance,
    leaseSeconds: config.database.leaseSeconds,
    log,
  });
  metrics.observeLeases(keeper.readHeld);
  return keeper;
}
