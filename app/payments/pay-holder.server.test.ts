import { afterAll, beforeAll, expect, test } from "vitest";
import { parseEther } from "viem";
import type { Address } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { startTestChain } from "~e2e/support/chain/chain";
import type { TestChain } from "~e2e/support/chain/chain";
import { createTestDatabase, openTestDatabase, testOnEachDatabase } from "~e2e/support/databases/database";
import { createPayer, fundedKey, newAddress, paymentLimits } from "~e2e/support/chain/payer";
import { startRpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import { createChainClient } from "~/platform/chain/chain-client.server";
import { toMicroether } from "./ether";
import { PaymentRefused } from "./payment-refused";

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

const amountWei = parseEther("0.0001");
const balanceOf = (address: Address) => chain.viewer.getBalance({ address });

async function openPayer(changes: Partial<Parameters<typeof createPayer>[0]> = {}) {
  const database = changes.database ?? (await createTestDatabase()).database;
  const privateKey = changes.privateKey ?? (await fundedKey(chain));
  return {
    ...createPayer({ client: chain.client(), ...changes, database, privateKey }),
    database,
    privateKey,
  };
}

/** The amount that left a wallet of ten coins, counted like the windows: in millionths, rounded up. */
async function spentOf(address: Address): Promise<number> {
  return toMicroether(parseEther("10") - (await balanceOf(address)));
}

const untouched = { address: 0, total: 0 };

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
    expect(await payer.readSums(to)).toEqual({ address: used, total: used });

    expect(await payer.pay({ to, key: "payment-1" })).toEqual(view);
    expect(await payer.pay({ to: to.toLowerCase() as Address, amount: "0.00010", key: "payment-1" })).toEqual(
      view,
    );
    await expect(payer.pay({ to, amount: "0.0002", key: "payment-1" })).rejects.toThrow(PaymentRefused);
    expect(await balanceOf(to)).toBe(amountWei);

    // An idempotency key belongs to its caller: another caller's payment of that name is another one.
    const other = newAddress();
    expect(await payer.pay({ to: other, key: "payment-1" })).toMatchObject({ status: "paid" });
    expect(await balanceOf(other)).toBe(amountWei);
  },
);

testOnEachDatabase(
  "twenty concurrent calls with one idempotency key, in two processes, pay once",
  async ({ database, url }) => {
    const privateKey = await fundedKey(chain);
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
    expect(await spentOf(payers[0]!.chain.address)).toBe((await payers[0]!.readSums(to)).total);
  },
);

testOnEachDatabase(
  "twenty concurrent payments, in two processes, never exceed the window of an address",
  async ({ database, url }) => {
    const privateKey = await fundedKey(chain);
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
    const sums = await payers[0]!.readSums(to);
    expect(sums.address).toBeLessThanOrEqual(limits.addressMicroether);
    expect(sums.total).toBe(sums.address);
    // Each took its own nonce, and each transaction is in the chain.
    expect(await chain.viewer.getTransactionCount({ address: payers[0]!.chain.address })).toBe(paid);
  },
);

test("the day's window bounds all addresses together, and an address keeps what it did not get", async () => {
  const payer = await openPayer({ limits: { ...paymentLimits, dailyMicroether: 300 } });
  const [first, second] = [newAddress(), newAddress()];
  await payer.pay({ to: first, key: "payment-1" });
  const outcome = payer.pay({ to: second, amount: "0.0003", key: "payment-2" });
  await expect(outcome).rejects.toThrow("The service has paid what it may pay in a day");
  expect((await payer.readSums(second)).address).toBe(0);
  expect(await balanceOf(second)).toBe(0n);
});

test("a call pays at most its limit, and never zero", async () => {
  const payer = await openPayer();
  const to = newAddress();
  for (const amount of ["0", "0.0", "0.001000000000000001", "1"]) {
    await expect(payer.pay({ to, amount, key: "payment-1" })).rejects.toThrow("at most 0.001");
  }
  expect(await payer.readSums(to)).toEqual(untouched);
  expect(await payer.pay({ to, amount: "0.001", key: "payment-1" })).toMatchObject({ status: "paid" });
  expect(await payer.pay({ to, amount: "0.000000000000000001", key: "payment-2" })).toMatchObject({
    status: "paid",
  });
  expect(await balanceOf(to)).toBe(parseEther("0.001") + 1n);
});

