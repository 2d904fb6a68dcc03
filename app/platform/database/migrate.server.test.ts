import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import Sqlite from "libsql";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { readLines, startTestProcess } from "~e2e/support/child-process";
import { createDatabase, runsOnPostgresql } from "~e2e/support/databases/chosen-database";
import {
  createTestDir,
  databaseName,
  migrationsDir,
  testOnPostgresql,
} from "~e2e/support/databases/database";
import { openDatabase } from "./database.server";
import { migrateDatabase } from "./migrate.server";

type HistoryRow = { migration_name: string; applied_steps_count: number; finished_at: number };

function readRows<T>(filePath: string, sql: string): T[] {
  const sqlite = new Sqlite(filePath);
  try {
    return sqlite.prepare(sql).all() as T[];
  } finally {
    sqlite.close();
  }
}

function runSql(filePath: string, sql: string): void {
  const sqlite = new Sqlite(filePath);
  try {
    sqlite.exec(sql);
  } finally {
    sqlite.close();
  }
}

async function createSite() {
  const dir = await createTestDir();
  const ownMigrationsDir = path.join(dir, "migrations");
  // Only the first migration. These tests make the later ones.
  const isFirst = (file: string) => !/[/\\]\d{4}_/.test(file) || file.includes("0001_gate");
  await cp(migrationsDir, ownMigrationsDir, { recursive: true, filter: isFirst });
  const filePath = path.join(dir, "data", "nested", "latchkey.db");
  return { filePath, url: pathToFileURL(filePath).href, migrationsDir: ownMigrationsDir };
}

type AddMigrationOptions = {
  site: { migrationsDir: string };
  provider?: string;
  name: string;
  sql: string;
};

async function addMigration({ site, provider = "sqlite", name, sql }: AddMigrationOptions): Promise<void> {
  const dir = path.join(site.migrationsDir, provider, name);
  await mkdir(dir, { recursive: true });
  await writeFile(path.join(dir, "migration.sql"), sql);
}

test("an empty place gets its folder, its file and all migrations, and a second start changes nothing", async () => {
  const site = await createSite();
  const logged: unknown[] = [];
  const log = { info: (fields: unknown) => logged.push(fields), warn: () => undefined };
  await migrateDatabase({ ...site, log });
  await migrateDatabase({ ...site, log });
  expect(logged).toEqual([{ migrations: ["0001_gate"] }]);
  const history = readRows<HistoryRow>(site.filePath, `SELECT * FROM "_prisma_migrations"`);
  expect(history).toMatchObject([{ migration_name: "0001_gate", applied_steps_count: 1 }]);
  expect(readRows(site.filePath, `SELECT * FROM "Nonce"`)).toEqual([]);
});

test("an older database gets only the missing migrations and keeps its rows", async () => {
  const site = await createSite();
  await migrateDatabase(site);
  runSql(site.filePath, `INSERT INTO "Nonce" VALUES ('n', 'c', 1, 2, NULL)`);
  await addMigration({ site, name: "0002_note", sql: `ALTER TABLE "Nonce" ADD COLUMN "note" TEXT;` });
  await migrateDatabase(site);
  expect(readRows(site.filePath, `SELECT "value", "note" FROM "Nonce"`)).toEqual([
    { value: "n", note: null },
  ]);
});

test("a rebuilt table keeps the rows that refer to it", async () => {
  const site = await createSite();
  await migrateDatabase(site);
  runSql(
    site.filePath,
    `INSERT INTO "Notification" VALUES ('a', 'k', '{}', 1);
     INSERT INTO "NotificationDelivery" ("notificationId", "channel", "nextAttemptAtMs") VALUES ('a', 'email', 1);`,
  );
  // The shape in which Prisma writes a change that SQLite cannot do in place.
  await addMigration({
    site,
    name: "0002_rebuild",
    sql: `PRAGMA defer_foreign_keys=ON;
     PRAGMA foreign_keys=OFF;
     CREATE TABLE "new_Notification" ("id" TEXT NOT NULL PRIMARY KEY, "kind" TEXT, "payload" TEXT, "createdAtMs" BIGINT);
     INSERT INTO "new_Notification" SELECT * FROM "Notification";
     DROP TABLE "Notification";
     ALTER TABLE "new_Notification" RENAME TO "Notification";
     PRAGMA foreign_keys=ON;
     PRAGMA defer_foreign_keys=OFF;`,
  });
  await migrateDatabase(site);
  expect(readRows(site.filePath, `SELECT "channel" FROM "NotificationDelivery"`)).toEqual([
    { channel: "email" },
  ]);
});

