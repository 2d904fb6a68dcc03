import { expect } from "vitest";
import { countOutcomes, openTestDatabase, testOnEachDatabase } from "~e2e/support/databases/database";
import { createSpentSignatureStore } from "./nonces.store.server";

testOnEachDatabase(
  "exactly one of a hundred concurrent requests spends a signature",
  async ({ database, url }) => {
    const stores = [database, await openTestDatabase(url)].map((connection) =>
      createSpentSignatureStore(connection),
    );
    const outcomes = await countOutcomes(100, async (index) =>
      stores[index % 2]?.spendSignature({ digest: "d", expiresAtMs: 5 }),
    );
    expect(outcomes).toEqual(
      new Map([
        [true, 1],
        [false, 99],
      ]),
    );
    expect(await stores[0]?.spendSignature({ digest: "another", expiresAtMs: 5 })).toBe(true);
  },
);
