import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import { migrateDatabase } from "~/platform/database/migrate.server";

export const migrationsDir = fileURLToPath(new URL("../../prisma/migrations", import.meta.url));

/** A folder that is removed when the test ends. */
export async function createTestDir(): Promise<string> {
  const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-test-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** A fresh SQLite file with all migrations; closed and removed when the test ends. */
export async function createTestDatabase(): Promise<{ database: Database; url: string; filePath: string }> {
  const filePath = path.join(await createTestDir(), "test.db");
  const url = pathToFileURL(filePath).href;
  await migrateDatabase({ url, migrationsDir });
  return { database: await openTestDatabase(url), url, filePath };
}

/** One more connection to a database, as another process would have; closed when the test ends. */
export async function openTestDatabase(url: string): Promise<Database> {
  const database = await openDatabase({ url });
  onTestFinished(() => closeDatabase(database));
  return database;
}
