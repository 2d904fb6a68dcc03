import { expect } from "vitest";
import { createOutboxStore } from "~/platform/outbox/outbox.store.server";
import { countOutcomes, openTestDatabase, testOnEachDatabase } from "~e2e/support/databases/database";
import { waitUntil } from "~e2e/support/processes";
import { clearPaymentSums, createPaymentStore } from "./payments.store.server";
import type { SignedPayment } from "./payments.store.server";

const payer = "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const wallet = { chainId: 1, payer } as const;
const payment: SignedPayment = {
  chainId: 1,
  recipient: "0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
  idempotencyKey: "payment-1",
  payer,
  amountWei: 2n ** 100n,
  rawTransaction: "0x02",
  transactionHash: "0x03",
  nonce: 7,
  maxCost: 5,
  signedAtBlock: 3n,
  createdAtMs: 1_700_000_000_000,
};
const wide = { limit: 1_000, sinceMs: 0 };
const bounds = { address: wide, total: wide };
const nothingKnown = { state: "signed", blockNumber: null, blockHash: null, finalAtMs: null, toldAtMs: null };

testOnEachDatabase(
  "one of many processes has the turn, until it releases it or the turn expires",
  async ({ database, url }) => {
    const other = await openTestDatabase(url);
    const stores = [database, other].map((its) => createPaymentStore(its));
    const taken = await countOutcomes(20, (index) =>
      stores[index % 2]!.acquireTurn(wallet, `turn-${index}`, 60),
    );
    expect(taken).toEqual(
      new Map([
        [true, 1],
        [false, 19],
      ]),
    );
    const take = (turn: string, turnSeconds = 60) => stores[0]!.acquireTurn(wallet, turn, turnSeconds);
    expect(await take("next")).toBe(false);
    await stores[0]!.releaseTurn("somebody else");
    expect(await take("next")).toBe(false);
    await database.paymentTurn.updateMany({ data: { expiresAtMs: 0n } });
    expect(await take("next")).toBe(true);
    await stores[0]!.releaseTurn("next");
    expect(await take("short", 0.1)).toBe(true);
    await waitUntil(async () => await take("later", 0.1));
    expect(await stores[0]!.acquireTurn({ ...wallet, chainId: 2 }, "x", 60)).toBe(true);
  },
);

testOnEachDatabase(
  "the database's clock decides whose turn it is, whatever time it is in the process",
  async ({ database }) => {
    const store = createPaymentStore(database);
    const take = (turn: string) => store.acquireTurn(wallet, turn, 60);
    const realNow = Date.now;
    try {
      for (const hours of [1, -1]) {
        Date.now = realNow;
        expect(await take(`right ${hours}`)).toBe(true);
        Date.now = () => realNow() + hours * 3_600_000;
        expect(await take(`wrong ${hours}`)).toBe(false);
        Date.now = realNow;
        await store.releaseTurn(`right ${hours}`);
        Date.now = () => realNow() + hours * 3_600_000;
        expect(await take(`wrong ${hours}`)).toBe(true);
        Date.now = realNow;
        expect(await take(`right ${hours}`)).toBe(false);
        await store.releaseTurn(`wrong ${hours}`);
      }
    } finally {
      Date.now = realNow;
    }
  },
);

testOnEachDatabase(
  "a turn from before the database's clock was set back excludes nobody",
  async ({ database }) => {
    const store = createPaymentStore(database);
    await store.acquireTurn(wallet, "dead", 30);
    const end = (row: { expiresAtMs: bigint }) => ({ expiresAtMs: row.expiresAtMs + 3_600_000n });
    await database.paymentTurn.updateMany({ data: end(await database.paymentTurn.findFirstOrThrow()) });
    expect(await store.acquireTurn(wallet, "next", 30)).toBe(true);
    expect(await store.recordSigned({ payment, turn: "dead", bounds })).toEqual({ outcome: "turn-lost" });
  },
);

