import { expect } from "vitest";
import type { LeaseHold } from "~/platform/leases/lease";
import { createLeaseStore } from "~/platform/leases/leases.store.server";
import { testOnEachDatabase } from "~e2e/support/databases/database";
import { createChainCursorStore } from "./chain-cursor.store.server";
import { createKeyStore } from "../ownership/keys.store.server";

testOnEachDatabase("a write under a lost lease is dropped", async ({ database }) => {
  const { acquireOrRenew, release } = createLeaseStore(database);
  const take = async (owner: string) => (await acquireOrRenew(["watcher"], owner, 60_000))[0];
  const cursors = createChainCursorStore(database);
  const keys = createKeyStore(database);
  const contract = { chainId: 1, contractAddress: "0xab" };
  async function work(hold: LeaseHold, step: bigint) {
    const departures = [{ tokenId: "1", holder: "0xcd" }];
    await keys.recordDepartures({ ...contract, departures, departedAtMs: Number(step) * 1_000, hold });
    return {
      saved: await cursors.saveCursor(
        contract,
        { blockNumber: step, blockHash: "0x", blockSeconds: 1n },
        hold,
      ),
      at: (await cursors.findCursor(contract))?.blockNumber,
      departedAtMs: Number((await database.keyDeparture.findMany())[0]?.departedAtMs) / 1_000,
    };
  }
  const first = (await take("a"))!;
  expect(await work(first, 1n)).toEqual({ saved: true, at: 1n, departedAtMs: 1 });

  // The owner was paused; another process took over, and even released the lease again.
  await release("a", ["watcher"]);
  const second = (await take("b"))!;
  const refused = { saved: false, at: 1n, departedAtMs: 1 };
  expect(await work(first, 2n)).toEqual(refused);
  await release("b", ["watcher"]);
  expect(await work(second, 3n)).toEqual(refused);
  const third = (await take("a"))!;
  expect(await work(first, 4n)).toEqual(refused);
  expect(await work(third, 5n)).toEqual({ saved: true, at: 5n, departedAtMs: 5 });
});
