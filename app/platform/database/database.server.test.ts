import { execFileSync, spawnSync } from "node:child_process";
import { copyFile, readdir, rename, rm, stat, truncate } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import { setImmediate as letOthersRun, setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import path from "node:path";
import Sqlite from "libsql";
import { expect, onTestFinished, test } from "vitest";
import {
  createPostgresqlTestDatabase,
  createSqliteTestDatabase,
  createTestDir,
  migrationsDir,
  openTestDatabase,
  testOnEachDatabase,
  testOnPostgresql,
} from "~e2e/support/databases/database";
import { mountSmallDisk } from "~e2e/support/databases/small-disk";
import { toRefusal } from "~/platform/http/to-refusal.server";
import { startPostgresql } from "../../../prisma/shadow-databases.mjs";
import { closeDatabase, findDatabaseFault, openDatabase } from "./database.server";
import type { Database } from "./database.server";
import { migrateDatabase } from "./migrate.server";
import { isDatabaseOutage } from "./outage.server";
import { SqliteAdapter } from "./sqlite-adapter.server";

type Queryable = Pick<Database, "$queryRawUnsafe">;

async function readPragma(queryable: Queryable, name: string): Promise<unknown> {
  const [row] = await queryable.$queryRawUnsafe<Record<string, unknown>[]>(`PRAGMA ${name}`);
  return Object.values(row ?? {})[0];
}

const relaxed = 1;
const durable = 2;

function insertNonce(database: Pick<Database, "nonce">, value: string, clientId: string = "c") {
  return database.nonce.create({ data: { value, clientId, issuedAtMs: 1n, expiresAtMs: 2n } });
}

/** Another process's hold on the file, until it is let go. */
function lockFile(filePath: string): { release: () => void } {
  const other = new Sqlite(filePath);
  other.exec("BEGIN IMMEDIATE");
  onTestFinished(() => void other.close());
  return { release: () => void other.exec("ROLLBACK") };
}

const hasPrlimit = spawnSync("prlimit", ["--version"]).status === 0;

/** As on a full disk: no file may be written by this process, until `work` is done. */
async function withoutRoomToWrite<T>(work: () => Promise<T>): Promise<T> {
  const setLimit = (bytes: string) =>
    execFileSync("prlimit", [`--pid=${process.pid}`, `--fsize=${bytes}:`], { stdio: "pipe" });
  setLimit("0");
  try {
    return await work();
  } finally {
    setLimit("unlimited");
  }
}

async function catchError(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("This must be refused.");
}

test("a connection has a write-ahead log, relaxed single writes and enforced references", async () => {
  const { database } = await createSqliteTestDatabase();
  const read = async () => [
    await readPragma(database, "journal_mode"),
    await readPragma(database, "synchronous"),
    await readPragma(database, "foreign_keys"),
  ];
  expect(await read()).toEqual(["wal", relaxed, 1]);
  // Prisma reconnects when a closed client is used.
  await closeDatabase(database);
  expect(await read()).toEqual(["wal", relaxed, 1]);
});

test("a transaction is durable, and single statements are relaxed again however it ends", async () => {
  const { database, filePath } = await createSqliteTestDatabase();
  const level = await database.$transaction((transaction) => readPragma(transaction, "synchronous"));
  expect(level).toBe(durable);
  expect(await readPragma(database, "synchronous")).toBe(relaxed);

  const failed = database.$transaction(async (transaction) => {
    expect(await readPragma(transaction, "synchronous")).toBe(durable);
    throw new Error("changed my mind");
  });
  await expect(failed).rejects.toThrow("changed my mind");
  expect(await readPragma(database, "synchronous")).toBe(relaxed);

  const impatient = await openDatabase({ url: pathToFileURL(filePath).href, busyTimeoutMs: 30 });
  onTestFinished(() => closeDatabase(impatient));
  lockFile(filePath);
  await expect(impatient.$transaction((transaction) => transaction.nonce.count())).rejects.toThrow();
  expect(await readPragma(impatient, "synchronous")).toBe(relaxed);
});

test("single statements wait until an open transaction has ended, and are not part of it", async () => {
  const { database } = await createSqliteTestDatabase();
  const levels: unknown[] = [];
  let outside: Promise<unknown> = Promise.resolve();
  const failed = database.$transaction(async (transaction) => {
    await transaction.nonce.create({ data: { value: "in", clientId: "c", issuedAtMs: 1n, expiresAtMs: 2n } });
    outside = Promise.all([
      insertNonce(database, "out"),
      readPragma(database, "synchronous").then((level) => levels.push(level)),
    ]);
    await delay(20);
    expect(levels).toEqual([]);
    throw new Error("changed my mind");
  });
  await expect(failed).rejects.toThrow("changed my mind");
  await outside;
  expect(levels).toEqual([relaxed]);
  expect((await database.nonce.findMany()).map((nonce) => nonce.value)).toEqual(["out"]);
});

test("a closed database is complete in its one file", async () => {
  const { database, filePath } = await createSqliteTestDatabase();
  await insertNonce(database, "n");
  await closeDatabase(database);
  const copyPath = `${filePath}.copy`;
  await copyFile(filePath, copyPath);
  const copy = new Sqlite(copyPath);
  onTestFinished(() => void copy.close());
  expect(copy.prepare(`SELECT "value" FROM "Nonce"`).all()).toEqual([{ value: "n" }]);
});

test("hundreds of transactions use one and the same file handle", async () => {
  const { database } = await createSqliteTestDatabase();
  const countHandles = async () => (await readdir("/proc/self/fd")).length;
  await database.$transaction((transaction) => transaction.nonce.count());
  const before = await countHandles();
  for (let round = 0; round < 300; round++) {
    await database.$transaction((transaction) => transaction.nonce.count());
  }
  expect(await countHandles()).toBeLessThanOrEqual(before + 2);
});

test.each([1, 1_000])(
  "%i writes wait while another process holds the file, and the rest of the process goes on",
  async (count) => {
    const { database, filePath } = await createSqliteTestDatabase();
    const lock = lockFile(filePath);
    let isWritten = false;
    const writes = Array.from({ length: count }, (_, value) => insertNonce(database, `n${value}`));
    const written = Promise.all(writes).then(() => (isWritten = true));
    let longestTurnMs = 0;
    for (let turn = 0; turn < 20; turn++) {
      const startedAt = performance.now();
      await delay(5);
      longestTurnMs = Math.max(longestTurnMs, performance.now() - startedAt);
    }
    expect(isWritten).toBe(false);
    // The driver's own wait would hold one turn for five seconds, and so would a thousand waits side by side.
    expect(longestTurnMs).toBeLessThan(4_000);
    lock.release();
    await written;
  },
);

test("writes that queue behind another process's lock wait together, not one after the other", async () => {
  const { filePath } = await createSqliteTestDatabase();
  const database = await openDatabase({ url: pathToFileURL(filePath).href, busyTimeoutMs: 300 });
  onTestFinished(() => closeDatabase(database));
  const lock = lockFile(filePath);
  const startedAt = performance.now();
  const insert = (value: number) => insertNonce(database, `n${value}`);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, async (_, value) => {
      await insert(value);
    }),
  );
  expect(outcomes.every(({ status }) => status === "rejected")).toBe(true);
  // One after the other they would take six seconds.
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  await database.nonce.count();
  lock.release();
  await insert(1);
});