testOnEachDatabase(
  "one of many concurrent records of a payment is written, and none without the turn",
  async ({ database, url }) => {
    const other = await openTestDatabase(url);
    const stores = [database, other].map((its) => createPaymentStore(its));
    const store = stores[0]!;
    expect(await store.recordSigned({ payment, turn: "mine", bounds })).toEqual({ outcome: "turn-lost" });
    expect(await store.findPayment(payment)).toBeNull();
    await store.acquireTurn(wallet, "mine", 60);
    const outcomes = await countOutcomes(20, async (index) => {
      const transactionHash = `0x${index}` as const;
      const turn = index === 19 ? "another" : "mine";
      return (
        await stores[index % 2]!.recordSigned({ payment: { ...payment, transactionHash }, turn, bounds })
      ).outcome;
    });
    expect(outcomes).toEqual(
      new Map([
        ["recorded", 1],
        ["already-there", 18],
        ["turn-lost", 1],
      ]),
    );
    const found = await store.findPayment(payment);
    const { maxCost: _, ...recorded } = payment;
    expect(found).toEqual({ ...recorded, ...nothingKnown, transactionHash: found!.transactionHash });
    expect(await store.findLastNonce(wallet)).toBe(7);
    expect(await store.findLastNonce({ ...wallet, chainId: 2 })).toBeNull();
  },
);

testOnEachDatabase(
  "a recorded nonce is given to no other payment, however the record was made",
  async ({ database }) => {
    const store = createPaymentStore(database);
    await store.acquireTurn(wallet, "mine", 60);
    await store.recordSigned({ payment, turn: "mine", bounds });
    const other = { ...payment, idempotencyKey: "payment-2" };
    expect(await store.recordSigned({ payment: other, turn: "mine", bounds })).toEqual({
      outcome: "nonce-taken",
    });
    const elsewhere = { ...other, payer: payment.recipient };
    await store.acquireTurn(elsewhere, "theirs", 60);
    expect(await store.recordSigned({ payment: elsewhere, turn: "theirs", bounds })).toEqual({
      outcome: "recorded",
    });
    const copied = await database.payment.findFirstOrThrow({ where: { payer } });
    await expect(
      database.payment.create({ data: { ...copied, idempotencyKey: "written by hand" } }),
    ).rejects.toThrow(/Unique constraint/);
  },
);

testOnEachDatabase(
  "the first of two findings about a payment is written, and none about a final one",
  async ({ database }) => {
    const store = createPaymentStore(database);
    await store.acquireTurn(wallet, "mine", 60);
    await store.recordSigned({ payment, turn: "mine", bounds });
    expect(await store.listOpen(wallet)).toHaveLength(1);
    expect(await store.listUnsettled(1)).toHaveLength(1);
    expect(await store.listUnsettled(2)).toEqual([]);
    expect(await store.listOpen({ chainId: 1, payer: payment.recipient })).toEqual([]);
    expect(await store.readOpen()).toEqual({ count: 1, oldestAtMs: payment.createdAtMs });

    const open = (await store.findPayment(payment))!;
    const inBlock = { state: "paid", blockNumber: 9n, blockHash: "0x09", finalAtMs: null } as const;
    const counted = { cost: 3, countedAtMs: payment.createdAtMs };
    expect(await countOutcomes(10, () => store.noteFinding(open, { ...inBlock, ...counted }))).toEqual(
      new Map([
        [true, 1],
        [false, 9],
      ]),
    );
    const paid = (await store.findPayment(payment))!;
    expect(paid).toMatchObject(inBlock);
    expect([await store.listOpen(wallet), (await store.listUnsettled(1)).length]).toEqual([[], 1]);
    expect(await store.noteFinding(paid, { ...inBlock, ...counted, finalAtMs: 5 })).toBe(true);
    expect(await store.listUnsettled(1)).toEqual([]);
    expect(await store.noteFinding(paid, { ...inBlock, ...counted, state: "failed" })).toBe(false);
    // Unless the chain lost it: then it is looked at again.
    expect(await store.reviveFrom(wallet, 8)).toEqual([]);
    expect(await store.reviveFrom(wallet, 7)).toEqual([paid]);
    expect(await store.listUnsettled(1)).toEqual([paid]);
  },
);

