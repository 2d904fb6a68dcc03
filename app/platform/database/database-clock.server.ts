import { Prisma } from "~/generated/sqlite/client";
import { isSqlite } from "./database.server";
import type { Database } from "./database.server";

/**
 * The database's own clock, which is one for all processes. On PostgreSQL the moment it is asked, not the moment the
 * transaction began: a statement may have waited for a lock in between.
 */
export function databaseNowMs(database: Database): Prisma.Sql {
  return isSqlite(database)
    ? Prisma.sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`
    : Prisma.sql`CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)`;
}
