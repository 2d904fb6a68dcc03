import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseEther } from "viem";
import type { Address } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { readLines, startTestProcess } from "~/testing/child-process";
import { startTestChain } from "~/testing/chain";
import type { TestChain } from "~/testing/chain";
import { createTestDatabase, openTestDatabase, testOnEachDatabase } from "~/testing/database";
import { createPayer, fundedKey, newAddress, paymentLimits } from "~/testing/payer";
import { startRpcFaultServer } from "~/testing/rpc-fault-server";
import { createChainClient } from "~/platform/chain/chain-client.server";
import { ownerOfAddress, ownerOfAllPayments } from "~/quota/quota-subject";
import { PaymentRefused } from "./payment-refused";

const payForever = fileURLToPath(new URL("../testing/pay-forever.ts", import.meta.url));

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

const amountWei = parseEther("0.0001");
const balanceOf = (address: Address) => chain.viewer.getBalance({ address });

async function openPayer(changes: Partial<Parameters<typeof createPayer>[0]> = {}) {
  const database = changes.database ?? (await createTestDatabase()).database;
  const privateKey = changes.privateKey ?? (await fundedKey({ chain }));
  return {
    ...createPayer({ client: chain.client(), ...changes, database, privateKey }),
    database,
    privateKey,
  };
}

type Payer = Awaited<ReturnType<typeof openPayer>>;

async function readWindows({ payer, to }: { payer: Payer; to: Address }) {
  const [address, day] = await Promise.all([
    payer.ledger.readStanding({ owner: ownerOfAddress(to), limit: 1_000_000 }),
    payer.ledger.readStanding({ owner: ownerOfAllPayments, limit: 1_000_000 }),
  ]);
  return { used: address.used, reserved: address.reserved, dayUsed: day.used, dayReserved: day.reserved };
}

const untouched = { used: 0, reserved: 0, dayUsed: 0, dayReserved: 0 };

testOnEachDatabase(
  "a payment is paid once, counted with its fee, and a repeat gives the same receipt",
  async ({ database }) => {
    const payer = await openPayer({ database });
    const to = newAddress();
    const view = await payer.pay({ to, key: "payment-1" });
    expect(view).toMatchObject({ status: "paid", amount: "0.0001", to: to.toLowerCase(), chainId: 31337 });
    const receipt = await chain.viewer.getTransactionReceipt({
      hash: view.transactionHash as `0x${string}`,
    });
    expect(view.blockNumber).toBe(String(receipt.blockNumber));
    const spentWei = amountWei + receipt.gasUsed * receipt.effectiveGasPrice;
    const used = Math.ceil(Number(spentWei) / 1e12);
    expect(used).toBeGreaterThan(100);
    expect(await readWindows({ payer, to })).toEqual({ used, reserved: 0, dayUsed: used, dayReserved: 0 });

    expect(await payer.pay({ to, key: "payment-1" })).toEqual(view);
    expect(await payer.pay({ to: to.toLowerCase() as Address, amount: "0.00010", key: "payment-1" })).toEqual(
      view,
    );
    await expect(payer.pay({ to, amount: "0.0002", key: "payment-1" })).rejects.toThrow(PaymentRefused);
    expect(await balanceOf(to)).toBe(amountWei);

    // The key belongs to whoever used it: somebody else's payment of that name is another one.
    const other = newAddress();
    expect(await payer.pay({ to: other, key: "payment-1" })).toMatchObject({ status: "paid" });
    expect(await balanceOf(other)).toBe(amountWei);
  },
);

testOnEachDatabase(
  "twenty calls at once with one idempotency key, in two processes, pay once",
  async ({ database, url }) => {
    const privateKey = await fundedKey({ chain });
    const payers = [
      await openPayer({ database, privateKey }),
      await openPayer({ database: await openTestDatabase(url), privateKey }),
    ];
    const to = newAddress();
    const views = await Promise.all(
      Array.from({ length: 20 }, (_, index) => payers[index % 2]!.pay({ to, key: "payment-1" })),
    );
    expect(new Set(views.map(({ transactionHash }) => transactionHash)).size).toBe(1);
    expect(views.every(({ status }) => status === "paid")).toBe(true);
    expect(await balanceOf(to)).toBe(amountWei);
    expect(await chain.viewer.getTransactionCount({ address: payers[0]!.chain.address })).toBe(1);
    expect(await readWindows({ payer: payers[0]!, to })).toMatchObject({ reserved: 0, dayReserved: 0 });
  },
);

