import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import path from "node:path";
import Sqlite from "libsql";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { migrateDatabase } from "~/platform/database/migrate.server";
import {
  createPostgresqlTestDatabase,
  createSqliteTestDatabase,
  createTestDir,
  migrationsDir,
} from "~e2e/support/databases/database";
import { waitUntil } from "~e2e/support/processes";
import { openSource } from "./source";

const timeout = 180_000;
const rowsOfEach = 400;

type CopySite = { filePath: string; from: string; to: string };

async function createSite(): Promise<CopySite & { admin: pg.Client }> {
  const { filePath, url: from } = await createSqliteTestDatabase();
  const { url: to } = await createPostgresqlTestDatabase();
  const admin = new pg.Client({ connectionString: to });
  await admin.connect();
  onTestFinished(() => admin.end());
  return { filePath, from, to, admin };
}

function changeSource(filePath: string, work: (sqlite: Sqlite.Database) => void): void {
  const sqlite = new Sqlite(filePath);
  try {
    work(sqlite);
  } finally {
    sqlite.close();
  }
}

function listTables(filePath: string) {
  const source = openSource(filePath);
  const tables = source.listTables();
  source.close();
  return tables;
}

/** Fills every table from the schema: some thousand rows, as many in each table as there are tables. */
function fill(filePath: string): number {
  const tables = listTables(filePath);
  changeSource(filePath, (sqlite) => {
    sqlite.exec("BEGIN");
    for (const { name, columns } of tables) {
      const types = sqlite.prepare(`PRAGMA table_info("${name}")`).all() as {
        name: string;
        type: string;
        notnull: number;
      }[];
      const insert = sqlite.prepare(
        `INSERT INTO "${name}" (${columns.map((column) => `"${column}"`).join()}) VALUES (${columns.map(() => "?").join()})`,
      );
      for (let index = 0; index < rowsOfEach; index++) {
        insert.run(
          ...types.map(({ name: column, type, notnull }) => makeValue({ column, type, notnull, index })),
        );
      }
    }
    // Nobody works with the database, as after a shutdown.
    for (const table of ["Lease", "QuotaInstance"]) sqlite.exec(`UPDATE "${table}" SET "expiresAtMs" = 0`);
    sqlite.exec("COMMIT");
  });
  return tables.length * rowsOfEach;
}

const texts = ["plain", "Grüße 🗝 \u0301", `'"; DROP TABLE x; --`, "line\nbreak\ttab\\", ""];

type MakeValueOptions = {
  column: string;
  type: string;
  notnull: number;
  index: number;
};

function makeValue({ column, type, notnull, index }: MakeValueOptions) {
  if (!notnull && index % 3 === 0) return null;
  if (type === "TEXT")
    return column.toLowerCase().endsWith("id") ? `id-${index}` : `${index} ${texts[index % texts.length]}`;
  // Beyond the precision of a JavaScript number.
  if (type === "BIGINT") return 9_007_199_254_740_993n + BigInt(index);
  return index;
}

function start(parameters: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ["--import", "tsx", "app/commands/migrate-data.ts", ...parameters], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, ...env } as unknown as NodeJS.ProcessEnv,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = { out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said.err += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, said, ended };
}

async function run({ from, to }: Pick<CopySite, "from" | "to">) {
  const { said, ended } = start(["--from", from, "--to", to]);
  return { code: await ended, ...said };
}

async function countAll(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_name <> '_prisma_migrations'`,
  );
  let total = 0;
  for (const { name } of rows) {
    total += Number((await admin.query<{ count: string }>(`SELECT COUNT(*) FROM "${name}"`)).rows[0]!.count);
  }
  return total;
}

/** Whether a statement waits for a lock on this table. */
async function isAwaited(url: string, table: string): Promise<boolean> {
  const watcher = new pg.Client({ connectionString: url });
  await watcher.connect();
  try {
    const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '"${table}"'::regclass`;
    return (await watcher.query(waiting)).rows.length > 0;
  } finally {
    await watcher.end();
  }
}

test(
  "every row of every table is copied unchanged, with a progress bar, and a second run finds nothing to do",
  { timeout },
  async () => {
    const site = await createSite();
    const total = fill(site.filePath);
    const first = await run(site);
    expect(first.code).toBe(0);
    expect(first.err).toContain(`${total} of ${total} rows`);
    expect(first.out).toContain(
      `Both databases hold the same ${total} rows in ${total / rowsOfEach} tables.`,
    );
    expect(await countAll(site.admin)).toBe(total);
    const { rows } = await site.admin.query(`SELECT * FROM "Submission" ORDER BY "createdAtMs" LIMIT 4`);
    changeSource(site.filePath, (sqlite) => {
      const there = sqlite
        .prepare(`SELECT * FROM "Submission" ORDER BY "createdAtMs" LIMIT 4`)
        .safeIntegers(true)
        .all();
      expect(rows).toEqual(
        (there as Record<string, unknown>[]).map((row) =>
          Object.fromEntries(
            Object.entries(row).map(([key, value]) => [
              key,
              typeof value === "bigint" ? String(value) : value,
            ]),
          ),
        ),
      );
    });
    const second = await run(site);
    // Digests depend on the contents only, so they are equal.
    expect(second).toEqual({ code: 0, out: first.out, err: "" });
  },
);

