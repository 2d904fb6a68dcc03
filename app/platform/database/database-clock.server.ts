import { Prisma } from "~/generated/sqlite/client";
import { isSqlite } from "./database.server";
import type { Database } from "./database.server";

/**
 * One clock for all processes. On PostgreSQL it reads the current time, not the transaction's start, because a
 * statement may have waited for a lock.
 */
export function databaseNowMs(database: Database): Prisma.Sql {
  return isSqlite(database)
    ? Prisma.sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`
    : Prisma.sql`CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)`;
}
