import { randomUUID } from "node:crypto";
import type pg from "pg";
import { findNextMigration, readHistorySql } from "./migration-history.server";
import type { AppliedMigration, Migration } from "./migration-history.server";
import { isDatabaseOutage } from "./outage.server";
import { connectPostgresql, nameDatabase } from "./postgresql-connection.server";

/** The key under which Prisma's own tools lock a database they migrate. */
const advisoryLockKey = 72707369;
const lockTimeoutMs = 60_000;
const answerTimeoutMs = 10_000;

// The shape Prisma gives this table, so that its own tools recognise it.
const createHistoryTable = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id"                    VARCHAR(36) PRIMARY KEY NOT NULL,
    "checksum"              VARCHAR(64) NOT NULL,
    "finished_at"           TIMESTAMPTZ,
    "migration_name"        VARCHAR(255) NOT NULL,
    "logs"                  TEXT,
    "rolled_back_at"        TIMESTAMPTZ,
    "started_at"            TIMESTAMPTZ NOT NULL DEFAULT now(),
    "applied_steps_count"   INTEGER NOT NULL DEFAULT 0
)`;

/** Answers with the names of the migrations that this call applied. */
export async function migratePostgresql(url: string, migrations: Migration[]): Promise<string[]> {
  const client = await connectPostgresql(url);
  try {
    await ask(client, `SET lock_timeout = ${lockTimeoutMs}`);
    // Held by the connection, so it is released even when this process dies.
    await ask(client, `SELECT pg_advisory_lock(${advisoryLockKey})`, lockTimeoutMs + answerTimeoutMs);
    const applied: string[] = [];
    for (;;) {
      const next = findNextMigration(migrations, await readHistory(client));
      if (next === null) return applied;
      await apply(client, next);
      applied.push(next.name);
    }
  } catch (error) {
    throw isDatabaseOutage(error) ? nameDatabase(error) : error;
  } finally {
    await client.end();
  }
}

/** A server that takes connections and says nothing must not block a start forever. Migrations take their time. */
async function ask<Row extends pg.QueryResultRow>(
  client: pg.Client,
  text: string,
  timeoutMs = answerTimeoutMs,
): Promise<Row[]> {
  return (await client.query<Row>({ text, query_timeout: timeoutMs } as pg.QueryConfig)).rows;
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query(createHistoryTable);
    await client.query(migration.sql);
    await client.query(
      `INSERT INTO "_prisma_migrations" ("id", "checksum", "migration_name", "finished_at", "applied_steps_count")
       VALUES ($1, $2, $3, now(), 1)`,
      [randomUUID(), migration.checksum, migration.name],
    );
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}

async function readHistory(client: pg.Client): Promise<AppliedMigration[]> {
  const tableSql = `SELECT to_regclass('"_prisma_migrations"') AS name`;
  const [table] = await ask<{ name: string | null }>(client, tableSql);
  return table?.name === null ? [] : await ask<AppliedMigration>(client, readHistorySql);
}
