import { sqltag as sql } from "@prisma/client/runtime/client";
import type { Sql } from "@prisma/client/runtime/client";
import { inBatches } from "~/platform/batches.server";
import { isDatabaseOutage, readSqlState } from "./outage.server";

const shortWait = sql`set_config('lock_timeout', '50ms', true)`;
const usualWait = sql`current_setting('lock_timeout')`;
const lockTimedOut = "55P03";
const isOfOneItem = (error: unknown) => readSqlState(error) === lockTimedOut || !isDatabaseOutage(error);

/**
 * Batches on PostgreSQL that lock rows. A batch hardly waits for a row that others hold: then, and where it fails for
 * another reason than an outage, each item is tried by itself. So it fails or keeps waiting none but itself, and two
 * batches that hold rows of each other part before PostgreSQL ends one. `run` puts `lockWait` into the FROM of its first
 * statement.
 */
export function inLockingBatches<Item, Result>(
  run: (items: readonly Item[], lockWait: Sql) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  const runTogether = inBatches((items: readonly Item[]) => run(items, shortWait));
  return async (item) => {
    try {
      return await runTogether(item);
    } catch (error) {
      if (!isOfOneItem(error)) throw error;
      const [result] = await run([item], usualWait);
      return result!;
    }
  };
}
