import { expect } from "vitest";
import { testOnEachDatabase } from "./database";
import { emptyTables, fillTables } from "./filled-tables";
import { listStoreWrites } from "./store-writes";

testOnEachDatabase(
  "each write of each store does what it is listed for",
  async ({ database }) => {
    for (const [maker, { writes }] of Object.entries(listStoreWrites(database))) {
      for (const [name, [listed]] of Object.entries(writes)) {
        await emptyTables(database);
        await fillTables(database);
        expect([maker, name, await listed!.write()]).toEqual([maker, name, listed!.outcome]);
      }
    }
  },
  120_000,
);
