import { Prisma } from "~/generated/sqlite/client";
import { databaseNowMs } from "~/platform/database/database-clock.server";
import type { Database } from "~/platform/database/database.server";
import type { LeaseHold } from "./lease";

/**
 * A condition for a write: true while the lease is ours. A process that was paused for longer than its lease changes
 * nothing. Without a hold it is always true.
 */
export function whileHeld(database: Database, hold: LeaseHold | undefined): Prisma.Sql {
  if (hold === undefined) return Prisma.sql`1 = 1`;
  return Prisma.sql`EXISTS (
    SELECT 1 FROM "Lease" AS held
    WHERE held."name" = ${hold.name} AND held."holder" = ${hold.owner} AND held."term" = ${hold.term}
      AND held."expiresAtMs" > ${databaseNowMs(database)})`;
}
