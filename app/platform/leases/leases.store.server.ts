import { join, sqltag as sql } from "@prisma/client/runtime/client";
import type { Database } from "~/platform/database/database.server";
import type { LeaseHold, LeaseName } from "./lease";
import { databaseNowMs, whileHeld } from "~/platform/database/lease-condition.server";

/**
 * Longer than any lease can be. One that ends later still was taken before the database's clock was set back, and would
 * keep everybody waiting for as long as that was.
 */
const beyondAnyLeaseMs = 180_000;

export type LeaseStore = ReturnType<typeof createLeaseStore>;

export function createLeaseStore({ database }: { database: Database }) {
  const now = databaseNowMs(database);

  /** Renews those of the leases that are this holder's, takes those that lapsed, and answers with what it has now. */
  async function takeOrRenew(request: {
    names: readonly LeaseName[];
    holder: string;
    leaseMs: number;
  }): Promise<LeaseHold[]> {
    const { names, holder, leaseMs } = request;
    const until = sql`${now} + ${BigInt(leaseMs)}`;
    // Always in one order, so that two processes that do this at once wait for each other one way round.
    const rows = names.toSorted().map((name) => sql`(${name}, ${holder}, 1, ${until})`);
    return await database.$queryRaw<LeaseHold[]>`
      INSERT INTO "Lease" AS lease ("name", "holder", "term", "expiresAtMs") VALUES ${join(rows)}
      ON CONFLICT ("name") DO UPDATE SET
        "holder" = excluded."holder",
        "term" = lease."term"
          + CASE WHEN lease."holder" = excluded."holder" AND lease."expiresAtMs" > ${now} THEN 0 ELSE 1 END,
        "expiresAtMs" = ${until}
      WHERE lease."holder" = excluded."holder" OR lease."expiresAtMs" <= ${now}
        OR lease."expiresAtMs" > ${now} + ${BigInt(beyondAnyLeaseMs)}
      RETURNING "name", "holder", "term"`;
  }

  /** For work that is not one statement: asked right before each piece of it. */
  async function isHeld(hold: LeaseHold): Promise<boolean> {
    const rows = await database.$queryRaw<
      unknown[]
    >`SELECT 1 AS "one" WHERE ${whileHeld({ database, hold })}`;
    return rows.length === 1;
  }

  /** Lets others take over at once. */
  async function release({ holder }: { holder: string }): Promise<void> {
    await database.lease.updateMany({ where: { holder }, data: { expiresAtMs: 0n } });
  }

  return { takeOrRenew, isHeld, release };
}