test("the rest of the process goes on where hundreds of writes give up", async () => {
  const { filePath } = await createSqliteTestDatabase();
  const database = await openDatabase({ url: pathToFileURL(filePath).href, busyTimeoutMs: 30 });
  onTestFinished(() => closeDatabase(database));
  const lock = lockFile(filePath);
  let turn = 0;
  const gaveUpIn: number[] = [];
  let left = 400;
  for (let write = 0; write < 400; write++)
    void database.nonce
      .deleteMany()
      .catch(() => gaveUpIn.push(turn))
      .finally(() => (left -= 1));
  let longestTurnMs = 0;
  for (; left > 0; turn++) {
    const startedAt = performance.now();
    await letOthersRun();
    longestTurnMs = Math.max(longestTurnMs, performance.now() - startedAt);
  }
  lock.release();
  expect(gaveUpIn).toHaveLength(400);
  // In one turn they would hold the loop for two seconds.
  expect(new Set(gaveUpIn).size).toBeGreaterThan(100);
  expect(longestTurnMs).toBeLessThan(250);
});

test("a transaction that lasts too long is an outage, takes no more statements, and frees the file", async () => {
  const { database } = await createSqliteTestDatabase();
  const lasting = database.$transaction(
    async (transaction) => {
      await insertNonce(transaction, "lasting");
      await delay(300);
      await insertNonce(transaction, "late");
    },
    { timeout: 50 },
  );
  const failure: unknown = await lasting.catch((error: unknown) => error);
  expect(isDatabaseOutage(failure)).toBe(true);
  await database.$transaction((transaction) => insertNonce(transaction, "next"));
  expect(await database.nonce.findMany({ select: { value: true } })).toEqual([{ value: "next" }]);
});

