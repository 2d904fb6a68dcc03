import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { createKeyStore } from "~/gate/ownership/keys.store.server";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import { createTestDir } from "~e2e/support/databases/database";
import { fillUsedKeys, probeKeys } from "./fill-used-keys";

const contractAddress = "0xAbCdEfabcdefabcdefabcdefabcdefabcdefabcd";

test("as many keys are used as requested, with the required ones used or unused", async () => {
  const databaseFile = path.join(await createTestDir(), "latchkey.db");
  const { used, unused } = probeKeys(1000);
  await fillUsedKeys({ databaseFile, chainId: 31337, contractAddress, usedKeys: 1000, unused });
  const database = await openDatabase({ url: pathToFileURL(databaseFile).href });
  try {
    expect(await database.usedKey.count()).toBe(1000);
    const keys = createKeyStore(database);
    const isUsed = async (id: number) =>
      (await keys.findUsedKey({ key: { chainId: 31337, contractAddress, tokenId: String(id) } })) !== null;
    expect(await Promise.all(used.map(isUsed))).not.toContain(false);
    expect(await Promise.all(unused.map(isUsed))).not.toContain(true);
  } finally {
    await closeDatabase(database);
  }
});

test("the requested keys are evenly spread, half of them used", () => {
  const { used, unused, series } = probeKeys(1_000_000);
  expect([used.length, unused.length]).toEqual([20, 20]);
  expect([...used, ...unused].sort((one, other) => one - other).at(-1)).toBe(1_000_000);
  expect(series).toEqual({ firstTokenId: 25_000, count: 40, step: 25_000 });
  expect(() => probeKeys(39)).toThrow("no 40");
});
