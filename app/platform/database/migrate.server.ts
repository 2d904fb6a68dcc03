import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import Sqlite from "libsql";
import type pg from "pg";
import type { EventLog } from "~/platform/log/log.server";
import { readDatabaseUrl } from "./database-url.server";
import { isDatabaseOutage } from "./outage.server";
import { connectPostgresql, nameDatabase } from "./postgresql-connection.server";

type MigrateDatabaseOptions = {
  url: string;
  /** The folder that holds `sqlite/` and `postgresql/`, each with `<name>/migration.sql`. */
  migrationsDir: string;
  log?: EventLog;
};

type Migration = { name: string; sql: string; checksum: string };
/** A row of `_prisma_migrations`; SQLite has 0 and 1 for false and true. */
type AppliedMigration = Pick<Migration, "name" | "checksum"> & {
  isFinished: boolean | number;
  isRolledBack: boolean | number;
};

/** One connection, and how the two databases differ. */
type Connection = {
  /** Runs a script. */
  run: (sql: string) => Promise<void>;
  read: <Row extends object>(sql: string) => Promise<Row[]>;
  close: () => Promise<void>;
  begin: string;
  createHistory: string;
  findHistory: string;
  now: () => string;
  /** Before a migration is committed. */
  check?: (migration: Migration) => Promise<void>;
};

/** How long a process waits for another one that is migrating the same database. */
const lockTimeoutMs = 60_000;
/** The key under which Prisma's own tools lock a database they migrate. */
const advisoryLockKey = 72707369;
const replyTimeoutMs = 10_000;

/** The database and this build do not fit together; the message says what the operator can do. */
class MigrationRefused extends Error {
  override readonly name = "MigrationRefused";
}

/**
 * Each migration is one transaction under a lock, so any number of processes may start at once. Rejects, changing
 * nothing, if this build doesn't know the history. `prisma migrate deploy` can go on from its table.
 */
export async function migrateDatabase({ url, migrationsDir, log }: MigrateDatabaseOptions): Promise<void> {
  const location = readDatabaseUrl(url);
  const migrations = await readMigrations(path.join(migrationsDir, location.provider));
  const connection =
    location.provider === "sqlite" ? await openSqlite(location.path) : await openPostgresql(location.url);
  const applied: string[] = [];
  try {
    while (findNextMigration(migrations, await readHistory(connection)) !== null) {
      const name = await applyNext(connection, migrations);
      if (name !== null) applied.push(name);
    }
  } catch (error) {
    throw location.provider === "postgresql" && isDatabaseOutage(error) ? nameDatabase(error) : error;
  } finally {
    await connection.close();
  }
  if (applied.length > 0) log?.info({ migrations: applied }, "migrations applied");
}