test("a transaction takes no statement after its end, and a client may be closed with one open", async () => {
  const { filePath, url } = await createSqliteTestDatabase();
  const adapter = new SqliteAdapter({ path: filePath, busyTimeoutMs: 100 });
  const client = adapter.createClient();
  const insert = (value: string) => `INSERT INTO "SpentSignature" VALUES ('${value}', 1)`;
  const ended = await client.transaction();
  await ended.execute(insert("ended"));
  await ended.rollback();
  const open = await client.transaction();
  await expect(ended.execute(insert("late"))).rejects.toThrow("has ended");
  await open.commit();
  const left = await client.transaction();
  await left.execute(insert("left"));
  client.close();
  await expect(left.commit()).rejects.toThrow();
  await expect(adapter.probeWriting(1)).rejects.toThrow();
  const database = await openTestDatabase(url);
  expect(await database.spentSignature.count()).toBe(0);
});

test("nothing follows in a transaction that SQLite has rolled back by itself", async () => {
  const { filePath, url } = await createSqliteTestDatabase();
  const client = new SqliteAdapter({ path: filePath, busyTimeoutMs: 100 }).createClient();
  onTestFinished(() => client.close());
  const transaction = await client.transaction();
  // As after a full disk.
  const insert = (value: string) => `INSERT OR ROLLBACK INTO "SpentSignature" VALUES ('${value}', 1)`;
  await transaction.execute(insert("twice"));
  await expect(transaction.execute(insert("twice"))).rejects.toThrow("UNIQUE");
  await expect(transaction.execute(insert("after"))).rejects.toThrow("has ended");
  await expect(transaction.commit()).rejects.toThrow();
  const database = await openTestDatabase(url);
  expect(await database.spentSignature.count()).toBe(0);
});

test("writes are committed again after one was refused for a lock", async () => {
  const { filePath, url } = await createSqliteTestDatabase();
  const database = await openDatabase({ url, busyTimeoutMs: 30 });
  onTestFinished(() => closeDatabase(database));
  const lock = lockFile(filePath);
  // Different statements from those below, because running one again resets it.
  await expect(database.chainCursor.deleteMany()).rejects.toThrow();
  await expect(database.$executeRaw`DELETE FROM "UsedKey"`).rejects.toThrow();
  await expect(database.$transaction([insertNonce(database, "refused")])).rejects.toThrow();
  lock.release();
  await insertNonce(database, "alone");
  await database.$transaction([insertNonce(database, "first"), insertNonce(database, "second")]);
  const somebodyElse = await openTestDatabase(url);
  expect((await somebodyElse.nonce.findMany()).map((nonce) => nonce.value)).toEqual([
    "alone",
    "first",
    "second",
  ]);
});

test("a locked, read-only or full SQLite file is an outage, a violated constraint is not", async () => {
  const { filePath, url } = await createSqliteTestDatabase();
  const database = await openDatabase({ url, busyTimeoutMs: 30 });
  onTestFinished(() => closeDatabase(database));
  const clientId = "x".repeat(100_000);
  const write = () => insertNonce(database, "n", clientId);
  const outages: unknown[] = [];

  const lock = lockFile(filePath);
  outages.push(await catchError(write()), await catchError(database.$transaction([write()])));
  lock.release();

  await database.$queryRawUnsafe("PRAGMA query_only=ON");
  outages.push(await catchError(write()), await catchError(database.$executeRaw`DELETE FROM "Nonce"`));
  await database.$queryRawUnsafe("PRAGMA query_only=OFF");

  await database.$queryRawUnsafe("PRAGMA max_page_count=1");
  outages.push(await catchError(write()), await catchError(database.$transaction([write()])));
  await database.$queryRawUnsafe("PRAGMA max_page_count=1000000");

  for (const outage of outages) {
    expect(isDatabaseOutage(outage), String(outage)).toBe(true);
    expect(toRefusal(outage)).toMatchObject({ refusalName: "state-unavailable", status: 503, cause: outage });
  }

  await write();
  const defects = [
    await catchError(write()),
    await catchError(database.$executeRaw`DELETE FROM "NoSuchTable"`),
    new Error("anything else"),
    "not even an error",
  ];
  for (const defect of defects) {
    expect(isDatabaseOutage(defect), String(defect)).toBe(false);
    expect(toRefusal(defect)).toMatchObject({ refusalName: "internal-error", cause: defect });
  }
});

