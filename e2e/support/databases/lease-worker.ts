// One of several server-like processes on one database. It works while it owns the lease, and prints each piece of
// work.
import { writeSync } from "node:fs";
import { once } from "node:events";
import { createChainCursorStore } from "~/gate/transfers/chain-cursor.store.server";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import { createLeaseKeeper } from "~/platform/leases/lease-keeper.server";
import { createLeaseStore } from "~/platform/leases/leases.store.server";

const [url = "", name = "", leaseSeconds = ""] = process.argv.slice(2);
const database = await openDatabase({ url });
const quiet = { info: () => undefined, warn: () => undefined } as never;
const keeper = createLeaseKeeper({
  store: createLeaseStore(database),
  owner: name,
  leaseSeconds: Number(leaseSeconds),
  log: quiet,
});
const lease = keeper.add("watcher");
const cursors = createChainCursorStore(database);
const contract = { chainId: 1, contractAddress: "0x" };
lease.onAcquired(() => writeSync(1, "leads\n"));

/** The hold is taken before a stopped process's pause, and used after it. */
async function work(): Promise<void> {
  const hold = lease.findHold();
  if (hold === null) return;
  await new Promise((resolve) => setTimeout(resolve, 20));
  const site = { blockNumber: hold.term, blockHash: name, blockSeconds: 1n };
  const saved = await cursors.saveCursor(contract, site, hold);
  writeSync(1, saved ? "worked\n" : "refused\n");
}

await keeper.start();
writeSync(1, "started\n");
let isStopping = false;
const stopped = once(process, "SIGTERM").then(() => (isStopping = true));
while (!isStopping) {
  await work();
  await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, 10))]);
}
await keeper.stop();
await closeDatabase(database);
