import { copyFile, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import Sqlite from "libsql";
import pg from "pg";
import type { Figure } from "./scenario";

type Site = { dataDir: string; /** For PostgreSQL. */ databaseUrl?: string | undefined };

/** Counts the faults that the database finds in its own data. */
export async function countDamages({ dataDir, databaseUrl }: Site): Promise<number> {
  return databaseUrl === undefined ? await countInFile(dataDir) : await countInServer(databaseUrl);
}

/** Checks a copy of the file and its write-ahead log, so the next server finds the originals untouched. */
async function countInFile(dataDir: string): Promise<number> {
  const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-integrity-"));
  try {
    for (const name of ["latchkey.db", "latchkey.db-wal"]) {
      await copyFile(path.join(dataDir, name), path.join(dir, name)).catch((error: NodeJS.ErrnoException) => {
        // A shutdown removes the log.
        if (error.code !== "ENOENT" || name === "latchkey.db") throw error;
      });
    }
    const sqlite = new Sqlite(path.join(dir, "latchkey.db"));
    const found = sqlite.prepare("PRAGMA integrity_check").all() as { integrity_check: string }[];
    const dangling = sqlite.prepare("PRAGMA foreign_key_check").all();
    sqlite.close();
    return found.filter(({ integrity_check }) => integrity_check !== "ok").length + dangling.length;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Checks every table and every index: rows, index entries, uniqueness and foreign rows. */
async function countInServer(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const look = async (sql: string, ...values: unknown[]) =>
    (await client.query<{ name: string }>(sql, values)).rows;
  let damages = 0;
  try {
    await client.query("CREATE EXTENSION IF NOT EXISTS amcheck");
    for (const { name } of await look(listTables)) {
      damages += (await look("SELECT msg AS name FROM verify_heapam($1::regclass)", name)).length;
    }
    for (const { name } of await look(listIndexes)) {
      // A damaged index is an error, and the first one ends the check.
      await look("SELECT bt_index_check($1::regclass, true, true)", name).catch((error: unknown) => {
        if (!corruptions.has((error as { code?: string }).code ?? "")) throw error;
        damages += 1;
      });
    }
    damages += (await look(listOrphans)).length;
    return damages;
  } finally {
    await client.end();
  }
}

/** Corruption of data, and of an index. */
const corruptions = new Set(["XX001", "XX002"]);
const listTables = `SELECT oid::regclass::text AS name FROM pg_class
  WHERE relkind IN ('r', 't') AND relpersistence = 'p'`;
const listIndexes = `SELECT indexrelid::regclass::text AS name FROM pg_index
  JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_am ON pg_am.oid = relam
  WHERE amname = 'btree' AND relpersistence = 'p' AND indisready`;
const listOrphans = `SELECT "notificationId" AS name FROM "NotificationDelivery"
  WHERE "notificationId" NOT IN (SELECT "id" FROM "Notification")`;

export async function checkDamages(site: Site): Promise<Figure[]> {
  const measured = await countDamages(site);
  return [{ what: "damages found by integrity checks", measured, bound: { equals: 0 } }];
}
