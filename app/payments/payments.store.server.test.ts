import { expect } from "vitest";
import { countOutcomes, openTestDatabase, testOnEachDatabase } from "~/testing/database";
import { waitUntil } from "~/testing/processes";
import { createPaymentStore } from "./payments.store.server";
import type { SignedPayment } from "./payments.store.server";

const payer = "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const lane = { chainId: 1, payer } as const;
const payment: SignedPayment = {
  chainId: 1,
  recipient: "0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
  idempotencyKey: "payment-1",
  payer,
  amountWei: 2n ** 100n,
  rawTransaction: "0x02",
  transactionHash: "0x03",
  nonce: 7,
  addressReservationId: "a",
  dayReservationId: "d",
  createdAtMs: 1_700_000_000_000,
};

testOnEachDatabase(
  "of many at once one has the lane, until it leaves or its lease is over",
  async ({ database, url }) => {
    const other = await openTestDatabase(url);
    const stores = [database, other].map((its) => createPaymentStore({ database: its }));
    const taken = await countOutcomes(20, (index) =>
      stores[index % 2]!.takeLane({ lane, turn: `turn-${index}`, leaseSeconds: 60 }),
    );
    expect(taken).toEqual(
      new Map([
        [true, 1],
        [false, 19],
      ]),
    );
    const take = (turn: string, leaseSeconds = 60) => stores[0]!.takeLane({ lane, turn, leaseSeconds });
    expect(await take("next")).toBe(false);
    await stores[0]!.leaveLane({ turn: "somebody else" });
    expect(await take("next")).toBe(false);
    await database.paymentLane.updateMany({ data: { leaseUntilMs: 0n } });
    expect(await take("next")).toBe(true);
    await stores[0]!.leaveLane({ turn: "next" });
    expect(await take("short", 0.1)).toBe(true);
    await waitUntil(async () => await take("later", 0.1));
    expect(await stores[0]!.takeLane({ lane: { ...lane, chainId: 2 }, turn: "x", leaseSeconds: 60 })).toBe(
      true,
    );
  },
);

testOnEachDatabase(
  "the database's clock decides who has the lane, whatever time it is in the process",
  async ({ database }) => {
    const store = createPaymentStore({ database });
    const take = (turn: string) => store.takeLane({ lane, turn, leaseSeconds: 60 });
    const realNow = Date.now;
    try {
      for (const hours of [1, -1]) {
        Date.now = realNow;
        expect(await take(`right ${hours}`)).toBe(true);
        Date.now = () => realNow() + hours * 3_600_000;
        expect(await take(`wrong ${hours}`)).toBe(false);
        Date.now = realNow;
        await store.leaveLane({ turn: `right ${hours}` });
        Date.now = () => realNow() + hours * 3_600_000;
        expect(await take(`wrong ${hours}`)).toBe(true);
        Date.now = realNow;
        expect(await take(`right ${hours}`)).toBe(false);
        await store.leaveLane({ turn: `wrong ${hours}` });
      }
    } finally {
      Date.now = realNow;
    }
  },
);

testOnEachDatabase(
  "a turn from before the database's clock was set back keeps nobody out",
  async ({ database }) => {
    const store = createPaymentStore({ database });
    await store.takeLane({ lane, turn: "dead", leaseSeconds: 30 });
    const end = (row: { leaseUntilMs: bigint }) => ({ leaseUntilMs: row.leaseUntilMs + 3_600_000n });
    await database.paymentLane.updateMany({ data: end(await database.paymentLane.findFirstOrThrow()) });
    expect(await store.takeLane({ lane, turn: "next", leaseSeconds: 30 })).toBe(true);
    expect(await store.recordSigned({ payment, turn: "dead" })).toBe("lane-lost");
  },
);

testOnEachDatabase(
  "of many records of one payment one is written, and none without the lane",
  async ({ database, url }) => {
    const other = await openTestDatabase(url);
    const stores = [database, other].map((its) => createPaymentStore({ database: its }));
    const store = stores[0]!;
    expect(await store.recordSigned({ payment, turn: "mine" })).toBe("lane-lost");
    expect(await store.findPayment({ ref: payment })).toBeNull();
    await store.takeLane({ lane, turn: "mine", leaseSeconds: 60 });
    const outcomes = await countOutcomes(20, (index) =>
      stores[index % 2]!.recordSigned({
        payment: { ...payment, transactionHash: `0x${index}` },
        turn: index === 19 ? "another" : "mine",
      }),
    );
    expect(outcomes).toEqual(
      new Map([
        ["recorded", 1],
        ["already-there", 18],
        ["lane-lost", 1],
      ]),
    );
    const found = await store.findPayment({ ref: payment });
    expect(found).toEqual({
      ...payment,
      transactionHash: found!.transactionHash,
      state: "signed",
      blockNumber: null,
    });
    expect(await store.findLastNonce(lane)).toBe(7);
    expect(await store.findLastNonce({ ...lane, chainId: 2 })).toBeNull();
  },
);

testOnEachDatabase("a payment is open until it is closed, and closed once", async ({ database }) => {
  const store = createPaymentStore({ database });
  await store.takeLane({ lane, turn: "mine", leaseSeconds: 60 });
  await store.recordSigned({ payment, turn: "mine" });
  expect(await store.listOpen(lane)).toHaveLength(1);
  expect(await store.listOpen({ chainId: 1 })).toHaveLength(1);
  expect(await store.listOpen({ chainId: 2 })).toEqual([]);
  expect(await store.listOpen({ chainId: 1, payer: payment.recipient })).toEqual([]);
  const closed = await countOutcomes(10, () =>
    store.closePayment({ ref: payment, state: "paid", blockNumber: 9n }),
  );
  expect(closed).toEqual(
    new Map([
      [true, 1],
      [false, 9],
    ]),
  );
  expect(await store.closePayment({ ref: payment, state: "failed", blockNumber: null })).toBe(false);
  expect(await store.findPayment({ ref: payment })).toMatchObject({ state: "paid", blockNumber: 9n });
  expect(await store.listOpen({ chainId: 1 })).toEqual([]);
});
