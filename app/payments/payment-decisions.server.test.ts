import { execFile } from "node:child_process";
import { readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { parseEther } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { startTestChain } from "~/testing/chain";
import { createTestDatabase, createTestDir } from "~/testing/database";
import { createPayer, fundedKey, newAddress } from "~/testing/payer";
import { ownerOfAddress, ownerOfAllPayments } from "~/quota/quota-subject";

const limit = 1_000_000;
/** Reverts whatever it is called with. */
const refusingCode = "0x60006000fd";

async function openPlace({ waitMs = 100 } = {}) {
  const chain = await startTestChain();
  onTestFinished(() => chain.stop());
  const { database } = await createTestDatabase();
  const privateKey = await fundedKey({ chain });
  let laterMs = 0;
  const payer = createPayer({
    database,
    client: chain.client(),
    privateKey,
    waitMs,
    clock: () => Date.now() + laterMs,
  });
  return { chain, payer, privateKey, advance: (ms: number) => (laterMs += ms) };
}

test("a transaction that fails in the chain gives the amount back and counts the fee", async () => {
  const { chain, payer } = await openPlace();
  const to = newAddress();
  await chain.control.setAutomine(false);
  expect(await payer.pay({ to, amount: "0.001", key: "payment-1" })).toMatchObject({ status: "pending" });
  const owner = ownerOfAddress(to);
  expect((await payer.ledger.readStanding({ owner, limit })).reserved).toBeGreaterThan(1_000);
  await chain.control.setCode({ address: to, bytecode: refusingCode });
  await chain.control.mine({ blocks: 1 });
  expect(await payer.pay({ to, amount: "0.001", key: "payment-1" })).toMatchObject({ status: "failed" });
  expect(await chain.viewer.getBalance({ address: to })).toBe(0n);
  for (const its of [owner, ownerOfAllPayments]) {
    const { used, reserved } = await payer.ledger.readStanding({ owner: its, limit });
    expect(reserved).toBe(0);
    expect(used).toBeGreaterThan(0);
    expect(used).toBeLessThan(1_000);
  }
});

test("a payment that waits for its block stays set aside, and is settled by it", async () => {
  const { chain, payer } = await openPlace();
  const to = newAddress();
  await chain.control.setAutomine(false);
  const pending = await payer.pay({ to, key: "payment-1" });
  expect(await payer.pay({ to, key: "payment-1" })).toEqual(pending);
  await chain.control.mine({ blocks: 1 });
  await payer.resume();
  const paid = await payer.pay({ to, key: "payment-1" });
  expect(paid).toMatchObject({ status: "paid", transactionHash: pending.transactionHash });
  expect(await payer.ledger.readStanding({ owner: ownerOfAddress(to), limit })).toMatchObject({
    reserved: 0,
  });
  expect(await chain.viewer.getBalance({ address: to })).toBe(parseEther("0.0001"));
});

test("a payment whose nonce went to something else has failed, but is not believed to before it is old", async () => {
  const { chain, payer, privateKey, advance } = await openPlace();
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
  await chain.control.mine({ blocks: 70 });
  expect(await payer.pay({ to, key: "payment-1" })).toMatchObject({ status: "pending" });
  advance(11 * 60 * 1000);
  expect(await payer.pay({ to, key: "payment-1" })).toMatchObject({ status: "failed", blockNumber: null });
  const standing = await payer.ledger.readStanding({ owner: ownerOfAddress(to), limit });
  expect(standing).toMatchObject({ used: 0, reserved: 0 });
  await chain.control.setAutomine(true);
  expect(await payer.pay({ to, key: "payment-2" })).toMatchObject({ status: "paid" });
});

/** The block of the operator's guide, run as it stands there but for the nonce and the settings. */
async function runWayOut({
  nonce,
  rpcUrl,
  privateKey,
}: {
  nonce: number;
  rpcUrl: string;
  privateKey: string;
}) {
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

test("a payment whose fee is too low holds up all others, until the operator has used its nonce as the guide says", async () => {
  const { chain, payer, privateKey, advance } = await openPlace();
  const [first, second] = [newAddress(), newAddress()];
  await chain.control.setAutomine(false);
  expect(await payer.pay({ to: first, key: "payment-1" })).toMatchObject({ status: "pending" });
  await chain.control.setNextBlockBaseFeePerGas({ baseFeePerGas: parseEther("0.000001") });
  await chain.control.mine({ blocks: 1 });

  const payNext = () => payer.pay({ to: second, key: "payment-2" });
  await expect(payNext()).rejects.toThrow("not confirmed by the chain yet");
  const [open] = await payer.store.listOpen({ chainId: chain.chainId });
  await runWayOut({ nonce: open!.nonce, rpcUrl: chain.rpcUrl, privateKey });
  await chain.control.mine({ blocks: 1 });
  expect(await chain.viewer.getTransactionCount({ address: payer.chain.address })).toBe(open!.nonce + 1);
  await chain.control.mine({ blocks: 64 });
  await expect(payNext()).rejects.toThrow("not confirmed by the chain yet");
  advance(11 * 60 * 1000);

  await chain.control.setAutomine(true);
  expect(await payNext()).toMatchObject({ status: "paid" });
  expect(await payer.pay({ to: first, key: "payment-1" })).toMatchObject({ status: "failed" });
  expect(await payer.ledger.readStanding({ owner: ownerOfAddress(first), limit })).toMatchObject({
    ...{ used: 0, reserved: 0 },
  });
  expect(await chain.viewer.getBalance({ address: first })).toBe(0n);
});

test("a service that stops waits for no block, and signs nothing any more", async () => {
  const { chain, payer } = await openPlace({ waitMs: 3_600_000 });
  await chain.control.setAutomine(false);
  const paying = payer.pay({ to: newAddress(), key: "payment-1" });
  const waiting = payer.pay({ to: newAddress(), key: "payment-2" });
  const refused = expect(waiting).rejects.toThrow();
  await vi.waitUntil(async () => (await payer.store.listOpen({ chainId: chain.chainId })).length === 1, {
    timeout: 20_000,
  });
  payer.shutdown.abort();
  expect(await paying).toMatchObject({ status: "pending" });
  await refused;
  expect(await payer.store.listOpen({ chainId: chain.chainId })).toHaveLength(1);
});
