import { expect } from "vitest";
import type { Database } from "~/platform/database/database.server";
import { testOnEachDatabase } from "~e2e/support/databases/database";
import { createChainCursorStore } from "./chain-cursor.store.server";

const [contractAddress, otherAddress] = [`0x${"Ab".repeat(20)}`, `0x${"cd".repeat(20)}`];
const contract = { chainId: 11_297_108_109, contractAddress };
const cursor = { blockNumber: 7n, blockHash: "0x02", blockSeconds: 1_700_000_000n };

const makeOlder = (database: Database, address: string) => database.$executeRaw`
  UPDATE "ChainCursor" SET "updatedAtMs" = "updatedAtMs" - 600000 WHERE "contractAddress" = ${address.toLowerCase()}`;

testOnEachDatabase("the cursor of each chain is saved, forwards and backwards", async ({ database }) => {
  const store = createChainCursorStore(database);
  expect(await store.findCursor(contract)).toBe(null);
  const ahead = { ...cursor, blockNumber: 2n ** 53n - 1n, blockHash: "0x01" };
  await store.saveCursor(contract, ahead);
  expect(await store.findCursor(contract)).toMatchObject(ahead);
  await store.saveCursor({ ...contract, contractAddress: contractAddress.toLowerCase() }, cursor);
  expect(await store.findCursor(contract)).toMatchObject(cursor);
  expect(await database.chainCursor.count()).toBe(1);
  expect(await store.findCursor({ chainId: 1 })).toBe(null);
});

testOnEachDatabase(
  "of rows of several contracts the one written last is the chain's",
  async ({ database }) => {
    const store = createChainCursorStore(database);
    await store.saveCursor(contract, { ...cursor, blockNumber: 900n, blockHash: "0x09" });
    await makeOlder(database, contractAddress);
    expect(await store.findCursorAgeMs(contract)).toBeGreaterThanOrEqual(600_000);
    await store.saveCursor({ ...contract, contractAddress: otherAddress }, cursor);
    expect(await store.findCursor(contract)).toMatchObject(cursor);
    expect(await store.findCursorAgeMs(contract)).toBeLessThan(600_000);
  },
);

testOnEachDatabase(
  "a block dated in the future is dated to when it was written, as a wrong clock is not to count for ever",
  async ({ database }) => {
    const store = createChainCursorStore(database);
    const before = BigInt(Math.floor(Date.now() / 1_000));
    await store.saveCursor(contract, { ...cursor, blockSeconds: before + 86_400n });
    const { blockSeconds } = (await store.findCursor(contract))!;
    expect(blockSeconds).toBeGreaterThanOrEqual(before - 1n);
    expect(blockSeconds).toBeLessThan(before + 3_600n);
  },
);

testOnEachDatabase("a cursor's age is counted from its last save, by any process", async ({ database }) => {
  const store = createChainCursorStore(database);
  expect(await store.findCursorAgeMs(contract)).toBe(null);
  await store.saveCursor(contract, cursor);
  await makeOlder(database, contractAddress);
  expect(await store.findCursorAgeMs(contract)).toBeGreaterThanOrEqual(600_000);
  await store.saveCursor(contract, cursor);
  expect(await store.findCursorAgeMs(contract)).toBeLessThan(600_000);
  expect(await store.findCursorAgeMs({ chainId: 1 })).toBe(null);
});