testOnEachDatabase(
  "the operator is notified of a payment once, by whichever process is first",
  async ({ database }) => {
    const store = createPaymentStore(database);
    await store.acquireTurn(wallet, "mine", 60);
    await store.recordSigned({ payment, turn: "mine", bounds });
    const outbox = createOutboxStore(database, () => 77, ["webhook", "email"]);
    const outcomes = await countOutcomes(10, () =>
      store.markTold(payment, 77, (transaction) => outbox.enqueue(transaction, { kind: "k", data: {} })),
    );
    expect(Object.fromEntries(outcomes)).toEqual({ true: 1, false: 9 });
    expect([await database.notification.count(), await database.notificationDelivery.count()]).toEqual([
      1, 2,
    ]);
    expect(await store.findPayment(payment)).toMatchObject({ toldAtMs: 77 });
  },
);

testOnEachDatabase(
  "concurrent payments of two wallets, in two processes, never exceed their common limit",
  async ({ database, url }) => {
    const stores = [database, await openTestDatabase(url)].map((its) => createPaymentStore(its));
    const wallets = [payer, payment.recipient] as const;
    for (const [index, wallet] of wallets.entries())
      await stores[index]!.acquireTurn({ chainId: 1, payer: wallet }, wallet, 60);
    const tight = { address: wide, total: { limit: 32, sinceMs: 0 } };
    const outcomes = await countOutcomes(20, async (index) => {
      const wallet = wallets[index % 2]!;
      const its = { ...payment, payer: wallet, nonce: index, idempotencyKey: `payment-${index}` };
      return (await stores[index % 2]!.recordSigned({ payment: its, turn: wallet, bounds: tight })).outcome;
    });
    expect(Object.fromEntries(outcomes)).toEqual({ recorded: 6, exhausted: 14 });
    expect(await stores[0]!.sum({ chainId: 1, sinceMs: 0 })).toEqual({ spent: 30, oldestAtMs: null });
  },
);

testOnEachDatabase(
  "a payment counts from its block, an open one at any time, and never after a reset cleared it",
  async ({ database }) => {
    const store = createPaymentStore(database);
    await store.acquireTurn(wallet, "mine", 60);
    await store.recordSigned({ payment, turn: "mine", bounds });
    const whole = { chainId: 1, recipient: payment.recipient };
    const later = payment.createdAtMs + 1_000_000;
    expect(await store.sum({ ...whole, sinceMs: later })).toEqual({ spent: 5, oldestAtMs: null });
    const open = (await store.findPayment(payment))!;
    const inBlock = { state: "paid", blockNumber: 9n, blockHash: "0x09", finalAtMs: null } as const;
    await store.noteFinding(open, { ...inBlock, cost: 3, countedAtMs: later });
    expect(await store.sum({ ...whole, sinceMs: later - 1 })).toEqual({ spent: 3, oldestAtMs: later });
    expect(await store.sum({ chainId: 1, sinceMs: later })).toEqual({ spent: 0, oldestAtMs: null });
    expect(await store.sum({ chainId: 2, sinceMs: 0 })).toEqual({ spent: 0, oldestAtMs: null });

    expect(await database.$transaction((client) => clearPaymentSums(client, ["0xdd"]))).toBe(0);
    expect(await database.$transaction((client) => clearPaymentSums(client, [payment.recipient]))).toBe(1);
    expect((await store.sum({ ...whole, sinceMs: 0 })).spent).toBe(0);
    expect((await store.sum({ chainId: 1, sinceMs: 0 })).spent).toBe(3);
    expect(await database.$transaction((client) => clearPaymentSums(client, "all"))).toBe(1);
    const paid = (await store.findPayment(payment))!;
    await store.noteFinding(paid, { ...inBlock, state: "signed", cost: 5, countedAtMs: later });
    expect((await store.sum({ chainId: 1, sinceMs: 0 })).spent).toBe(0);
  },
);
