import { Prisma } from "~/generated/sqlite/client";
import { isSqlite } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import type { LeaseHold } from "./lease";

/**
 * The database's own clock, which is one for all processes. On PostgreSQL the moment it is asked, not the moment the
 * transaction began: a statement may have waited for a lock in between.
 */
export function databaseNowMs(database: Database): Prisma.Sql {
  return isSqlite(database)
    ? Prisma.sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`
    : Prisma.sql`CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)`;
}

/**
 * A condition for the very statement that writes: true while the lease is held. A process that was paused beyond
 * the end of its lease thereby changes nothing. Without a hold the condition is always true.
 */
export function whileHeld(database: Database, hold: LeaseHold | undefined): Prisma.Sql {
  if (hold === undefined) return Prisma.sql`1 = 1`;
  return Prisma.sql`EXISTS (
    SELECT 1 FROM "Lease" AS held
    WHERE held."name" = ${hold.name} AND held."holder" = ${hold.owner} AND held."term" = ${hold.term}
      AND held."expiresAtMs" > ${databaseNowMs(database)})`;
}
