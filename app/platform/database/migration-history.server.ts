import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

export type Migration = { name: string; sql: string; checksum: string };

/** Rows of `_prisma_migrations`; SQLite has 0 and 1 for false and true. */
export const readHistorySql = `
  SELECT "migration_name" AS "name", "checksum",
    "finished_at" IS NOT NULL AS "isFinished", "rolled_back_at" IS NOT NULL AS "isRolledBack"
  FROM "_prisma_migrations"`;
export type AppliedMigration = {
  name: string;
  checksum: string;
  isFinished: boolean | number;
  isRolledBack: boolean | number;
};

/** The database and this build do not fit together; the message says what the operator can do. */
export class MigrationRefused extends Error {
  override readonly name = "MigrationRefused";
}

export async function readMigrations(
  migrationsDir: string,
  provider: "sqlite" | "postgresql",
): Promise<Migration[]> {
  const providerDir = path.join(migrationsDir, provider);
  const entries = await readdir(providerDir, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  if (names.length === 0) throw new Error(`There are no migrations in ${providerDir}.`);
  return await Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(path.join(providerDir, name, "migration.sql"), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

/** The first migration that still has to run, or null. Throws `MigrationRefused` when the history does not fit. */
export function findNextMigration(migrations: Migration[], applied: AppliedMigration[]): Migration | null {
  const standing = applied.filter((row) => !row.isRolledBack);
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const row of standing) {
    const migration = known.get(row.name);
    if (migration === undefined) {
      throw new MigrationRefused(
        `The database is newer than this build: it has the migration "${row.name}", which this build does not know. ` +
          "Start the newer build, or restore a backup from before the update.",
      );
    }
    if (!row.isFinished) {
      throw new MigrationRefused(
        `The migration "${row.name}" failed half-way in this database. Restore a backup, or repair the tables by hand ` +
          'and mark it with "prisma migrate resolve".',
      );
    }
    if (row.checksum !== migration.checksum) {
      throw new MigrationRefused(
        `The migration "${row.name}" was changed after it had been applied to this database. ` +
          "Bring back the file as it was, and put the change into a new migration.",
      );
    }
  }
  const appliedNames = new Set(standing.map((row) => row.name));
  return migrations.find((migration) => !appliedNames.has(migration.name)) ?? null;
}
