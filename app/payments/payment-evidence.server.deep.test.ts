import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { parseEther } from "viem";
import type { Address, Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { startTestChain } from "~e2e/support/chain/chain";
import type { TestChain } from "~e2e/support/chain/chain";
import { readLines, startTestProcess } from "~e2e/support/child-process";
import { waitUntil } from "~e2e/support/processes";
import { createTestDatabase } from "~e2e/support/databases/database";
import { createPayer, fundedKey, newAddress } from "~e2e/support/chain/payer";
import { startRpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import { createChainClient } from "~/platform/chain/chain-client.server";
import { createLeaseKeeper } from "~/platform/leases/lease-keeper.server";
import { createLeaseStore } from "~/platform/leases/leases.store.server";
import { toMicroether } from "./ether";
import { resolverLease } from "./payment-resolver.server";

const finalSeconds = 15 * 60;
const openTooLongMs = 30 * 60 * 1_000;
const payForever = fileURLToPath(new URL("../../e2e/support/chain/pay-forever.ts", import.meta.url));
const hourMs = 3_600_000;
const amountWei = parseEther("0.0001");
/** Accepts money without running code, so a transfer costs as much as to an ordinary account. */
const acceptingCode = "0x00";

async function openChain(): Promise<TestChain> {
  const chain = await startTestChain();
  onTestFinished(() => chain.stop());
  return chain;
}

async function openEndpoint(chain: TestChain) {
  const endpoint = await startRpcFaultServer(chain.rpcUrl);
  onTestFinished(() => endpoint.stop());
  return endpoint;
}

const clientOf = (urls: readonly string[]) => createChainClient({ rpcUrls: urls, chainId: 31337 });

async function openFixture() {
  const chain = await openChain();
  const endpoint = await openEndpoint(chain);
  const { database, url } = await createTestDatabase();
  const privateKey = await fundedKey(chain);
  let laterMs = 0;
  const parts = { database, privateKey, waitMs: 100, clock: () => Date.now() + laterMs };
  const client = clientOf([endpoint.url]);
  const payer = createPayer({ ...parts, client });
  /** Waits until a payment is in its block. */
  const patient = createPayer({ ...parts, client, waitMs: 20_000 });
  return {
    chain,
    endpoint,
    database,
    url,
    privateKey,
    parts,
    payer,
    patient,
    advance: (ms: number) => (laterMs += ms),
    async makeFinal(): Promise<void> {
      await chain.control.increaseTime({ seconds: finalSeconds });
      await chain.control.mine({ blocks: 1 });
    },
    balanceOf: (address: Address) => chain.viewer.getBalance({ address }),
    /** The windows count the amount that left the wallet. Each payment is rounded up by less than a millionth. */
    async expectSumsToAddUp(count: number): Promise<void> {
      const spentWei = parseEther("10") - (await chain.viewer.getBalance({ address: payer.chain.address }));
      const { total } = await payer.readSums(newAddress());
      expect(total).toBeGreaterThanOrEqual(toMicroether(spentWei));
      expect(total).toBeLessThan(toMicroether(spentWei) + Math.max(1, count));
    },
  };
}

test("a payment whose receipt is hidden is found in its block, and neither called failed nor paid again", async () => {
  const { chain, endpoint, payer, advance, makeFinal, balanceOf, expectSumsToAddUp } = await openFixture();
  const to = newAddress();
  endpoint.setFault("no-receipts");
  expect(await payer.pay({ to, key: "payment-1" })).toMatchObject({ status: "pending" });
  await chain.control.mine({ blocks: 100 });
  advance(openTooLongMs * 2);
  await makeFinal();
  const view = await payer.pay({ to, key: "payment-1" });
  const { blockNumber } = await chain.viewer.getTransactionReceipt({ hash: view.transactionHash as Hex });
  expect(view).toMatchObject({ status: "paid", blockNumber: String(blockNumber) });
  expect(await balanceOf(to)).toBe(amountWei);
  await expectSumsToAddUp(1);
});

test("a node without receipts and states decides nothing: the payment counts, the operator is told once, others are paid", async () => {
  const { chain, endpoint, database, payer, advance, makeFinal, balanceOf, expectSumsToAddUp } =
    await openFixture();
  const [first, second] = [newAddress(), newAddress()];
  endpoint.setFault("pruned");
  expect(await payer.pay({ to: first, key: "payment-1" })).toMatchObject({ status: "pending" });
  await chain.control.mine({ blocks: 100 });
  await makeFinal();
  advance(48 * hourMs);
  for (let round = 0; round < 3; round++) {
    await payer.resume();
    expect(await payer.pay({ to: first, key: "payment-1" })).toMatchObject({ status: "pending" });
  }
  // Far out of its window by now, if it were decided.
  expect((await payer.readSums(first)).address).toBeGreaterThan(100);
  expect(await database.notification.findMany()).toMatchObject([{ kind: "payment.open" }]);
  expect(payer.told.filter((line) => line.includes("still open"))).toHaveLength(1);

  expect(await payer.pay({ to: second, key: "payment-2" })).toMatchObject({ status: "pending" });
  expect(await balanceOf(second)).toBe(amountWei);
  endpoint.setFault("none");
  await payer.resume();
  const rows = await database.payment.findMany();
  expect(rows.map(({ state }) => state)).toEqual(["paid", "paid"]);
  expect([await balanceOf(first), await balanceOf(second)]).toEqual([amountWei, amountWei]);
  expect(await chain.viewer.getTransactionCount({ address: payer.chain.address })).toBe(2);
  advance(-48 * hourMs);
  await expectSumsToAddUp(2);
});

test("a payment to a contract stays open until there is a receipt", async () => {
  const { chain, endpoint, payer, makeFinal } = await openFixture();
  const to = newAddress();
  await chain.control.setCode({ address: to, bytecode: acceptingCode });
  endpoint.setFault("no-receipts");
  await payer.pay({ to, key: "payment-1" });
  await makeFinal();
  expect(await payer.pay({ to, key: "payment-1" })).toMatchObject({ status: "pending" });
  endpoint.setFault("none");
  expect(await payer.pay({ to, key: "payment-1" })).toMatchObject({ status: "paid" });
});

test("a payment dropped by a reorganisation is sent again unchanged, and paid once", async () => {
  const { chain, payer, patient, database, balanceOf, expectSumsToAddUp } = await openFixture();
  const [to, next] = [newAddress(), newAddress()];
  const before = await chain.control.snapshot();
  const paid = await patient.pay({ to, key: "payment-1" });
  expect(paid).toMatchObject({ status: "paid" });
  await chain.control.revert({ id: before });
  await chain.control.setAutomine(false);
  await chain.control.mine({ blocks: 3 });
  expect(await balanceOf(to)).toBe(0n);
  await payer.resume();
  const open = await payer.pay({ to, key: "payment-1" });
  expect(open).toMatchObject({ status: "pending", transactionHash: paid.transactionHash, blockNumber: null });
  expect(payer.told).toContain("payment removed by a reorganisation; it is open again");

  await chain.control.mine({ blocks: 1 });
  await chain.control.setAutomine(true);
  const again = await patient.pay({ to, key: "payment-1" });
  expect(again).toMatchObject({ status: "paid", transactionHash: paid.transactionHash });
  expect(again.blockNumber).not.toBe(paid.blockNumber);
  expect(await patient.pay({ to: next, key: "payment-2" })).toMatchObject({ status: "paid" });
  expect([await balanceOf(to), await balanceOf(next)]).toEqual([amountWei, amountWei]);
  expect((await database.payment.findMany()).map(({ state }) => state)).toEqual(["paid", "paid"]);
  await expectSumsToAddUp(2);
});

test("a payment dropped by a reorganisation deeper than finality is paid again before the next one", async () => {
  const { chain, patient: payer, database, makeFinal, balanceOf, expectSumsToAddUp } = await openFixture();
  const recipients = [newAddress(), newAddress(), newAddress()];
  const before = await chain.control.snapshot();
  await payer.pay({ to: recipients[0]!, key: "payment-1" });
  await payer.pay({ to: recipients[1]!, key: "payment-1" });
  await makeFinal();
  await payer.resume();
  expect((await database.payment.findMany()).every(({ finalAtMs }) => finalAtMs !== null)).toBe(true);
  await chain.control.revert({ id: before });
  await chain.control.mine({ blocks: 5 });
  expect(await chain.viewer.getTransactionCount({ address: payer.chain.address })).toBe(0);

  expect(await payer.pay({ to: recipients[2]!, key: "payment-1" })).toMatchObject({ status: "paid" });
  for (const to of recipients) expect(await balanceOf(to)).toBe(amountWei);
  await payer.resume();
  const rows = await database.payment.findMany({ orderBy: { nonce: "asc" } });
  expect(rows.map(({ nonce, state }) => [Number(nonce), state])).toEqual([
    [0, "paid"],
    [1, "paid"],
    [2, "paid"],
  ]);
  for (const { transactionHash, blockHash } of rows) {
    const receipt = await chain.viewer.getTransactionReceipt({ hash: transactionHash as Hex });
    expect(blockHash).toBe(receipt.blockHash);
  }
  await expectSumsToAddUp(3);
});

test("a failed payment dropped by a reorganisation is not sent again, and its nonce is used up without it", async () => {
  const fixture = await openFixture();
  const { chain, patient: payer, privateKey, database, makeFinal, balanceOf, expectSumsToAddUp } = fixture;
  const [to, next] = [newAddress(), newAddress()];
  const before = await chain.control.snapshot();
  await chain.control.setAutomine(false);
  expect(await fixture.payer.pay({ to, key: "payment-1" })).toMatchObject({ status: "pending" });
  const [first] = await database.payment.findMany();
  await chain.control.dropTransaction({ hash: first!.transactionHash as Hex });
  await chain.control.setAutomine(true);
  const wallet = privateKeyToAccount(privateKey);
  const fees = { gas: 21_000n, maxFeePerGas: parseEther("0.00000001"), maxPriorityFeePerGas: 1n };
  const raw = await wallet.signTransaction({ chainId: 31337, to: wallet.address, nonce: 0, ...fees });
  await chain.settle(await chain.viewer.sendRawTransaction({ serializedTransaction: raw }));
  await makeFinal();
  expect(await payer.pay({ to, key: "payment-1" })).toMatchObject({ status: "failed" });
  const second = await payer.pay({ to, key: "payment-2" });
  expect(second).toMatchObject({ status: "paid" });
  await makeFinal();
  await payer.resume();
  await chain.control.revert({ id: before });
  await chain.control.setAutomine(true);
  await chain.control.mine({ blocks: 5 });
  expect(await balanceOf(to)).toBe(0n);

  expect(await payer.pay({ to: next, key: "payment-1" })).toMatchObject({ status: "paid" });
  expect([await balanceOf(to), await balanceOf(next)]).toEqual([amountWei, amountWei]);
  expect(await payer.pay({ to, key: "payment-1" })).toMatchObject({ status: "failed" });
  expect(payer.told).toContain("payment failed: its nonce was used by another transaction");
  await makeFinal();
  fixture.advance(hourMs);
  await payer.resume();
  expect(await payer.pay({ to, key: "payment-2" })).toEqual({
    ...second,
    blockNumber: expect.stringMatching(/^\d+$/) as string,
  });
  const rows = await database.payment.findMany({ orderBy: { nonce: "asc" } });
  expect(rows.map(({ state, finalAtMs }) => [state, finalAtMs !== null])).toEqual([
    ["failed", true],
    ["paid", true],
    ["paid", true],
  ]);
  expect(await chain.viewer.getTransactionCount({ address: payer.chain.address })).toBe(3);
  expect(await balanceOf(to)).toBe(amountWei);
  await expectSumsToAddUp(3);
});

test("a payment is not called failed while one endpoint shows another transaction and one disagrees or is silent", async () => {
  const { endpoint, parts, privateKey, payer, makeFinal } = await openFixture();
  const other = await openChain();
  const wallet = privateKeyToAccount(privateKey);
  await other.control.setBalance({ address: wallet.address, value: parseEther("1") });
  const fees = { gas: 21_000n, maxFeePerGas: parseEther("0.00000001"), maxPriorityFeePerGas: 1n };
  const raw = await wallet.signTransaction({ chainId: 31337, to: wallet.address, nonce: 0, ...fees });
  await other.settle(await other.viewer.sendRawTransaction({ serializedTransaction: raw }));
  await other.control.increaseTime({ seconds: finalSeconds });
  await other.control.mine({ blocks: 1 });

  const to = newAddress();
  endpoint.setFault("no-receipts");
  await payer.pay({ to, key: "payment-1" });
  await makeFinal();
  const forked = createPayer({ ...parts, client: clientOf([other.rpcUrl, endpoint.url]) });
  // The other endpoint has neither the receipt nor the block.
  expect(await forked.pay({ to, key: "payment-1" })).toMatchObject({ status: "pending" });
  endpoint.setFault("http-500");
  expect(await forked.pay({ to, key: "payment-1" })).toMatchObject({ status: "pending" });
  endpoint.setFault("none");
  expect(await forked.pay({ to, key: "payment-1" })).toMatchObject({ status: "pending" });
  expect(await payer.pay({ to, key: "payment-1" })).toMatchObject({ status: "paid" });
});

test("an old open payment costs a few requests an hour", async () => {
  const { endpoint, payer, advance } = await openFixture();
  endpoint.setFault("pruned");
  await payer.pay({ to: newAddress(), key: "payment-1" });
  advance(2 * hourMs);
  await payer.resolver.check();
  const before = endpoint.posts.length;
  for (let minute = 0; minute < 180; minute++) {
    advance(60_000);
    await payer.resolver.check();
  }
  const looks = endpoint.posts.slice(before).filter((method) => method === "eth_getTransactionReceipt");
  expect(looks.length).toBeGreaterThanOrEqual(10);
  expect(looks.length).toBeLessThanOrEqual(18);
  expect(endpoint.posts.length - before).toBeLessThanOrEqual(6 * looks.length);
});

test("many concurrent queries for one payment ask the chain as often as one does", async () => {
  const { chain, endpoint, parts } = await openFixture();
  const payer = createPayer({ ...parts, client: clientOf([endpoint.url]), waitMs: 1_000 });
  await chain.control.setAutomine(false);
  const to = newAddress();
  await payer.pay({ to, key: "payment-1" });
  const countPosts = async (callers: number) => {
    const before = endpoint.posts.length;
    await Promise.all(Array.from({ length: callers }, () => payer.pay({ to, key: "payment-1" })));
    return endpoint.posts.length - before;
  };
  const alone = await countPosts(1);
  expect(await countPosts(50)).toBeLessThan(3 * alone);
});

test("only the owner of the lease follows open payments, and starts when it acquires it", async () => {
  const { chain, endpoint, parts } = await openFixture();
  let hold: { name: "payments"; owner: string; term: bigint } | null = null;
  const listeners: (() => void)[] = [];
  const lease = {
    findHold: () => hold,
    onAcquired: (listener: () => void) => void listeners.push(listener),
    noteSuccess: () => {},
    noteFailure: () => {},
  };
  const payer = createPayer({ ...parts, client: clientOf([endpoint.url]), lease });
  await chain.control.setAutomine(false);
  const to = newAddress();
  await payer.pay({ to, key: "payment-1" });
  await chain.control.mine({ blocks: 1 });
  payer.resolver.start();
  await payer.resolver.check();
  expect(await payer.store.readOpen()).toMatchObject({ count: 1 });
  hold = { name: "payments", owner: "me", term: 1n };
  for (const listener of listeners) listener();
  await payer.resolver.check();
  expect(await payer.store.readOpen()).toMatchObject({ count: 0 });
  await payer.resolver.stop();
});

test("a payment left by a killed process is completed by the lease's next owner, and counts as what it cost", async () => {
  const { chain, endpoint, parts, privateKey, url, expectSumsToAddUp, balanceOf } = await openFixture();
  const leases = createLeaseStore(parts.database);
  await leases.acquireOrRenew(["payments"], "killed", 2_000);
  const to = newAddress();
  await chain.control.setAutomine(false);
  const child = startTestProcess(payForever, [url, endpoint.url, privateKey, to]);
  const nextLine = readLines(child).next();
  await waitUntil(async () => (await parts.database.payment.count()) === 1, { timeoutMs: 20_000 });
  child.kill("SIGKILL");
  expect(await nextLine).toMatchObject({ done: true });
  const [left] = await parts.database.payment.findMany();
  // The endpoint no longer knows it either.
  await chain.control.dropTransaction({ hash: left!.transactionHash as Hex }).catch(() => undefined);
  await chain.control.setAutomine(true);

  const log = { info: () => undefined, warn: () => undefined };
  const keeper = createLeaseKeeper({ store: leases, owner: "next", leaseSeconds: 2, log });
  const client = clientOf([endpoint.url]);
  const next = createPayer({ ...parts, client, lease: keeper.add(resolverLease), everyMs: 50 });
  next.resolver.start();
  await keeper.start();
  await waitUntil(async () => (await next.store.readOpen()).count === 0, { timeoutMs: 30_000 });
  await next.resolver.stop();
  await keeper.stop();
  expect(await balanceOf(to)).toBe(BigInt(left!.amountWei));
  expect(await chain.viewer.getTransactionCount({ address: next.chain.address })).toBe(1);
  await expectSumsToAddUp(1);
});
