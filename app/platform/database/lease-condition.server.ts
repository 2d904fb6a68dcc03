import { sqltag as sql } from "@prisma/client/runtime/client";
import type { Sql } from "@prisma/client/runtime/client";
import { isSqlite } from "./database.server";
import type { Database } from "./database.server";
import type { LeaseHold } from "~/platform/leases/lease";

/**
 * The database's own clock, which is one for all processes. On PostgreSQL the moment it is asked, not the moment the
 * transaction began: a statement may have waited for a lock in between.
 */
export function databaseNowMs(database: Database): Sql {
  return isSqlite(database)
    ? sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`
    : sql`CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)`;
}

/**
 * A condition for the very statement that writes: true while the lease is held. A process that was paused beyond
 * the end of its lease thereby changes nothing. Without a hold the condition is always true.
 */
export function whileHeld(database: Database, hold: LeaseHold | undefined): Sql {
  if (hold === undefined) return sql`1 = 1`;
  return sql`EXISTS (
    SELECT 1 FROM "Lease" AS held
    WHERE held."name" = ${hold.name} AND held."holder" = ${hold.owner} AND held."term" = ${hold.term}
      AND held."expiresAtMs" > ${databaseNowMs(database)})`;
}