test("a migration that would leave rows with dangling references is undone", async () => {
  const site = await createSite();
  await migrateDatabase(site);
  runSql(
    site.filePath,
    `INSERT INTO "Notification" VALUES ('a', 'k', '{}', 1);
     INSERT INTO "NotificationDelivery" ("notificationId", "channel", "nextAttemptAtMs") VALUES ('a', 'email', 1);`,
  );
  await addMigration({ site, name: "0002_orphan", sql: `DELETE FROM "Notification";` });
  await expect(migrateDatabase(site)).rejects.toThrow(/0002_orphan.*point at nothing/);
  expect(readRows(site.filePath, `SELECT "id" FROM "Notification"`)).toEqual([{ id: "a" }]);
});

test("a migration that fails half-way leaves no trace, and the next start retries it", async () => {
  const site = await createSite();
  await addMigration({
    site,
    name: "0002_broken",
    sql: `CREATE TABLE "Half" ("id" TEXT); INSERT INTO "NoSuchTable" VALUES (1);`,
  });
  await expect(migrateDatabase(site)).rejects.toThrow(/NoSuchTable/);
  const tables = `SELECT name FROM sqlite_master WHERE name IN ('Half', 'Nonce')`;
  expect(readRows(site.filePath, tables)).toEqual([{ name: "Nonce" }]);
  await addMigration({ site, name: "0002_broken", sql: `CREATE TABLE "Half" ("id" TEXT);` });
  await migrateDatabase(site);
  expect(readRows(site.filePath, tables)).toEqual([{ name: "Nonce" }, { name: "Half" }]);
});

test("a database of a newer build is refused and left unchanged", async () => {
  const site = await createSite();
  await addMigration({ site, name: "0002_future", sql: `CREATE TABLE "Future" ("id" TEXT);` });
  await migrateDatabase(site);
  await expect(migrateDatabase({ ...site, migrationsDir })).rejects.toThrow(
    /newer than this build.*"0002_future".*Start the newer build/,
  );
  expect(readRows(site.filePath, `SELECT * FROM "Future"`)).toEqual([]);
});

test("a migration that was changed after it was applied is refused", async () => {
  const site = await createSite();
  await migrateDatabase(site);
  const file = path.join(site.migrationsDir, "sqlite/0001_gate/migration.sql");
  await writeFile(file, `${await readFile(file, "utf8")}\n-- changed`);
  await expect(migrateDatabase(site)).rejects.toThrow(/"0001_gate" was changed after it had been applied/);
});

test("a migration left half done by another tool is refused, unless marked as rolled back", async () => {
  const site = await createSite();
  await migrateDatabase(site);
  runSql(
    site.filePath,
    `INSERT INTO "_prisma_migrations" ("id", "checksum", "migration_name") VALUES ('x', 'y', '0002_note')`,
  );
  await addMigration({ site, name: "0002_note", sql: `ALTER TABLE "Nonce" ADD COLUMN "note" TEXT;` });
  await expect(migrateDatabase(site)).rejects.toThrow(/"0002_note" failed half-way/);
  runSql(site.filePath, `UPDATE "_prisma_migrations" SET "rolled_back_at" = 1 WHERE "id" = 'x'`);
  await migrateDatabase(site);
  expect(readRows(site.filePath, `SELECT "note" FROM "Nonce"`)).toEqual([]);
});

test("four processes that start at once on an empty place apply each migration exactly once", async () => {
  const site = await createSite();
  await addMigration({
    site,
    name: "0002_counter",
    sql: `CREATE TABLE "Counter" ("id" INTEGER); INSERT INTO "Counter" VALUES (1);`,
  });
  await addMigration({ site, name: "0003_count", sql: `INSERT INTO "Counter" VALUES (2);` });
  const exitCodes = await Promise.all([1, 2, 3, 4].map(() => migrateInChildProcess(site)));
  expect(exitCodes).toEqual([0, 0, 0, 0]);
  const history = readRows<HistoryRow>(
    site.filePath,
    `SELECT * FROM "_prisma_migrations" ORDER BY migration_name`,
  );
  expect(history.map((row) => row.migration_name)).toEqual(["0001_gate", "0002_counter", "0003_count"]);
  expect(readRows(site.filePath, `SELECT "id" FROM "Counter"`)).toEqual([{ id: 1 }, { id: 2 }]);
});

async function migrateInChildProcess(site: { url: string; migrationsDir: string }): Promise<number | null> {
  const script = `
    import { migrateDatabase } from "./app/platform/database/migrate.server.ts";
    await migrateDatabase(${JSON.stringify({ url: site.url, migrationsDir: site.migrationsDir })});`;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", script], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return await new Promise((resolve) => child.on("exit", resolve));
}

