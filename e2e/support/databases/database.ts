import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, onTestFinished, test } from "vitest";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import { migrateDatabase } from "~/platform/database/migrate.server";
import { createDatabase, runsOnPostgresql } from "./chosen-database";
import { startPostgresql } from "../../../prisma/shadow-databases.mjs";

export const migrationsDir = fileURLToPath(new URL("../../../prisma/migrations", import.meta.url));

export type TestDatabase = { database: Database; url: string };

/** A folder that is removed when the test ends. */
export async function createTestDir(): Promise<string> {
  const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-test-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** A new database with all migrations, for tests that fit either kind. Closed and removed when the test ends. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return runsOnPostgresql ? await createPostgresqlTestDatabase() : await createSqliteTestDatabase();
}

/** For tests of SQLite. */
export async function createSqliteTestDatabase(): Promise<TestDatabase & { filePath: string }> {
  const filePath = path.join(await createTestDir(), "test.db");
  const url = pathToFileURL(filePath).href;
  await migrateDatabase({ url, migrationsDir });
  return { database: await openTestDatabase(url), url, filePath };
}

/** One more connection, as another process would have. Closed when the test ends. */
export async function openTestDatabase(url: string): Promise<Database> {
  const database = await openDatabase({ url });
  onTestFinished(() => closeDatabase(database));
  return database;
}

export const databaseName = runsOnPostgresql ? "PostgreSQL" : "SQLite";

let postgresql: ReturnType<typeof startPostgresql> | undefined;

/** A new database on a real PostgreSQL server: the run's, or one that starts with a file's first need. */
export async function createPostgresqlTestDatabase(): Promise<TestDatabase> {
  const url = runsOnPostgresql
    ? await createDatabase()
    : await (await (postgresql ??= startPostgresql())).createDatabase();
  await migrateDatabase({ url, migrationsDir });
  return { database: await openTestDatabase(url), url };
}

/** Runs on SQLite in `npm test`, and again on PostgreSQL in `npm run test:deep`. */
export function testOnEachDatabase(
  name: string,
  body: (testDatabase: TestDatabase) => Promise<void>,
  timeoutMs?: number,
): void {
  test(`${name} (${databaseName})`, async () => body(await createTestDatabase()), timeoutMs);
}

/** A test of PostgreSQL, in a file that `npm run test:deep` runs there. */
export function testOnPostgresql(name: string, body: () => Promise<void>, timeoutMs?: number): void {
  if (runsOnPostgresql) test(name, body, timeoutMs);
}

/** A test of SQLite, such as its file. Skipped with a message on PostgreSQL. */
export function testOnSqlite(name: string, body: () => Promise<void>, timeoutMs?: number): void {
  if (runsOnPostgresql) console.warn(`\nSKIPPED on PostgreSQL, because it is about SQLite: ${name}\n`);
  test.skipIf(runsOnPostgresql)(name, body, timeoutMs);
}

afterAll(async () => {
  await (await postgresql)?.stop();
  postgresql = undefined;
});

/** A clock that moves only on request. */
export function createTestClock(startMs = 1_700_000_000_000) {
  let nowMs = startMs;
  return {
    clock: () => nowMs,
    advance(ms: number) {
      nowMs += ms;
    },
  };
}

/** Starts `times` calls of `body` before any can end, and counts the values they resolve to. */
export async function countOutcomes<T>(
  times: number,
  body: (index: number) => Promise<T>,
): Promise<Map<T, number>> {
  const outcomes = await Promise.all(Array.from({ length: times }, (_, index) => body(index)));
  const counts = new Map<T, number>();
  for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return counts;
}
