import type { Database } from "~/platform/database/database.server";

/** What was applied to the database, by the runner's own table. */
export function createMigrationReader(database: Database) {
  return async function readMigrations(): Promise<{ count: number; last: string | null }> {
    const [row] = await database.$queryRaw<{ count: number | bigint; last: string | null }[]>`
      SELECT COUNT(*) AS "count", MAX("migration_name") AS "last" FROM "_prisma_migrations"
      WHERE "finished_at" IS NOT NULL`;
    return { count: Number(row?.count ?? 0), last: row?.last ?? null };
  };
}
