import { sqltag as sql } from "@prisma/client/runtime/client";
import type { Sql } from "@prisma/client/runtime/client";
import { inBatches } from "~/platform/batches.server";
import { readSqlState } from "./outage.server";

const shortWait = sql`set_config('lock_timeout', '50ms', true)`;
const usualWait = sql`current_setting('lock_timeout')`;
const lockTimedOut = "55P03";

/**
 * Batches on PostgreSQL that lock rows, one at a time. A batch does not wait for a row that others hold: then each item is
 * tried by itself, so that it keeps none but itself waiting, and two batches that hold rows of each other part before
 * PostgreSQL ends one. `run` puts `lockWait` into the FROM of its first statement.
 */
export function inLockingBatches<Item, Result>(
  run: (items: readonly Item[], lockWait: Sql) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  const runTogether = inBatches((items: readonly Item[]) => run(items, shortWait));
  return async (item) => {
    try {
      return await runTogether(item);
    } catch (error) {
      if (readSqlState(error) !== lockTimedOut) throw error;
      const [result] = await run([item], usualWait);
      return result!;
    }
  };
}