test.skipIf(!hasPrlimit)(
  "a commit without room on the disk is an outage and a fault, and has changed nothing",
  async () => {
    const { database } = await createSqliteTestDatabase();
    const write = (value: string) => database.$transaction([insertNonce(database, value)]);
    await write("before");
    const { outage, fault } = await withoutRoomToWrite(async () => ({
      outage: await catchError(write("meanwhile")),
      fault: await findDatabaseFault(database, 2_000).catch(String),
    }));
    expect(isDatabaseOutage(outage), String(outage)).toBe(true);
    expect(toRefusal(outage)).toMatchObject({ refusalName: "state-unavailable", status: 503 });
    expect(fault).not.toBeNull();
    await write("after");
    expect(await database.nonce.findMany({ select: { value: true } })).toEqual([
      { value: "after" },
      { value: "before" },
    ]);
    expect(await findDatabaseFault(database, 2_000)).toBeNull();
  },
);

test("an error that did not pass through Prisma, such as a commit's, is classified too", () => {
  const full = new Sqlite.SqliteError("database or disk is full", "SQLITE_FULL", 13);
  expect(isDatabaseOutage(full)).toBe(true);
  expect(isDatabaseOutage(new Sqlite.SqliteError("not unique", "SQLITE_CONSTRAINT_UNIQUE", 2067))).toBe(
    false,
  );
});

test("a PostgreSQL server that refuses, shuts down or is gone is an outage, a violated constraint is not", async () => {
  const refused = await catchError(openDatabase({ url: "postgresql://a:b@127.0.0.1:1/x" }));
  expect(isDatabaseOutage(refused), String(refused)).toBe(true);

  const server = await startPostgresql();
  onTestFinished(() => server.stop());
  const database = await openDatabase({ url: await server.createDatabase() });
  onTestFinished(() => closeDatabase(database));
  const defect = await catchError(database.$executeRaw`DELETE FROM "NoSuchTable"`);
  expect(isDatabaseOutage(defect), String(defect)).toBe(false);
  const ended = await catchError(database.$executeRaw`SELECT pg_terminate_backend(pg_backend_pid())`);
  expect(isDatabaseOutage(ended), String(ended)).toBe(true);
  await server.stop();
  for (const outage of [
    await catchError(insertNonce(database, "n")),
    await catchError(database.$transaction([insertNonce(database, "n")])),
    await catchError(database.$queryRaw`SELECT 1`),
  ]) {
    expect(isDatabaseOutage(outage), String(outage)).toBe(true);
  }
});

const askTwoSeconds = (database: Database) => findDatabaseFault(database, 2_000);

testOnEachDatabase("a database that reads and writes has no fault", async ({ database }) => {
  expect(await askTwoSeconds(database)).toBeNull();
});

test("a SQLite file that was removed or replaced is a fault", async () => {
  const { database, filePath } = await createSqliteTestDatabase();
  await rename(filePath, `${filePath}.away`);
  expect(await askTwoSeconds(database)).toMatch(/removed or replaced/);
  await rename(`${filePath}.away`, filePath);
  expect(await askTwoSeconds(database)).toBeNull();
  await rm(filePath);
  new Sqlite(filePath).close();
  expect(await askTwoSeconds(database)).toMatch(/removed or replaced/);
});

/** Leaves room for one page in the write-ahead log; a nonce takes three. Null where no disk may be mounted. */
async function openOnFullDisk() {
  const disk = mountSmallDisk(4);
  if (disk === null) return null;
  onTestFinished(disk.remove);
  const url = pathToFileURL(path.join(disk.dir, "test.db")).href;
  await migrateDatabase({ url, migrationsDir });
  const database = await openTestDatabase(url);
  await insertNonce(database, "before");
  disk.fill();
  const filler = path.join(disk.dir, "filler");
  await truncate(filler, (await stat(filler)).size - 8_192);
  return { database, disk };
}

test("a disk with less room than a request's write needs is a fault until there is room", async (context) => {
  const opened = await openOnFullDisk();
  if (opened === null) return context.skip("A disk of its own can be mounted by root only.");
  const { database, disk } = opened;
  expect(await askTwoSeconds(database)).toMatch(/no room left/);
  expect(isDatabaseOutage(await catchError(insertNonce(database, "meanwhile")))).toBe(true);
  expect(await askTwoSeconds(database)).toMatch(/no room left/);
  disk.empty();
  expect(await askTwoSeconds(database)).toBeNull();
  await insertNonce(database, "after");
});

