import { expect } from "vitest";
import type { LeaseHold } from "~/platform/leases/lease";
import { createLeaseStore } from "~/platform/leases/leases.store.server";
import { createOutboxStore } from "~/platform/outbox/outbox.store.server";
import { createTestClock, testOnEachDatabase } from "~/testing/database";
import { createChainCursorStore } from "./chain-cursor.store.server";
import { createKeyStore } from "./keys.store.server";

testOnEachDatabase("what is written under a lease that is gone is not written", async ({ database }) => {
  const { clock } = createTestClock();
  const { takeOrRenew, release, isHeld } = createLeaseStore({ database });
  const take = async (holder: string) =>
    (await takeOrRenew({ names: ["watcher"], holder, leaseMs: 60_000 }))[0];
  const cursors = createChainCursorStore({ database, clock });
  const keys = createKeyStore({ database });
  const outbox = createOutboxStore({ database, clock });
  const contract = { chainId: 1, contractAddress: "0xab" };
  await database.notification.create({
    data: {
      ...{ id: "n", kind: "k", payload: "{}", createdAtMs: 1n },
      deliveries: { create: { channel: "webhook", nextAttemptAtMs: 1n } },
    },
  });
  async function work(hold: LeaseHold, step: bigint) {
    const claim = { claimant: String(step), limit: 9, claimSeconds: 9, channels: ["webhook"] as const, hold };
    await keys.recordDeparture({
      ...{ key: { ...contract, tokenId: "1" }, holder: "0xcd", departedAtMs: Number(step), hold },
    });
    return {
      held: await isHeld(hold),
      saved: await cursors.saveCursor({ contract, cursor: { blockNumber: step, blockHash: "0x" }, hold }),
      claimed: (await outbox.claimDueDeliveries(claim)).length,
      at: (await cursors.findCursor(contract))?.blockNumber,
      departedAtMs: Number((await database.keyDeparture.findMany())[0]?.departedAtMs),
    };
  }
  const first = (await take("a"))!;
  expect(await work(first, 1n)).toEqual({ held: true, saved: true, claimed: 1, at: 1n, departedAtMs: 1 });
  await database.notificationDelivery.updateMany({ data: { claimedUntilMs: null } });

  // The holder slept; somebody else took over, and even gave up again.
  await release({ holder: "a" });
  const second = (await take("b"))!;
  const refused = { held: false, saved: false, claimed: 0, at: 1n, departedAtMs: 1 };
  expect(await work(first, 2n)).toEqual(refused);
  await release({ holder: "b" });
  expect(await work(second, 3n)).toEqual(refused);
  const third = (await take("a"))!;
  expect(await work(first, 4n)).toEqual(refused);
  expect(await work(third, 5n)).toEqual({ held: true, saved: true, claimed: 1, at: 5n, departedAtMs: 5 });
});
