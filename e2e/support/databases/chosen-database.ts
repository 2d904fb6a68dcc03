import { randomBytes } from "node:crypto";
import path from "node:path";
import { pathToFileURL } from "node:url";
import pg from "pg";

/** With TEST_DATABASE=postgresql, tests for either database run on PostgreSQL, otherwise on SQLite. */
export const runsOnPostgresql = chooseDatabase(process.env.TEST_DATABASE || undefined) === "postgresql";

function chooseDatabase(database = "sqlite"): string {
  if (["sqlite", "postgresql"].includes(database)) return database;
  throw new Error(`TEST_DATABASE is either sqlite or postgresql, and not ${database}.`);
}

const serverDatabases = new Map<string, Promise<string>>();

/** Servers with the same data folder share a database: a file in the folder, or their own PostgreSQL database. */
export async function findServerDatabase(dataDir: string): Promise<string> {
  if (!runsOnPostgresql) return fileIn(dataDir);
  const known = serverDatabases.get(dataDir) ?? createDatabase();
  serverDatabases.set(dataDir, known);
  return await known;
}

/** The default place of the SQLite file. */
export function fileIn(dataDir: string): string {
  return pathToFileURL(path.join(dataDir, "latchkey.db")).href;
}

/** For when the folder is removed with its file. Closes open connections. */
export async function removeServerDatabase(dataDir: string): Promise<void> {
  const url = await serverDatabases.get(dataDir);
  if (url === undefined) return;
  serverDatabases.delete(dataDir);
  await askServer(`DROP DATABASE IF EXISTS ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
}

/** An empty database on the server that start-postgresql.mjs has started for the whole run. */
export async function createDatabase(): Promise<string> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  const url = new URL(await askServer(`CREATE DATABASE ${name}`));
  url.pathname = `/${name}`;
  return url.href;
}

async function askServer(statement: string): Promise<string> {
  const url = process.env.TEST_DATABASE_SERVER;
  if (!url) throw new Error("No PostgreSQL was started for these tests. Run them with Vitest or Playwright.");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
    return url;
  } finally {
    await client.end();
  }
}