/** Reads the history again under the lock: another process may have done the work meanwhile. */
async function applyNext(connection: Connection, migrations: Migration[]): Promise<string | null> {
  await connection.run(connection.begin);
  try {
    await connection.run(connection.createHistory);
    const next = findNextMigration(migrations, await readHistory(connection));
    if (next) {
      const startedAt = connection.now();
      await connection.run(next.sql);
      await connection.check?.(next);
      const values = [randomUUID(), next.checksum, next.name].map((value) => `'${value}'`);
      await connection.run(`INSERT INTO "_prisma_migrations"
        ("id", "checksum", "migration_name", "started_at", "finished_at", "applied_steps_count")
        VALUES (${values.join(", ")}, ${startedAt}, ${connection.now()}, 1)`);
    }
    await connection.run("COMMIT");
    return next?.name ?? null;
  } catch (error) {
    // SQLite may have rolled back by itself.
    await connection.run("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

async function readHistory({ read, findHistory }: Connection): Promise<AppliedMigration[]> {
  const [table] = await read<{ name: string | null }>(findHistory);
  if (!table?.name) return [];
  return await read<AppliedMigration>(`
    SELECT "migration_name" AS "name", "checksum",
      "finished_at" IS NOT NULL AS "isFinished", "rolled_back_at" IS NOT NULL AS "isRolledBack"
    FROM "_prisma_migrations"`);
}

/** The shape Prisma gives this table, so that its own tools recognise it. */
function historyTable(type: Record<"id" | "checksum" | "name" | "moment" | "now" | "count", string>): string {
  return `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id"                    ${type.id} PRIMARY KEY NOT NULL,
    "checksum"              ${type.checksum} NOT NULL,
    "finished_at"           ${type.moment},
    "migration_name"        ${type.name} NOT NULL,
    "logs"                  TEXT,
    "rolled_back_at"        ${type.moment},
    "started_at"            ${type.moment} NOT NULL DEFAULT ${type.now},
    "applied_steps_count"   ${type.count} NOT NULL DEFAULT 0
  )`;
}

/** Uses the synchronous driver: the asynchronous one ends the open transaction when it is given a script. */
async function openSqlite(filePath: string): Promise<Connection> {
  const sqlite = await openFile(filePath);
  sqlite.exec("PRAGMA synchronous=FULL");
  // Rebuilding a table drops the old one, and with the keys enforced that would delete every row pointing at it.
  sqlite.exec("PRAGMA foreign_keys=OFF");
  const read = async <Row>(sql: string) => sqlite.prepare(sql).all() as Row[];
  return {
    run: async (sql) => void sqlite.exec(sql),
    read,
    close: async () => void sqlite.close(),
    begin: "BEGIN IMMEDIATE",
    createHistory: historyTable({
      id: "TEXT",
      checksum: "TEXT",
      name: "TEXT",
      moment: "DATETIME",
      now: "current_timestamp",
      count: "INTEGER UNSIGNED",
    }),
    findHistory: "SELECT name FROM sqlite_master WHERE type = 'table' AND name = '_prisma_migrations'",
    now: () => String(Date.now()),
    async check({ name }) {
      if ((await read("PRAGMA foreign_key_check")).length === 0) return;
      throw new MigrationRefused(`The migration "${name}" would leave rows that point at nothing.`);
    },
  };
}

async function openFile(filePath: string): Promise<Sqlite.Database> {
  try {
    await mkdir(path.dirname(filePath), { recursive: true });
    const sqlite = new Sqlite(filePath, { timeout: lockTimeoutMs });
    await switchToWriteAheadLog(sqlite);
    return sqlite;
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`Can't open the database ${filePath}, named by DATABASE_URL or DATA_DIR: ${message}.`, {
      cause: error,
    });
  }
}

/** If several processes switch a new file at once, SQLite may refuse without the usual waiting. */
async function switchToWriteAheadLog(sqlite: Sqlite.Database): Promise<void> {
  const deadline = performance.now() + lockTimeoutMs;
  for (;;) {
    try {
      sqlite.exec("PRAGMA journal_mode=WAL");
      return;
    } catch (error) {
      const isBusy = String((error as { code?: unknown }).code).startsWith("SQLITE_BUSY");
      if (!isBusy || performance.now() > deadline) throw error;
      await delay(20);
    }
  }
}

async function openPostgresql(url: string): Promise<Connection> {
  const client = await connectPostgresql(url);
  /** A server that accepts connections and never replies must not block a start forever. */
  async function read<Row extends pg.QueryResultRow>(text: string, timeoutMs = replyTimeoutMs) {
    return (await client.query<Row>({ text, query_timeout: timeoutMs } as pg.QueryConfig)).rows;
  }
  try {
    await read(`SET lock_timeout = ${lockTimeoutMs}`);
    // The connection owns it, so it is released even if this process dies.
    await read(`SELECT pg_advisory_lock(${advisoryLockKey})`, lockTimeoutMs + replyTimeoutMs);
  } catch (error) {
    await client.end();
    throw isDatabaseOutage(error) ? nameDatabase(error) : error;
  }
  return {
    // Migrations take their time.
    run: async (sql) => void (await client.query(sql)),
    read: (sql) => read(sql),
    close: () => client.end(),
    begin: "BEGIN",
    createHistory: historyTable({
      id: "VARCHAR(36)",
      checksum: "VARCHAR(64)",
      name: "VARCHAR(255)",
      moment: "TIMESTAMPTZ",
      now: "now()",
      count: "INTEGER",
    }),
    findHistory: `SELECT to_regclass('"_prisma_migrations"') AS name`,
    now: () => "now()",
  };
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  if (names.length === 0) throw new Error(`There are no migrations in ${folder}.`);
  return await Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(path.join(folder, name, "migration.sql"), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

/** The first migration that still has to run, or null. Throws `MigrationRefused` if the history doesn't fit. */
function findNextMigration(migrations: Migration[], applied: AppliedMigration[]): Migration | null {
  const standing = applied.filter((row) => !row.isRolledBack);
  for (const row of standing) {
    const migration = migrations.find(({ name }) => name === row.name);
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
  return migrations.find(({ name }) => !standing.some((row) => row.name === name)) ?? null;
}