testOnEachDatabase(
  "twenty payments at once, in two processes, never pass the window of an address",
  async ({ database, url }) => {
    const privateKey = await fundedKey({ chain });
    const limits = { ...paymentLimits, addressMicroether: 700 };
    const payers = [
      await openPayer({ database, privateKey, limits }),
      await openPayer({ database: await openTestDatabase(url), privateKey, limits }),
    ];
    const to = newAddress();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => payers[index % 2]!.pay({ to, key: `payment-${index}` })),
    );
    const paid = outcomes.filter(({ status }) => status === "fulfilled").length;
    expect(paid).toBeGreaterThan(1);
    expect(paid).toBeLessThanOrEqual(6);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") {
        expect(outcome.reason).toBeInstanceOf(PaymentRefused);
        expect(String(outcome.reason)).toContain("This address has had what it may have");
      }
    }
    expect(await balanceOf(to)).toBe(BigInt(paid) * amountWei);
    const { used, reserved, dayUsed, dayReserved } = await readWindows({ payer: payers[0]!, to });
    expect(used).toBeLessThanOrEqual(limits.addressMicroether);
    expect({ reserved, dayReserved, dayUsed }).toEqual({ reserved: 0, dayReserved: 0, dayUsed: used });
    // Each took its own nonce, and each transaction is in the chain.
    expect(await chain.viewer.getTransactionCount({ address: payers[0]!.chain.address })).toBe(paid);
  },
);

test("the day's window bounds all addresses together, and leaves the address what it did not get", async () => {
  const payer = await openPayer({ limits: { ...paymentLimits, dailyMicroether: 300 } });
  const [first, second] = [newAddress(), newAddress()];
  await payer.pay({ to: first, key: "payment-1" });
  const outcome = payer.pay({ to: second, amount: "0.0003", key: "payment-2" });
  await expect(outcome).rejects.toThrow("The service has paid what it may pay in a day");
  expect(await readWindows({ payer, to: second })).toMatchObject({ used: 0, reserved: 0, dayReserved: 0 });
  expect(await balanceOf(second)).toBe(0n);
});

test("one call pays at most its limit, and never nothing", async () => {
  const payer = await openPayer();
  const to = newAddress();
  for (const amount of ["0", "0.0", "0.001000000000000001", "1"]) {
    await expect(payer.pay({ to, amount, key: "payment-1" })).rejects.toThrow("at most 0.001");
  }
  expect(await readWindows({ payer, to })).toEqual(untouched);
  expect(await payer.pay({ to, amount: "0.001", key: "payment-1" })).toMatchObject({ status: "paid" });
  expect(await payer.pay({ to, amount: "0.000000000000000001", key: "payment-2" })).toMatchObject({
    status: "paid",
  });
  expect(await balanceOf(to)).toBe(parseEther("0.001") + 1n);
});

test("a wallet without money refuses in plain words, reserves nothing, and pays under the same key once funded", async () => {
  const payer = await openPayer({ privateKey: await fundedKey({ chain, ether: 0n }) });
  const to = newAddress();
  await expect(payer.pay({ to, key: "payment-1" })).rejects.toThrow("holds too little");
  // Enough for the amount, not for the fee.
  await chain.control.setBalance({ address: payer.chain.address, value: amountWei + 1n });
  await expect(payer.pay({ to, key: "payment-1" })).rejects.toThrow("holds too little");
  expect(await readWindows({ payer, to })).toEqual(untouched);
  await chain.control.setBalance({ address: payer.chain.address, value: parseEther("1") });
  expect(await payer.pay({ to, key: "payment-1" })).toMatchObject({ status: "paid" });
});

test("an address that takes no money is refused before anything is set aside", async () => {
  const payer = await openPayer();
  await expect(payer.pay({ to: chain.key.address, key: "payment-1" })).rejects.toThrow("would not carry out");
  expect(await readWindows({ payer, to: chain.key.address })).toEqual(untouched);
});

test.each(["wrong-chain", "http-500"] as const)(
  "nothing is paid or set aside while the endpoint is at fault: %s",
  async (fault) => {
    const server = await startRpcFaultServer({ upstreamUrl: chain.rpcUrl, fault });
    try {
      const client = createChainClient({ rpcUrls: [server.url], chainId: chain.chainId });
      const payer = await openPayer({ client });
      const to = newAddress();
      await expect(payer.pay({ to, key: "payment-1" })).rejects.toThrow(
        "The configured chain does not answer",
      );
      expect(await readWindows({ payer, to })).toEqual(untouched);
      expect(server.posts).not.toContain("eth_sendRawTransaction");
    } finally {
      await server.stop();
    }
  },
);

test("a failure after the reservation and before the record gives everything back", async () => {
  const payer = await openPayer({
    changeChain: (real) => ({ ...real, sign: () => Promise.reject(new Error("The key is out of reach.")) }),
  });
  const to = newAddress();
  await expect(payer.pay({ to, key: "payment-1" })).rejects.toThrow("out of reach");
  expect(await readWindows({ payer, to })).toEqual(untouched);
  const repaired = await openPayer({ database: payer.database, privateKey: payer.privateKey });
  expect(await repaired.pay({ to, key: "payment-1" })).toMatchObject({ status: "paid" });
});