test(
  "names and a password file that the driver would read besides the address are ignored",
  async () => {
    const site = await createSite();
    const misleading = { PGSSLMODE: "no-verify", PGOPTIONS: "--search_path=nowhere", PGAPPNAME: "misled" };
    const parameters = ["--from", site.from, "--to", site.to];
    const asUsual = start(parameters, misleading);
    expect(await asUsual.ended, asUsual.said.err).toBe(0);

    const address = new URL(site.to);
    const home = await createTestDir();
    const { password } = address;
    await writeFile(path.join(home, ".pgpass"), `*:*:*:*:${password}\n`, { mode: 0o600 });
    address.password = "";
    const besides: Record<string, string>[] = [
      { HOME: home },
      { PGPASSWORD: password },
      { PGPASSFILE: path.join(home, ".pgpass") },
    ];
    for (const env of besides) {
      const { said, ended } = start(["--from", site.from, "--to", address.href], env);
      expect(await ended, JSON.stringify(Object.keys(env))).toBe(1);
      expect(said.err).toMatch(/password/);
    }
  },
  timeout,
);

test("a killed copy leaves nothing, and the next one copies all", { timeout }, async () => {
  const site = await createSite();
  const total = fill(site.filePath);
  await site.admin.query(`BEGIN; LOCK TABLE "RateLimitWindow" IN SHARE MODE`);
  const { child, said, ended } = start(["--from", site.from, "--to", site.to]);
  // It waits for that table now, with others behind it.
  await waitUntil(() => isAwaited(site.to, "RateLimitWindow"), { timeoutMs: 60_000 });
  child.kill("SIGKILL");
  await ended;
  await site.admin.query("ROLLBACK");
  expect(said.err).toMatch(/\d+ of \d+ rows/);
  await waitUntil(async () => (await run(site)).code === 0, { timeoutMs: 60_000 });
  expect(await countAll(site.admin)).toBe(total);
});

test("a copy that is stopped between two batches says so and leaves nothing", { timeout }, async () => {
  const site = await createSite();
  const total = fill(site.filePath);
  await site.admin.query(`BEGIN; LOCK TABLE "RateLimitWindow" IN SHARE MODE`);
  const { child, said, ended } = start(["--from", site.from, "--to", site.to]);
  await waitUntil(() => /[1-9]\d* of \d+ rows/.test(said.err), { timeoutMs: 60_000 });
  child.kill("SIGINT");
  await site.admin.query("ROLLBACK");
  expect(await ended).toBe(130);
  expect(said.err).toContain("Stopped. Run it again.");
  expect(await countAll(site.admin)).toBe(0);
  expect((await run(site)).code).toBe(0);
  expect(await countAll(site.admin)).toBe(total);
});

test("a target with rows of its own is refused, and nothing is written into it", { timeout }, async () => {
  const site = await createSite();
  fill(site.filePath);
  await site.admin.query(`INSERT INTO "UsedKey" VALUES (1, '0xab', 'of somebody else', '0xcd', 5)`);
  const other = await run(site);
  expect(other.code).toBe(3);
  expect(other.err).toMatch(
    /has 400 rows in the SQLite database, and \d+ or other ones .*Nothing was copied/,
  );
  expect(await countAll(site.admin)).toBe(1);

  const tables = listTables(site.filePath);
  changeSource(site.filePath, (sqlite) => {
    for (const { name } of tables) sqlite.exec(`DELETE FROM "${name}"`);
    sqlite.exec(`INSERT INTO "UsedKey" VALUES (1, '0xab', '1', '0xcd', 5)`);
  });
  await site.admin.query(`UPDATE "UsedKey" SET "tokenId" = '1', "usedAtMs" = 6`);
  const changed = await run(site);
  expect(changed.code).toBe(3);
  expect(changed.err).toContain("UsedKey has 1 rows in the SQLite database, and 1 or other ones");
  expect(await countAll(site.admin)).toBe(1);
});

test(
  "a copy is refused while a server works with either database, and runs once that server's lease has expired",
  { timeout },
  async () => {
    const site = await createSite();
    const lease = (untilMs: number) => `INSERT INTO "Lease" VALUES ('watcher', 'h', 1, ${untilMs})`;
    changeSource(site.filePath, (sqlite) => sqlite.exec(lease(Date.now() + 600_000)));
    const source = await run(site);
    expect([source.code, source.err]).toEqual([
      3,
      expect.stringContaining("still working with the SQLite database"),
    ]);
    changeSource(site.filePath, (sqlite) => sqlite.exec(`DELETE FROM "Lease"; ${lease(Date.now() - 1)}`));
    await site.admin.query(lease(Date.now() + 600_000));
    const target = await run(site);
    expect([target.code, target.err]).toEqual([
      3,
      expect.stringContaining("already working with the PostgreSQL"),
    ]);
    await site.admin.query(`DELETE FROM "Lease"`);
    // One of several, which has no lease.
    const heartbeat = `INSERT INTO "QuotaInstance" VALUES ('h', ${Date.now() + 600_000})`;
    changeSource(site.filePath, (sqlite) => sqlite.exec(heartbeat));
    expect((await run(site)).code).toBe(3);
    changeSource(site.filePath, (sqlite) => sqlite.exec(`DELETE FROM "QuotaInstance"`));
    await site.admin.query(heartbeat);
    expect((await run(site)).code).toBe(3);
    await site.admin.query(`DELETE FROM "QuotaInstance"`);
    expect((await run(site)).code).toBe(0);
  },
);

