import { Prisma } from "~/generated/sqlite/client";
import type { Database } from "~/platform/database/database.server";
import type { LeaseHold } from "./lease";
import { databaseNowMs } from "~/platform/database/database-clock.server";

/** Longer than any lease. A later expiry is from before the database's clock was set back. */
const beyondAnyLeaseMs = 180_000;

export type LeaseStore = ReturnType<typeof createLeaseStore>;

export function createLeaseStore(database: Database) {
  const now = databaseNowMs(database);

  /** Renews the owner's leases, acquires expired ones, and returns all that it has now. */
  async function acquireOrRenew(
    names: readonly string[],
    owner: string,
    leaseMs: number,
  ): Promise<LeaseHold[]> {
    const until = Prisma.sql`${now} + ${BigInt(leaseMs)}`;
    // Always in one order, to avoid deadlocks.
    const rows = names.toSorted().map((name) => Prisma.sql`(${name}, ${owner}, 1, ${until})`);
    return await database.$queryRaw<LeaseHold[]>`
      INSERT INTO "Lease" AS lease ("name", "holder", "term", "expiresAtMs") VALUES ${Prisma.join(rows)}
      ON CONFLICT ("name") DO UPDATE SET
        "holder" = excluded."holder",
        "term" = lease."term"
          + CASE WHEN lease."holder" = excluded."holder" AND lease."expiresAtMs" > ${now} THEN 0 ELSE 1 END,
        "expiresAtMs" = ${until}
      WHERE lease."holder" = excluded."holder" OR lease."expiresAtMs" <= ${now}
        OR lease."expiresAtMs" > ${now} + ${BigInt(beyondAnyLeaseMs)}
      RETURNING "name", "holder" AS "owner", "term"`;
  }

  async function release(owner: string, names: readonly string[]): Promise<void> {
    const where = { owner, name: { in: [...names] } };
    await database.lease.updateMany({ where, data: { expiresAtMs: 0n } });
  }

  return { acquireOrRenew, release };
}
