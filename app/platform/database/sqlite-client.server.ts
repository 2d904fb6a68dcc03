import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import type { Client, InStatement, ResultSet, Row, Transaction } from "@libsql/client";
import Sqlite from "libsql";
import {
  blockingWaitMs,
  createQueue,
  primaryCodeOf,
  sqliteBusy,
  takeTurn,
  whenNotBusy,
} from "./sqlite-queue.server";
import type { Queue } from "./sqlite-queue.server";

/**
 * Transactions are synced to the disk before they answer; single statements (nonces, limits) survive a killed process,
 * and a power cut may take the last of them. SQLite ignores the switch inside a transaction.
 */
const durableSync = "PRAGMA synchronous=FULL";
const relaxedSync = "PRAGMA synchronous=NORMAL";

const probeFaults = new Map<number | null, Writability>([
  [sqliteBusy, "locked"],
  [8, "read-only"],
  [13, "full"],
]);

/** 64 pages. The largest transaction of a request, a form with 10,000 characters and two channels, writes 35. */
const probeBytes = 64 * 4096;
/** SQLite's own default, in KiB. */
const usualCacheSize = "PRAGMA cache_size=-2000";

/** Prisma writes the same few statements again and again; raw ones add a handful. */
const cachedStatements = 200;

type Statement = { sql: string; args: unknown[] };
type Prepared = ReturnType<typeof prepare>;

/** `busyTimeoutMs`: how long to wait for another process that is writing to the same file. */
export type SqliteClientOptions = { path: string; busyTimeoutMs: number };

export type SqliteClient = Client & {
  /** Whether any write of a request succeeds now: makes one as large. It waits in no queue. */
  probeWriting: (waitMs: number) => Promise<Writability>;
};
export type Writability = "writable" | "locked" | "read-only" | "full";

/**
 * A libSQL client on ONE connection: the stock client opens another for every transaction, leaks file descriptors and
 * forgets PRAGMAs. While a transaction is open, everything else waits for its end.
 */
export function openSqliteClient({ path, busyTimeoutMs }: SqliteClientOptions): SqliteClient {
  const sqlite = openConnection(path, busyTimeoutMs);
  const prepared = new Map<string, Prepared>();
  const queue = createQueue(busyTimeoutMs);

  function findOrPrepare(sql: string): Prepared {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const [oldest] = prepared.keys();
    if (prepared.size >= cachedStatements && oldest !== undefined) prepared.delete(oldest);
    const made = prepare(sqlite, sql);
    prepared.set(sql, made);
    return made;
  }

  const execute = ({ sql, args }: Statement): ResultSet => run(findOrPrepare(sql), args);

  function executeOnce(given: InStatement): Promise<ResultSet> {
    const statement = toStatement(given);
    // A read that gets through says nothing of another process's lock.
    return isRead(statement)
      ? whenNotBusy(queue, () => execute(statement), "read")
      : whenNotBusy(queue, () => writeOnce(sqlite, () => execute(statement)));
  }

  return {
    protocol: "file",
    get closed() {
      return !sqlite.open;
    },
    execute: executeOnce as Client["execute"],
    executeMultiple: refuse,
    transaction: () => whenNotBusy(queue, () => beginDurably(sqlite, execute, queue)),
    probeWriting: (waitMs) => probeWriting(sqlite, waitMs),
    close() {
      if (!sqlite.open) return;
      prepared.clear();
      try {
        // The driver truly closes the file only when its statements are collected, so SQLite's own clean-up may never
        // come: this moves everything into the one file that an operator copies.
        if (!isInTransaction(sqlite)) sqlite.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      } finally {
        sqlite.close();
      }
    },
    batch: refuse,
    migrate: refuse,
    sync: refuse,
    reconnect: refuse,
  };
}

