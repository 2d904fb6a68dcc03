import { readFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import { migrateDatabase } from "~/platform/database/migrate.server";
import { startPostgresql } from "../../../prisma/shadow-databases.mjs";
import type { StoreWrite } from "./contended-write";
import { migrationsDir } from "./database";
import { emptyTables, fillTables } from "./filled-tables";
import { waitUntil } from "../processes";
import { appDir, findSources } from "./store-sources";
import { listStoreWrites } from "./store-writes";

/** In a deadlock, PostgreSQL cancels the transaction whose check comes first. That is the store's. */
const storeLooksAfter = "500ms";
const otherLooksAfter = "5s";

let server: Awaited<ReturnType<typeof startPostgresql>>;
let database: Database;
let other: pg.Client;
let watcher: pg.Client;
let undone = 0;

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

beforeAll(async () => {
  server = await startPostgresql();
  const url = await server.createDatabase();
  await migrateDatabase({ url, migrationsDir });
  [other, watcher] = await Promise.all([connect(url), connect(url)]);
  await other.query(`SET deadlock_timeout = '${otherLooksAfter}'`);
  await watcher.query(`ALTER DATABASE ${watcher.database} SET deadlock_timeout = '${storeLooksAfter}'`);
  const observe = ({ what, isFailed }: { what: string; isFailed: boolean }) => {
    if (what === "statement" && isFailed) undone++;
  };
  database = await openDatabase({ url, instrument: { observe } });
});
afterAll(async () => {
  await closeDatabase(database);
  await Promise.all([other.end(), watcher.end()]);
  await server.stop();
});

async function refillTables(): Promise<void> {
  await emptyTables(database);
  await fillTables(database);
  undone = 0;
}

async function countRows(table: string | undefined): Promise<number> {
  if (table === undefined) return 0;
  const { rows } = await watcher.query<{ count: string }>(`SELECT COUNT(*) AS count FROM "${table}"`);
  return Number(rows[0]!.count);
}

async function isAnybodyWaiting(): Promise<boolean> {
  return (await watcher.query(`SELECT 1 FROM pg_locks WHERE NOT granted`)).rows.length > 0;
}

/** True if the two deadlocked and the store's work was rolled back. The other's work is always rolled back. */
async function lockOut({ hold, ask, write, outcome, grows }: StoreWrite): Promise<boolean> {
  await refillTables();
  const before = await countRows(grows);
  await other.query("BEGIN");
  await other.query(hold);
  const written = write();
  await waitUntil(isAnybodyWaiting, { everyMs: 5 });
  await other.query(ask).catch((error: { code?: string }) => expect(error.code).toBe("40P01"));
  const wasUndone = undone > 0;
  await other.query("ROLLBACK");
  expect(await written).toEqual(outcome);
  expect((await countRows(grows)) - before).toBe(grows === undefined ? 0 : 1);
  return wasUndone;
}

describe("after a deadlock the whole write is run again, once:", () => {
  // Reads only the names. Tests create the stores again on their own database.
  const names = Object.entries(listStoreWrites({} as Database)).flatMap(([maker, { writes }]) =>
    Object.entries(writes).flatMap(([name, cases]) => cases.map((_, index) => ({ maker, name, index }))),
  );
  test.each(names)("$name of $maker, $index", async ({ maker, name, index }) => {
    const conflict = listStoreWrites(database)[maker]!.writes[name]![index]!;
    // If the machine stalled in between, PostgreSQL may check the other wait first.
    let rounds = 1;
    while (!(await lockOut(conflict))) expect(rounds++).toBeLessThan(5);
  });
});

test("one module alone creates clients of the shared database", () => {
  const makers = findSources()
    .filter((file) => !file.includes(".test."))
    .filter((file) => /new PrismaClient\(|PrismaPg\(/.test(readFileSync(file, "utf8")))
    .map((file) => path.relative(appDir, file));
  expect(makers).toEqual(["platform/database/database.server.ts"]);
});