test("what was recorded when the process ended is paid by the next one, and not twice", async () => {
  const { database } = await createTestDatabase();
  const privateKey = await fundedKey({ chain });
  const to = newAddress();
  // Ends between the record and the broadcast, as a killed process would: it holds its turn for ever.
  const dying = await openPayer({
    database,
    privateKey,
    waitMs: 50,
    changeChain: (real) => ({ ...real, broadcast: () => Promise.reject(new Error("Killed.")) }),
  });
  const pending = await dying.pay({ to, key: "payment-1" });
  expect(pending).toMatchObject({ status: "pending", blockNumber: null });
  expect(await balanceOf(to)).toBe(0n);
  expect((await readWindows({ payer: dying, to })).reserved).toBeGreaterThan(100);
  await dying.store.takeLane({
    lane: { chainId: 31337, payer: dying.chain.address },
    turn: "dead",
    leaseSeconds: 600,
  });

  const next = await openPayer({ database, privateKey });
  await Promise.all([next.resume(), next.pay({ to, key: "payment-1" }), next.pay({ to, key: "payment-1" })]);
  const paid = await next.pay({ to, key: "payment-1" });
  expect(paid).toMatchObject({ status: "paid", transactionHash: pending.transactionHash });
  expect(await balanceOf(to)).toBe(amountWei);
  expect(await chain.viewer.getTransactionCount({ address: privateKeyToAccount(privateKey).address })).toBe(
    1,
  );
  expect(await readWindows({ payer: next, to })).toMatchObject({ reserved: 0, dayReserved: 0 });
});

testOnEachDatabase(
  "killing a process again and again while it pays neither pays twice nor loses what it acknowledged",
  async ({ url, database }) => {
    const privateKey = await fundedKey({ chain });
    const to = newAddress();
    const acknowledged: string[] = [];
    const rounds = 6;
    for (let round = 0; round < rounds; round++) {
      const args = [url, chain.rpcUrl, privateKey, to, String(round)];
      const child = startTestProcess({ file: payForever, args });
      const killAfterLines = 1 + Math.floor(Math.random() * 4);
      // Anywhere in the payment that follows.
      const killAfterMs = Math.random() * 60;
      let lineCount = 0;
      for await (const line of readLines(child)) {
        acknowledged.push(line);
        if (++lineCount === killAfterLines) setTimeout(() => child.kill("SIGKILL"), killAfterMs);
      }
    }
    const payer = await openPayer({ database, privateKey });
    await payer.resume();
    const rows = await database.payment.findMany();
    expect(rows.filter(({ state }) => state !== "paid")).toEqual([]);
    const keys = rows.map(({ idempotencyKey }) => idempotencyKey);
    expect(acknowledged.length).toBeGreaterThanOrEqual(rounds);
    expect(acknowledged.filter((key) => !keys.includes(key))).toEqual([]);
    expect(await balanceOf(to)).toBe(BigInt(rows.length) * 10n ** 12n);
    expect(await chain.viewer.getTransactionCount({ address: payer.chain.address })).toBe(rows.length);
  },
  120_000,
);

testOnEachDatabase(
  "two processes whose clocks are an hour apart pay in turn, and never at the same time",
  async ({ url, database }) => {
    const privateKey = await fundedKey({ chain });
    const wanted = 8;
    const children = [0, 1].map((hours) => {
      const lease = ["30", String(hours * 3_600_000)];
      const args = [url, chain.rpcUrl, privateKey, newAddress(), `clock-${hours}`, ...lease];
      return startTestProcess({ file: payForever, args });
    });
    const counts = [0, 0];
    async function countPayments(index: number): Promise<void> {
      for await (const _key of readLines(children[index]!)) {
        counts[index]! += 1;
        // Both at once: the one that is left would wait for the turn that the other one took with it.
        if (counts.every((count) => count >= wanted)) for (const child of children) child.kill("SIGKILL");
      }
    }
    await Promise.all([countPayments(0), countPayments(1)]);
    // One whose turn was taken from it would have been refused, and have ended before it had paid so often.
    expect(counts.map((count) => count >= wanted)).toEqual([true, true]);
    const payer = await openPayer({ database, privateKey });
    await payer.resume();
    const rows = await database.payment.findMany({ orderBy: { nonce: "asc" } });
    expect(rows.map(({ nonce, state }) => [Number(nonce), state])).toEqual(
      rows.map((_, index) => [index, "paid"]),
    );
    expect(await chain.viewer.getTransactionCount({ address: payer.chain.address })).toBe(rows.length);
  },
  120_000,
);

test("an open payment is carried out before the next one is signed", async () => {
  const { database } = await createTestDatabase();
  const privateKey = await fundedKey({ chain });
  const [first, second] = [newAddress(), newAddress()];
  const broken = await openPayer({
    database,
    privateKey,
    waitMs: 50,
    changeChain: (real) => ({ ...real, broadcast: () => Promise.reject(new Error("Not reached.")) }),
  });
  await broken.pay({ to: first, key: "payment-1" });
  await expect(broken.pay({ to: second, key: "payment-2" })).rejects.toThrow(
    "not confirmed by the chain yet",
  );
  expect(await readWindows({ payer: broken, to: second })).toMatchObject({ used: 0, reserved: 0 });
  const next = await openPayer({ database, privateKey });
  expect(await next.pay({ to: second, key: "payment-2" })).toMatchObject({ status: "paid" });
  expect([await balanceOf(first), await balanceOf(second)]).toEqual([amountWei, amountWei]);
});