test(
  "a copy fails at its end when a server used the source meanwhile and stopped again",
  { timeout },
  async () => {
    const site = await createSite();
    fill(site.filePath);
    await site.admin.query(`BEGIN; LOCK TABLE "UsedKey" IN SHARE MODE`);
    const { said, ended } = start(["--from", site.from, "--to", site.to]);
    await waitUntil(() => isAwaited(site.to, "UsedKey"), { timeoutMs: 60_000 });
    changeSource(site.filePath, (sqlite) => sqlite.exec(`UPDATE "Lease" SET "term" = "term" + 1`));
    await site.admin.query("ROLLBACK");
    expect([await ended, said.err]).toEqual([
      3,
      expect.stringContaining("has worked with the SQLite database meanwhile"),
    ]);
    expect(said.out).not.toContain("Both databases hold the same");
  },
);

test(
  "tables of a later version are copied by their names in the database, and one that differs is refused",
  { timeout },
  async () => {
    const site = await createSite();
    changeSource(site.filePath, (sqlite) =>
      sqlite.exec(`CREATE TABLE "Future" ("id" TEXT NOT NULL PRIMARY KEY, "flag" BOOLEAN, "share" REAL, "bytes" BLOB);
      INSERT INTO "Future" VALUES ('a', 1, 0.1, x'00ff'), ('b', 0, 1e300, x''), ('c', NULL, NULL, NULL)`),
    );
    const without = await run(site);
    expect([without.code, without.err]).toEqual([
      3,
      expect.stringContaining("Future is not the same in both"),
    ]);
    await site.admin.query(
      `CREATE TABLE "Future" ("id" TEXT PRIMARY KEY, "flag" BOOLEAN, "share" DOUBLE PRECISION, "bytes" BYTEA)`,
    );
    const copied = await run(site);
    expect([copied.code, copied.err]).toEqual([0, expect.any(String)]);
    expect((await site.admin.query(`SELECT * FROM "Future" ORDER BY "id"`)).rows).toEqual([
      { id: "a", flag: true, share: 0.1, bytes: Buffer.from([0, 255]) },
      { id: "b", flag: false, share: 1e300, bytes: Buffer.alloc(0) },
      { id: "c", flag: null, share: null, bytes: null },
    ]);
  },
);

test(
  "a database of another version, a second copy at once and a missing database each have their own words and exit status",
  { timeout },
  async () => {
    const site = await createSite();
    changeSource(site.filePath, (sqlite) =>
      sqlite.exec(`DELETE FROM "_prisma_migrations" WHERE "migration_name" LIKE '0003%'`),
    );
    const older = await run(site);
    expect([older.code, older.err]).toEqual([
      3,
      expect.stringContaining("of another version than this build"),
    ]);

    await site.admin.query("SELECT pg_advisory_lock(5227931)");
    const second = await run(site);
    expect([second.code, second.err]).toEqual([
      3,
      expect.stringContaining("Another copy into this database"),
    ]);

    const missing = pathToFileURL(path.join(await createTestDir(), "none.db")).href;
    expect((await run({ ...site, from: missing })).code).toBe(3);
    expect((await run({ ...site, to: "postgresql://a:b@127.0.0.1:1/x" })).code).toBe(1);
    for (const parameters of [
      ["--from", site.to, "--to", site.to],
      ["--from", site.from, "--to", site.from],
      ["--what"],
    ]) {
      const { said, ended } = start(parameters);
      expect([await ended, said.err]).toEqual([2, expect.stringContaining("Usage: latchkey migrate-data")]);
    }
  },
);

test(
  "a copy without options goes from the server's own database to DATABASE_URL, which it migrates first",
  { timeout },
  async () => {
    const { url: to } = await createPostgresqlTestDatabase();
    const fresh = new pg.Client({ connectionString: to });
    await fresh.connect();
    onTestFinished(() => fresh.end());
    await fresh.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    const dataDir = await createTestDir();
    await migrateDatabase({ url: pathToFileURL(path.join(dataDir, "latchkey.db")).href, migrationsDir });
    const { said, ended } = start([], {
      DATA_DIR: dataDir,
      DATABASE_URL: to,
      CHAIN_ID: "8453",
      RPC_URL: "https://rpc.example.com",
      KEY_CONTRACT_ADDRESS: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
      JWT_SECRET: "9f2c41d07be86a35c1f4e0927d5ab368",
    });
    expect([await ended, said.out]).toEqual([
      0,
      expect.stringContaining("Both databases hold the same 0 rows"),
    ]);
  },
);
