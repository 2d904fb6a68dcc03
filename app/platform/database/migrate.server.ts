import { readDatabaseUrl } from "./database-url.server";
import { readMigrations } from "./migration-history.server";
import { migratePostgresql } from "./migrate-postgresql.server";
import { migrateSqlite } from "./migrate-sqlite.server";
import type { EventLog } from "~/platform/log/log.server";

type MigrateDatabaseOptions = {
  url: string;
  /** The folder that holds `sqlite/` and `postgresql/`, each with `<name>/migration.sql`. */
  migrationsDir: string;
  log?: EventLog;
};

/**
 * Each migration is one transaction under a lock, so any number of processes may start at once. Rejects, changing
 * nothing, when the history is not one this build knows. Keeps the table of `prisma migrate deploy`, which goes on from it.
 */
export async function migrateDatabase({ url, migrationsDir, log }: MigrateDatabaseOptions): Promise<void> {
  const location = readDatabaseUrl(url);
  const migrations = await readMigrations(migrationsDir, location.provider);
  const applied =
    location.provider === "sqlite"
      ? await migrateSqlite(location.path, migrations)
      : await migratePostgresql(location.url, migrations);
  if (applied.length > 0) log?.info({ migrations: applied }, "migrations applied");
}
