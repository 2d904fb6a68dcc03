import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import Sqlite from "libsql";
import { findNextMigration, MigrationRefused, readHistorySql } from "./migration-history.server";
import type { AppliedMigration, Migration } from "./migration-history.server";

/** How long a process waits for another one that is migrating the same file. */
const lockTimeoutMs = 60_000;

// The shape Prisma gives this table, so that its own tools recognise it.
const createHistoryTable = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id"                    TEXT PRIMARY KEY NOT NULL,
    "checksum"              TEXT NOT NULL,
    "finished_at"           DATETIME,
    "migration_name"        TEXT NOT NULL,
    "logs"                  TEXT,
    "rolled_back_at"        DATETIME,
    "started_at"            DATETIME NOT NULL DEFAULT current_timestamp,
    "applied_steps_count"   INTEGER UNSIGNED NOT NULL DEFAULT 0
)`;

/**
 * Uses the synchronous driver: the asynchronous one ends the open transaction when it is given a script. Answers with
 * the names of the migrations that this call applied.
 */
export async function migrateSqlite(filePath: string, migrations: Migration[]): Promise<string[]> {
  const sqlite = await openFile(filePath);
  try {
    sqlite.exec("PRAGMA synchronous=FULL");
    // Rebuilding a table drops the old one, and with the keys enforced that would delete every row pointing at it.
    sqlite.exec("PRAGMA foreign_keys=OFF");
    const applied: string[] = [];
    while (findNextMigration(migrations, readHistory(sqlite)) !== null) {
      const name = inTransaction(sqlite, () => applyNext(sqlite, migrations));
      if (name !== null) applied.push(name);
    }
    return applied;
  } finally {
    sqlite.close();
  }
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

/** Several processes that switch a new file at once can be refused at once, without the usual waiting. */
async function switchToWriteAheadLog(sqlite: Sqlite.Database): Promise<void> {
  const deadline = performance.now() + lockTimeoutMs;
  for (;;) {
    try {
      sqlite.exec("PRAGMA journal_mode=WAL");
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      await delay(20);
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
}

function inTransaction<T>(sqlite: Sqlite.Database, work: () => T): T {
  sqlite.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    sqlite.exec("COMMIT");
    return result;
  } catch (error) {
    if (sqlite.inTransaction) sqlite.exec("ROLLBACK");
    throw error;
  }
}

/** Looks again under the lock: another process may have done the work while this one waited. */
function applyNext(sqlite: Sqlite.Database, migrations: Migration[]): string | null {
  sqlite.exec(createHistoryTable);
  const next = findNextMigration(migrations, readHistory(sqlite));
  if (next === null) return null;
  const startedAtMs = Date.now();
  sqlite.exec(next.sql);
  if (sqlite.prepare("PRAGMA foreign_key_check").all().length > 0) {
    throw new MigrationRefused(`The migration "${next.name}" would leave rows that point at nothing.`);
  }
  sqlite
    .prepare(
      `INSERT INTO "_prisma_migrations"
        ("id", "checksum", "migration_name", "started_at", "finished_at", "applied_steps_count")
       VALUES (?, ?, ?, ?, ?, 1)`,
    )
    .run(randomUUID(), next.checksum, next.name, startedAtMs, Date.now());
  return next.name;
}

function readHistory(sqlite: Sqlite.Database): AppliedMigration[] {
  const table = sqlite
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name = '_prisma_migrations'")
    .all();
  if (table.length === 0) return [];
  return sqlite.prepare(readHistorySql).all() as AppliedMigration[];
}