test("a SQLite file that may grow by less than a request's write is a fault, and the probe changes nothing", async () => {
  const { database } = await createSqliteTestDatabase();
  const pages = Number(await readPragma(database, "page_count"));
  await database.$queryRawUnsafe(`PRAGMA max_page_count=${pages + 2}`);
  expect(await askTwoSeconds(database)).toMatch(/no room left/);
  await database.$queryRawUnsafe("PRAGMA max_page_count=1000000");
  expect(await askTwoSeconds(database)).toBeNull();
  expect(await readPragma(database, "page_count")).toBe(pages);
  expect(await readPragma(database, "cache_size")).toBe(-2000);
  expect(await database.$queryRaw`SELECT "id" FROM "_prisma_migrations" WHERE "id" = 'probe'`).toEqual([]);
});

test("after a probe the next write of its size needs no further room", async () => {
  const { database, filePath } = await createSqliteTestDatabase();
  await database.$queryRawUnsafe("PRAGMA wal_checkpoint(TRUNCATE)");
  expect(await askTwoSeconds(database)).toBeNull();
  const { size } = await stat(`${filePath}-wal`);
  await insertNonce(database, "n", "x".repeat(35 * 4_096));
  expect((await stat(`${filePath}-wal`)).size).toBe(size);
});

test("a SQLite file that another process holds, or that is read-only, is a fault until it is released or writable", async () => {
  const { database, filePath } = await createSqliteTestDatabase();
  const lock = lockFile(filePath);
  // Our own write waits in the queue all the while. The question isn't stuck behind it.
  const waiting = insertNonce(database, "waits");
  expect(await askTwoSeconds(database)).toMatch(/not written: another process holds its write lock/);
  lock.release();
  await waiting;
  expect(await askTwoSeconds(database)).toBeNull();
  await database.$queryRawUnsafe("PRAGMA query_only=ON");
  expect(await askTwoSeconds(database)).toMatch(/not written: it is read-only/);
  await database.$queryRawUnsafe("PRAGMA query_only=OFF");
  expect(await askTwoSeconds(database)).toBeNull();
});

test("a hundred probes at once, within a transaction too, change nothing for writers", async () => {
  const { database, url } = await createSqliteTestDatabase();
  const other = await openTestDatabase(url);
  const ask = () => Promise.all(Array.from({ length: 100 }, () => askTwoSeconds(database)));
  let asked: Promise<(string | null)[]> = Promise.resolve([]);
  await database.$transaction(async (transaction) => {
    await transaction.nonce.create({ data: { value: "in", clientId: "c", issuedAtMs: 1n, expiresAtMs: 2n } });
    asked = ask();
    await delay(20);
  });
  expect(new Set(await asked)).toEqual(new Set([null]));
  const writes = Array.from({ length: 50 }, (_, index) =>
    insertNonce(index % 2 ? other : database, `n${index}`),
  );
  expect(new Set(await ask())).toEqual(new Set([null]));
  await Promise.all(writes);
  expect(await database.nonce.count()).toBe(51);
});

test("a full SQLite file is a fault within a transaction too", async () => {
  const { database } = await createSqliteTestDatabase();
  await database.$queryRawUnsafe("PRAGMA max_page_count=1");
  let asked: Promise<string | null> = Promise.resolve(null);
  await database.$transaction(async (transaction) => {
    await transaction.nonce.count();
    asked = askTwoSeconds(database);
    await delay(20);
  });
  expect(await asked).toMatch(/no room left/);
});

testOnPostgresql("a read-only PostgreSQL server is a fault", async () => {
  const { database, url } = await createPostgresqlTestDatabase();
  await database.$executeRawUnsafe(`DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$`);
  expect(await askTwoSeconds(database)).toBeNull();
  // The setting applies to new connections.
  expect(await askTwoSeconds(await openTestDatabase(url))).toMatch(/not written: it is read-only/);
});

testOnPostgresql("a probe gives up after its time limit", async () => {
  const { database } = await createPostgresqlTestDatabase();
  // Holds the very table that is read.
  const held = database.$transaction(async (transaction) => {
    await transaction.$executeRaw`LOCK TABLE "_prisma_migrations" IN ACCESS EXCLUSIVE MODE`;
    await expect(findDatabaseFault(database, 50)).rejects.toThrow("did not respond within 50 ms");
  });
  await held;
});

test("a database that was never migrated is not opened", async () => {
  const missing = path.join(await createTestDir(), "missing.db");
  await expect(openDatabase({ url: pathToFileURL(missing).href })).rejects.toThrow(
    /Apply the migrations first/,
  );
});
