import { afterAll, beforeAll, expect, test } from "vitest";
import { parseEther } from "viem";
import type { Database } from "~/platform/database/database.server";
import { startTestChain } from "~e2e/support/chain/chain";
import type { TestChain } from "~e2e/support/chain/chain";
import { createTestClock, createTestDatabase, testOnPostgresql } from "~e2e/support/databases/database";
import { createPayer, fundedKey, newAddress, paymentLimits } from "~e2e/support/chain/payer";
import { openSlowCommits } from "~e2e/support/databases/slow-commits";
import { waitUntil } from "~e2e/support/processes";
import { toMicroether } from "./ether";

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

const daySeconds = 86_400;

test.each([
  { whose: "one address", limits: { ...paymentLimits, addressMicroether: 700 }, seconds: 3_600 },
  { whose: "everybody", limits: { ...paymentLimits, dailyMicroether: 700 }, seconds: daySeconds },
])("no more than the window of $whose allows is paid around its border", async ({ limits, seconds }) => {
  // The chain's time is behind this clock, so payments count from their signature.
  const { clock, advance } = createTestClock(Date.now() + 10 * daySeconds * 1_000);
  const { database } = await createTestDatabase();
  const privateKey = await fundedKey(chain);
  const payer = createPayer({ database, client: chain.client(), privateKey, limits, clock });
  const to = newAddress();
  const readSpent = async () =>
    toMicroether(parseEther("10") - (await chain.viewer.getBalance({ address: payer.chain.address })));
  const payAllThereIs = async (name: string): Promise<void> => {
    const { status } = await payer.pay({ to, key: name }).catch(() => ({ status: "refused" }));
    if (status === "paid") await payAllThereIs(`${name}.`);
  };

  await payer.pay({ to, amount: "0.000001", key: "the first" });
  const first = await readSpent();
  advance(seconds * 1_000 - 1_000);
  await payAllThereIs("payment-before");
  const before = (await readSpent()) - first;
  expect(before).toBeGreaterThan(300);
  // A window that had begun with the first payment would be over.
  advance(2_000);
  await payAllThereIs("payment-after");
  expect((await readSpent()) - first).toBeLessThanOrEqual(700);
  await expect(payer.pay({ to, key: "payment-late" })).rejects.toThrow(
    /is left, fees included\. More is left from/,
  );

  advance(seconds * 1_000);
  expect(await payer.pay({ to, key: "payment-late" })).toMatchObject({ status: "paid" });
});

async function isWaitingForTurn(database: Database): Promise<boolean> {
  const rows = await database.$queryRaw<object[]>`
    SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
      AND query LIKE 'DELETE FROM %PaymentLane%'`;
  return rows.length === 1;
}

for (const { when, isBackAtOnce } of [
  { when: "while the database is away", isBackAtOnce: false },
  { when: "while the database is asked again", isBackAtOnce: true },
]) {
  testOnPostgresql(
    `a payment whose commit lands after the connection was lost, ${when}, counts, is carried out once, and is found by a repeat`,
    async () => {
      const { direct, database, way, isCommitting, letCommit } = await openSlowCommits("Payment");
      const privateKey = await fundedKey(chain);
      const payer = createPayer({ database, client: chain.client(), privateKey });
      const to = newAddress();
      const paying = payer.pay({ to, key: "payment-1" }).catch((thrown: unknown) => thrown);
      await waitUntil(isCommitting);
      way.cut();
      if (isBackAtOnce) {
        way.mend();
        // It has been noticed by now: the former owner waits to release its turn.
        await waitUntil(async () => await isWaitingForTurn(direct));
        await letCommit();
      }
      const error = await paying;
      // No reply may claim that nothing was paid.
      expect(error).toBeInstanceOf(Error);
      expect(String(error)).not.toContain("Nothing was paid");
      if (!isBackAtOnce) {
        expect(await direct.payment.count()).toBe(0);
        await letCommit();
        way.mend();
      }
      await waitUntil(async () => (await direct.payment.count()) === 1);

      const { address } = await payer.readSums(to);
      expect(address).toBeGreaterThanOrEqual(100);
      await payer.resume();
      await payer.resume();
      const [row] = await direct.payment.findMany();
      expect(await payer.pay({ to, key: "payment-1" })).toMatchObject({
        status: "paid",
        transactionHash: row!.transactionHash,
      });
      expect(await chain.viewer.getBalance({ address: to })).toBe(parseEther("0.0001"));
      expect(await chain.viewer.getTransactionCount({ address: payer.chain.address })).toBe(1);
      const left = await chain.viewer.getBalance({ address: payer.chain.address });
      expect((await payer.readSums(to)).total).toBe(toMicroether(parseEther("10") - left));
    },
  );
}