testOnEachEmptyDatabase(
  "each of the real migrations is applied by exactly one of ten processes that start at once",
  async ({ url, readHistory }) => {
    const children = Array.from({ length: 10 }, () => {
      const child = startTestProcess(
        fileURLToPath(new URL("../../../e2e/support/databases/migrate-on-order.ts", import.meta.url)),
        [url, migrationsDir],
      );
      return { child, lines: readLines(child) };
    });
    const ended = children.map(({ child }) => new Promise((resolve) => child.once("close", resolve)));
    // All of them are loaded before any begins.
    for (const { lines } of children) expect((await lines.next()).value).toBe("ready");
    for (const { child } of children) child.stdin.write("go\n");
    const applied = await Promise.all(
      children.map(async ({ lines }) => JSON.parse(String((await lines.next()).value)) as string[]),
    );
    // A process that ends still has SQLite's file for itself for a moment, to tidy it up.
    await Promise.all(ended);
    const names = (await readdir(path.join(migrationsDir, "sqlite")))
      .filter((name) => /^\d/.test(name))
      .sort();
    expect(names.length).toBeGreaterThan(3);
    expect(applied.flat().sort()).toEqual(names);
    expect((await readHistory()).sort()).toEqual(names);
  },
);

type EmptySite = { url: string; readHistory: () => Promise<string[]> };

function testOnEachEmptyDatabase(name: string, body: (site: EmptySite) => Promise<void>): void {
  const history = `SELECT "migration_name" FROM "_prisma_migrations"`;
  const named = (rows: HistoryRow[]) => rows.map(({ migration_name }) => migration_name);
  test(`${name} (${databaseName})`, { timeout: 120_000 }, async () => {
    if (!runsOnPostgresql) {
      const filePath = path.join(await createTestDir(), "latchkey.db");
      const readHistory = () => Promise.resolve(named(readRows<HistoryRow>(filePath, history)));
      return await body({ url: pathToFileURL(filePath).href, readHistory });
    }
    const url = await createDatabase();
    const client = await connect(url);
    await body({ url, readHistory: async () => named((await client.query<HistoryRow>(history)).rows) });
  });
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

testOnPostgresql(
  "four processes that start at once on an empty PostgreSQL database apply each migration exactly once",
  async () => {
    const site = { ...(await createSite()), url: await createDatabase() };
    await addMigration({
      site,
      provider: "postgresql",
      name: "0002_counter",
      sql: `CREATE TABLE "Counter" ("id" INTEGER); INSERT INTO "Counter" VALUES (1);`,
    });
    await addMigration({
      site,
      provider: "postgresql",
      name: "0003_broken",
      sql: `INSERT INTO "Counter" VALUES (2); INSERT INTO "NoSuchTable" VALUES (1);`,
    });
    const failed = await Promise.allSettled([1, 2, 3, 4].map(() => migrateDatabase(site)));
    expect(failed.map((result) => result.status === "rejected" && String(result.reason))).toEqual(
      Array(4).fill(expect.stringMatching(/NoSuchTable/)),
    );
    await addMigration({
      site,
      provider: "postgresql",
      name: "0003_broken",
      sql: `INSERT INTO "Counter" VALUES (3);`,
    });
    await Promise.all([1, 2, 3, 4].map(() => migrateDatabase(site)));

    const client = await connect(site.url);
    const { rows } = await client.query(`SELECT "id" FROM "Counter" ORDER BY "id"`);
    expect(rows).toEqual([{ id: 1 }, { id: 3 }]);
    await expect(migrateDatabase({ ...site, migrationsDir })).rejects.toThrow(/newer than this build/);
  },
);

test("a database that is unreachable is named as DATABASE_URL, without its password", async () => {
  const dir = await createTestDir();
  const file = path.join(dir, "no-database.db");
  await writeFile(file, "x".repeat(8_192));
  const rude = createServer((socket) => void socket.destroy()).listen(0, "127.0.0.1");
  onTestFinished(() => void rude.close());
  await once(rude, "listening");
  const { port } = rude.address() as AddressInfo;
  const postgresql = /^The database in DATABASE_URL is unreachable: (?!.*secret)./;
  const sqlite = /^Can't open the database .*, named by DATABASE_URL or DATA_DIR: ./;
  for (const [url, words] of [
    ["postgresql://u:secret@127.0.0.1:9/x", postgresql],
    [`postgresql://u:secret@127.0.0.1:${port}/x`, postgresql],
    ["postgresql://u:secret@no-host.invalid/x", postgresql],
    [pathToFileURL(file).href, sqlite],
    [pathToFileURL(dir).href, sqlite],
  ] as const) {
    await expect(migrateDatabase({ url, migrationsDir }), url).rejects.toThrow(words);
    if (words === postgresql) await expect(openDatabase({ url }), url).rejects.toThrow(words);
  }
});

test("addresses other than file: and postgresql: are refused", async () => {
  const refused = [
    "mysql://localhost/x",
    "latchkey.db",
    "file:",
    "file::memory:",
    "file:data/x.db?mode=ro",
    "file://host/x.db",
  ];
  for (const url of refused) {
    await expect(migrateDatabase({ url, migrationsDir }), url).rejects.toThrow(/address/);
  }
});