/** Waits in the driver once: another process may be recovering the file's log. */
function openConnection(path: string, busyTimeoutMs: number): Sqlite.Database {
  const sqlite = new Sqlite(path, { timeout: busyTimeoutMs });
  try {
    sqlite.exec(`PRAGMA journal_mode=WAL; ${relaxedSync}; PRAGMA foreign_keys=ON;
      PRAGMA busy_timeout=${blockingWaitMs}`);
    return sqlite;
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

function isRead({ sql }: Statement): boolean {
  return /^\s*(SELECT|PRAGMA)\b/i.test(sql);
}

/**
 * A statement outside of any transaction begins one with the lock: were it refused for a lock itself, the driver would
 * leave it half-run, and nothing after it would be committed until the garbage collector finds it.
 */
function writeOnce(sqlite: Sqlite.Database, write: () => ResultSet): ResultSet {
  sqlite.exec("BEGIN IMMEDIATE");
  try {
    const result = write();
    sqlite.exec("COMMIT");
    return result;
  } catch (error) {
    if (isInTransaction(sqlite)) sqlite.exec("ROLLBACK");
    throw error;
  }
}

/** Asked of a closed database, the driver ends the process. */
function isInTransaction(sqlite: Sqlite.Database): boolean {
  return sqlite.open && sqlite.inTransaction;
}

/**
 * Waits for the end of an open transaction of our own: under load there is one most of the time, also while every one
 * of them fails. The lock given to `whenNotBusy` is the probe's own: what it meets must not shorten the wait of a write.
 */
async function probeWriting(sqlite: Sqlite.Database, waitMs: number): Promise<Writability> {
  const givesUpAtMs = performance.now() + waitMs;
  try {
    while (isInTransaction(sqlite) && performance.now() < givesUpAtMs) await delay(1);
    await whenNotBusy(createQueue(waitMs), () => {
      // A transaction that takes longer has the lock; its own end will tell.
      if (!isInTransaction(sqlite)) writeAndRollBack(sqlite);
    });
    return "writable";
  } catch (error) {
    const name = probeFaults.get(primaryCodeOf(error));
    if (name === undefined) throw error;
    return name;
  }
}

/**
 * With a page cache this small, SQLite writes changed pages to the write-ahead log before the transaction ends. The
 * rollback leaves the rows out and the room in the log, which the next transaction overwrites.
 */
function writeAndRollBack(sqlite: Sqlite.Database): void {
  try {
    sqlite.exec(`PRAGMA cache_size=1; BEGIN IMMEDIATE;
      INSERT INTO "_prisma_migrations" ("id", "checksum", "migration_name", "logs")
      VALUES ('probe', '', '', zeroblob(${probeBytes}))`);
  } finally {
    if (isInTransaction(sqlite)) sqlite.exec("ROLLBACK");
    sqlite.exec(usualCacheSize);
  }
}

function beginDurably(
  sqlite: Sqlite.Database,
  execute: (statement: Statement) => ResultSet,
  queue: Queue,
): Transaction {
  beginNow(sqlite);
  let failure: Error | null = null;
  const giveBack = takeTurn(queue);

  function end(how: "COMMIT" | "ROLLBACK"): void {
    if (transaction.closed) return;
    transaction.closed = true;
    try {
      // After a full disk SQLite has already rolled back by itself, and a COMMIT must not look as if it had worked.
      if (how === "COMMIT" || isInTransaction(sqlite)) sqlite.exec(how);
    } finally {
      try {
        if (isInTransaction(sqlite)) sqlite.exec("ROLLBACK");
        if (sqlite.open) sqlite.exec(relaxedSync);
      } finally {
        giveBack();
      }
    }
  }

  /** One that came later, or after SQLite has rolled back by itself, would be carried out on its own, or in the next transaction. */
  function executeWithin(given: InStatement): ResultSet {
    if (transaction.closed) throw new Error("The transaction has ended.");
    if (failure !== null) throw failure;
    try {
      return execute(toStatement(given));
    } catch (error) {
      if (!isInTransaction(sqlite)) failure = error as Error;
      throw error;
    }
  }

  // With a getter each of these objects would be a dictionary.
  const transaction = {
    closed: false,
    execute: async (given: InStatement) => executeWithin(given),
    commit: async () => end("COMMIT"),
    rollback: async () => end("ROLLBACK"),
    close: () => end("ROLLBACK"),
    batch: refuse,
    executeMultiple: refuse,
  };
  return transaction;
}

/** IMMEDIATE: a transaction that only asked for the lock when it first writes could be refused in its middle. */
function beginNow(sqlite: Sqlite.Database): void {
  sqlite.exec(durableSync);
  try {
    sqlite.exec("BEGIN IMMEDIATE");
  } catch (error) {
    sqlite.exec(relaxedSync);
    throw error;
  }
}

function prepare(sqlite: Sqlite.Database, sql: string) {
  const statement = sqlite.prepare(sql);
  statement.safeIntegers(true);
  const columns = statement.columns();
  const returnsRows = columns.length > 0;
  if (returnsRows) statement.raw(true);
  return {
    statement,
    columns: columns.map((column) => column.name),
    columnTypes: columns.map((column) => column.type ?? ""),
    returnsRows,
  };
}

function run(prepared: Prepared, args: unknown[]): ResultSet {
  const { statement, columns, columnTypes, returnsRows } = prepared;
  // Prisma's adapter reads rows by position only, so the arrays of the driver serve as they are.
  const rows = returnsRows
    ? (statement.all(args) as Row[]).map((row) => Object.assign(row, Array.from(row, toPlainInteger)))
    : [];
  const rowsAffected = returnsRows ? 0 : statement.run(args).changes;
  return { columns, columnTypes, rows, rowsAffected, lastInsertRowid: undefined, toJSON: refuse };
}

function toPlainInteger(value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function toStatement(given: InStatement): Statement {
  if (typeof given === "string") return { sql: given, args: [] };
  const { sql, args = [] } = given;
  if (!Array.isArray(args)) throw new Error("Statements take their arguments by position.");
  return { sql, args: args.map((value) => (typeof value === "boolean" ? Number(value) : value)) };
}

/** Parts of libSQL's interface that nobody here calls. */
function refuse(): never {
  throw new Error("This part of the libSQL interface is not offered here.");
}