test("a wallet without funds refuses in plain words, reserves nothing, and pays under the same key once funded", async () => {
  const payer = await openPayer({ privateKey: await fundedKey(chain, 0n) });
  const to = newAddress();
  await expect(payer.pay({ to, key: "payment-1" })).rejects.toThrow("holds too little");
  // Enough for the amount, not for the fee.
  await chain.control.setBalance({ address: payer.chain.address, value: amountWei + 1n });
  await expect(payer.pay({ to, key: "payment-1" })).rejects.toThrow("holds too little");
  expect(await payer.readSums(to)).toEqual(untouched);
  await chain.control.setBalance({ address: payer.chain.address, value: parseEther("1") });
  expect(await payer.pay({ to, key: "payment-1" })).toMatchObject({ status: "paid" });
});

test("an address that cannot receive is refused before anything is reserved", async () => {
  const payer = await openPayer();
  await expect(payer.pay({ to: chain.key.address, key: "payment-1" })).rejects.toThrow("would not carry out");
  expect(await payer.readSums(chain.key.address)).toEqual(untouched);
});

test.each(["wrong-chain", "http-500"] as const)(
  "nothing is paid or reserved while the endpoint is at fault: %s",
  async (fault) => {
    const server = await startRpcFaultServer(chain.rpcUrl, fault);
    try {
      const client = createChainClient({ rpcUrls: [server.url], chainId: chain.chainId });
      const payer = await openPayer({ client });
      const to = newAddress();
      await expect(payer.pay({ to, key: "payment-1" })).rejects.toThrow(
        "The configured chain does not answer",
      );
      expect(await payer.readSums(to)).toEqual(untouched);
      expect(server.posts).not.toContain("eth_sendRawTransaction");
    } finally {
      await server.stop();
    }
  },
);

test("a failure between the reservation and the record releases the whole reservation", async () => {
  const payer = await openPayer({
    changeChain: (real) => ({ ...real, sign: () => Promise.reject(new Error("The key is out of reach.")) }),
  });
  const to = newAddress();
  await expect(payer.pay({ to, key: "payment-1" })).rejects.toThrow("out of reach");
  expect(await payer.readSums(to)).toEqual(untouched);
  const repaired = await openPayer({ database: payer.database, privateKey: payer.privateKey });
  expect(await repaired.pay({ to, key: "payment-1" })).toMatchObject({ status: "paid" });
});

test("a payment recorded by a process that ended is paid by the next one, and not twice", async () => {
  const { database } = await createTestDatabase();
  const privateKey = await fundedKey(chain);
  const to = newAddress();
  // Stops between the record and the broadcast, as a killed process would, and never releases its turn.
  const dying = await openPayer({
    database,
    privateKey,
    waitMs: 50,
    changeChain: (real) => ({ ...real, broadcast: () => Promise.reject(new Error("Killed.")) }),
  });
  const pending = await dying.pay({ to, key: "payment-1" });
  expect(pending).toMatchObject({ status: "pending", blockNumber: null });
  expect(await balanceOf(to)).toBe(0n);
  expect((await dying.readSums(to)).address).toBeGreaterThan(100);
  await dying.store.acquireTurn({ chainId: 31337, payer: dying.chain.address }, "dead", 600);

  const next = await openPayer({ database, privateKey });
  await Promise.all([next.resume(), next.pay({ to, key: "payment-1" }), next.pay({ to, key: "payment-1" })]);
  const paid = await next.pay({ to, key: "payment-1" });
  expect(paid).toMatchObject({ status: "paid", transactionHash: pending.transactionHash });
  expect(await balanceOf(to)).toBe(amountWei);
  expect(await chain.viewer.getTransactionCount({ address: privateKeyToAccount(privateKey).address })).toBe(
    1,
  );
  expect(await spentOf(next.chain.address)).toBe((await next.readSums(to)).total);
});

test("an open payment is completed before the next one is signed", async () => {
  const { database } = await createTestDatabase();
  const privateKey = await fundedKey(chain);
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
  expect((await broken.readSums(second)).address).toBe(0);
  const next = await openPayer({ database, privateKey });
  expect(await next.pay({ to: second, key: "payment-2" })).toMatchObject({ status: "paid" });
  expect([await balanceOf(first), await balanceOf(second)]).toEqual([amountWei, amountWei]);
});
