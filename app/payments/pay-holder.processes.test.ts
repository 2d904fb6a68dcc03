import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect } from "vitest";
import { parseEther } from "viem";
import { readLines, startTestProcess } from "~e2e/support/child-process";
import { startTestChain } from "~e2e/support/chain/chain";
import type { TestChain } from "~e2e/support/chain/chain";
import { testOnEachDatabase } from "~e2e/support/databases/database";
import { createPayer, fundedKey, newAddress } from "~e2e/support/chain/payer";
import { toMicroether } from "./ether";

const payForever = fileURLToPath(new URL("../../e2e/support/chain/pay-forever.ts", import.meta.url));

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

testOnEachDatabase(
  "a process killed repeatedly while it pays neither pays twice nor loses what it acknowledged",
  async ({ url, database }) => {
    const privateKey = await fundedKey(chain);
    const to = newAddress();
    const acknowledged: string[] = [];
    const rounds = 4;
    for (let round = 0; round < rounds; round++) {
      const args = [url, chain.rpcUrl, privateKey, to, String(round)];
      const child = startTestProcess(payForever, args);
      const killAfterLines = 1 + Math.floor(Math.random() * 4);
      // Anywhere in the payment that follows.
      const killAfterMs = Math.random() * 60;
      let lineCount = 0;
      for await (const line of readLines(child)) {
        acknowledged.push(line);
        if (++lineCount === killAfterLines) setTimeout(() => child.kill("SIGKILL"), killAfterMs);
      }
    }
    const payer = createPayer({ client: chain.client(), database, privateKey });
    await payer.resume();
    const rows = await database.payment.findMany();
    expect(rows.filter(({ state }) => state !== "paid")).toEqual([]);
    const keys = rows.map(({ idempotencyKey }) => idempotencyKey);
    expect(acknowledged.length).toBeGreaterThanOrEqual(rounds);
    expect(acknowledged.filter((key) => !keys.includes(key))).toEqual([]);
    expect(await chain.viewer.getBalance({ address: to })).toBe(BigInt(rows.length) * 10n ** 12n);
    expect(await chain.viewer.getTransactionCount({ address: payer.chain.address })).toBe(rows.length);
    const { address, total } = await payer.readSums(to);
    expect(total).toBe(address);
    // Each payment is rounded up by less than a millionth.
    const left = await chain.viewer.getBalance({ address: payer.chain.address });
    const spent = toMicroether(parseEther("10") - left);
    expect(total).toBeGreaterThanOrEqual(spent);
    expect(total).toBeLessThan(spent + rows.length);
  },
  120_000,
);

testOnEachDatabase(
  "two processes whose clocks are an hour apart pay in turn, and never at the same time",
  async ({ url, database }) => {
    const privateKey = await fundedKey(chain);
    const wanted = 8;
    const children = [0, 1].map((hours) => {
      const times = ["30", String(hours * 3_600_000)];
      const args = [url, chain.rpcUrl, privateKey, newAddress(), `clock-${hours}`, ...times];
      return startTestProcess(payForever, args);
    });
    const counts = [0, 0];
    async function countPayments(index: number): Promise<void> {
      for await (const _key of readLines(children[index]!)) {
        counts[index]! += 1;
        // Kills both at once. A survivor would wait for the turn of the killed one.
        if (counts.every((count) => count >= wanted)) for (const child of children) child.kill("SIGKILL");
      }
    }
    await Promise.all([countPayments(0), countPayments(1)]);
    // A process that lost its turn would have been refused and ended early.
    expect(counts.map((count) => count >= wanted)).toEqual([true, true]);
    const payer = createPayer({ client: chain.client(), database, privateKey });
    await payer.resume();
    const rows = await database.payment.findMany({ orderBy: { nonce: "asc" } });
    expect(rows.map(({ nonce, state }) => [Number(nonce), state])).toEqual(
      rows.map((_, index) => [index, "paid"]),
    );
    expect(await chain.viewer.getTransactionCount({ address: payer.chain.address })).toBe(rows.length);
  },
  120_000,
);
