import { expect } from "vitest";
import { testOnEachDatabase } from "~e2e/support/databases/database";
import { createChainCursorStore } from "./chain-cursor.store.server";

testOnEachDatabase("the cursor of each contract is saved, forwards and backwards", async ({ database }) => {
  const store = createChainCursorStore(database);
  const contract = { chainId: 11_297_108_109, contractAddress: `0x${"Ab".repeat(20)}` };
  expect(await store.findCursor(contract)).toBe(null);
  const ahead = { blockNumber: 2n ** 53n - 1n, blockHash: "0x01" };
  await store.saveCursor(contract, ahead);
  expect(await store.findCursor(contract)).toEqual(ahead);
  const back = { blockNumber: 7n, blockHash: "0x02" };
  await store.saveCursor(contract, back);
  expect(await store.findCursor({ ...contract, contractAddress: `0x${"aB".repeat(20)}` })).toEqual(back);
  expect(await store.findCursor({ ...contract, chainId: 1 })).toBe(null);
});

testOnEachDatabase("a cursor's age is counted from its last save, by any process", async ({ database }) => {
  const store = createChainCursorStore(database);
  const contract = { chainId: 1, contractAddress: "0xab" };
  const cursor = { blockNumber: 7n, blockHash: "0x02" };
  expect(await store.findCursorAgeMs(contract)).toBe(null);
  await store.saveCursor(contract, cursor);
  await database.$executeRaw`UPDATE "ChainCursor" SET "updatedAtMs" = "updatedAtMs" - 600000`;
  expect(await store.findCursorAgeMs(contract)).toBeGreaterThanOrEqual(600_000);
  await store.saveCursor(contract, cursor);
  expect(await store.findCursorAgeMs(contract)).toBeLessThan(600_000);
});
