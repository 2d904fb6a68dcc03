import { execFile } from "node:child_process";
import { readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { parseEther } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { startTestChain } from "~e2e/support/chain/chain";
import { createTestDatabase, createTestDir } from "~e2e/support/databases/database";
import { createPayer, fundedKey, newAddress } from "~e2e/support/chain/payer";
import { toMicroether } from "./ether";

const finalSeconds = 15 * 60;

/** Reverts every call. */
const refusingCode = "0x60006000fd";

async function openFixture({ waitMs = 100 } = {}) {
  const chain = await startTestChain();
  onTestFinished(() => chain.stop());
  const { database } = await createTestDatabase();
  const privateKey = await fundedKey(chain);
  let laterMs = 0;
  const payer = createPayer({
    database,
    client: chain.client(),
    privateKey,
    waitMs,
    clock: () => Date.now() + laterMs,
  });
  /** Adds a block so much newer that all earlier ones are final. */
  async function makeFinal(): Promise<void> {
    await chain.control.increaseTime({ seconds: finalSeconds });
    await chain.control.mine({ blocks: 1 });
  }
  return { chain, payer, privateKey, makeFinal, advance: (ms: number) => (laterMs += ms) };
}

test("a transaction that fails on the chain stays open until final, then its amount is returned and its fee counted", async () => {
  const { chain, payer, makeFinal } = await openFixture();
  const to = newAddress();
  await chain.control.setAutomine(false);
  const pay = () => payer.pay({ to, amount: "0.001", key: "payment-1" });
  expect(await pay()).toMatchObject({ status: "pending" });
  expect((await payer.readSums(to)).address).toBeGreaterThan(1_000);
  await chain.control.setCode({ address: to, bytecode: refusingCode });
  await chain.control.mine({ blocks: 1 });
  // In another block it could succeed.
  expect(await pay()).toMatchObject({ status: "pending" });
  await makeFinal();
  expect(await pay()).toMatchObject({ status: "failed" });
  expect(await chain.viewer.getBalance({ address: to })).toBe(0n);
  const left = await chain.viewer.getBalance({ address: payer.chain.address });
  const fee = toMicroether(parseEther("10") - left);
  expect(fee).toBeGreaterThan(0);
  expect(await payer.readSums(to)).toEqual({ address: fee, total: fee });
});

test("a payment that waits for its block stays reserved, and is settled by it", async () => {
  const { chain, payer } = await openFixture();
  const to = newAddress();
  await chain.control.setAutomine(false);
  const pending = await payer.pay({ to, key: "payment-1" });
  expect(await payer.pay({ to, key: "payment-1" })).toEqual(pending);
  await chain.control.mine({ blocks: 1 });
  await payer.resume();
  const paid = await payer.pay({ to, key: "payment-1" });
  expect(paid).toMatchObject({ status: "paid", transactionHash: pending.transactionHash });
  const left = await chain.viewer.getBalance({ address: payer.chain.address });
  expect((await payer.readSums(to)).address).toBe(toMicroether(parseEther("10") - left));
  expect(await chain.viewer.getBalance({ address: to })).toBe(parseEther("0.0001"));
});

test("a payment whose nonce was used otherwise has failed once that is final, and not before", async () => {
  const { chain, payer, privateKey, makeFinal, advance } = await openFixture();
  const to = newAddress();
  await chain.control.setAutomine(false);
  const { transactionHash } = await payer.pay({ to, key: "payment-1" });
  await chain.control.dropTransaction({ hash: transactionHash as `0x${string}` });
  const raw = await privateKeyToAccount(privateKey).signTransaction({
    chainId: chain.chainId,
    to: payer.chain.address,
    nonce: 0,
    gas: 21_000n,
    maxFeePerGas: parseEther("0.00001"),
    maxPriorityFeePerGas: parseEther("0.00001"),
  });
  await chain.viewer.sendRawTransaction({ serializedTransaction: raw });
  await chain.control.mine({ blocks: 1 });
  await chain.control.mine({ blocks: 200 });
  advance(3_600_000);
  expect(await payer.pay({ to, key: "payment-1" })).toMatchObject({ status: "pending" });
  await makeFinal();
  expect(await payer.pay({ to, key: "payment-1" })).toMatchObject({ status: "failed", blockNumber: null });
  expect(await payer.readSums(to)).toEqual({ address: 0, total: 0 });
  await chain.control.setAutomine(true);
  await expect.poll(async () => (await payer.pay({ to, key: "payment-2" })).status).toBe("paid");
});

/** Runs the block of the operator's guide, with only the nonce and the settings replaced. */
async function runWayOut(nonce: number, rpcUrl: string, privateKey: string) {
  const dir = await createTestDir();
  await symlink(path.resolve("node_modules"), path.join(dir, "node_modules"));
  const settings = `RPC_URL=${rpcUrl},http://127.0.0.1:9\nAI_PRIVATE_KEY=${privateKey}\n`;
  await writeFile(path.join(dir, ".env"), settings);
  const guide = await readFile("docs/operating.md", "utf8");
  const block = /^```sh\n(NONCE=12 [\s\S]*?)^```$/m.exec(guide)![1]!;
  const script = block.replace("NONCE=12", `NONCE=${nonce}`);
  const env = { PATH: process.env.PATH } as unknown as NodeJS.ProcessEnv;
  const { stdout } = await promisify(execFile)("bash", ["-euc", script], { cwd: dir, env });
  expect(stdout).toMatch(/^0x[0-9a-f]{64}\n$/);
}

test("a payment with too low a fee delays all others until the operator has used its nonce as the guide says", async () => {
  const { chain, payer, privateKey, makeFinal } = await openFixture();
  const [first, second] = [newAddress(), newAddress()];
  await chain.control.setAutomine(false);
  expect(await payer.pay({ to: first, key: "payment-1" })).toMatchObject({ status: "pending" });
  await chain.control.setNextBlockBaseFeePerGas({ baseFeePerGas: parseEther("0.000001") });
  await chain.control.mine({ blocks: 1 });

  const payNext = () => payer.pay({ to: second, key: "payment-2" });
  await expect(payNext()).rejects.toThrow("not confirmed by the chain yet");
  const [open] = await payer.store.listUnsettled(chain.chainId);
  await runWayOut(open!.nonce, chain.rpcUrl, privateKey);
  await chain.control.mine({ blocks: 1 });
  expect(await chain.viewer.getTransactionCount({ address: payer.chain.address })).toBe(open!.nonce + 1);
  await chain.control.setAutomine(true);
  // The nonce is used, so no payment waits for it any more.
  await expect.poll(async () => (await payNext()).status).toBe("paid");
  await makeFinal();
  expect(await payer.pay({ to: first, key: "payment-1" })).toMatchObject({ status: "failed" });
  expect((await payer.readSums(first)).address).toBe(0);
  expect(await chain.viewer.getBalance({ address: first })).toBe(0n);
});

test("a service that stops waits for no block, and signs nothing any more", async () => {
  const { chain, payer } = await openFixture({ waitMs: 3_600_000 });
  await chain.control.setAutomine(false);
  const paying = payer.pay({ to: newAddress(), key: "payment-1" });
  const waiting = payer.pay({ to: newAddress(), key: "payment-2" });
  const refused = expect(waiting).rejects.toThrow();
  await vi.waitUntil(async () => (await payer.store.listUnsettled(chain.chainId)).length === 1, {
    timeout: 20_000,
  });
  payer.shutdown.abort();
  expect(await paying).toMatchObject({ status: "pending" });
  await refused;
  expect(await payer.store.listUnsettled(chain.chainId)).toHaveLength(1);
});
