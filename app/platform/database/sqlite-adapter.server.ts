import { setImmediate as letOthersRun, setTimeout as delay } from "node:timers/promises";
import type { Client, InStatement, ResultSet, Row, Transaction } from "@libsql/client";
import { PrismaLibSql } from "@prisma/adapter-libsql";
import Sqlite from "libsql";

/**
 * Transactions are synced to the disk. Single statements (nonces, limits) survive a killed process, but a power cut may
 * take the last of them. SQLite ignores the switch inside a transaction.
 */
const durableSync = "PRAGMA synchronous=FULL";
const relaxedSync = "PRAGMA synchronous=NORMAL";

/**
 * The driver waits synchronously and blocks the process, so it waits only as long as a short write takes. We wait
 * asynchronously for the rest.
 */
const blockingWaitMs = 5;
const longestPauseMs = 20;

/** 64 pages. The largest transaction of a request, a form with 10,000 characters and two channels, writes 35. */
const probeBytes = 64 * 4096;
/** SQLite's own default, in KiB. */
const usualCacheSize = "PRAGMA cache_size=-2000";

const sqliteBusy = 5;
const probeFaults = new Map<number | null, Writability>([
  [sqliteBusy, "locked"],
  [8, "read-only"],
  [13, "full"],
]);

/** `busyTimeoutMs`: how long to wait for another process that is writing to the same file. */
export type SqliteOptions = { path: string; busyTimeoutMs: number };
type Writability = "writable" | "locked" | "read-only" | "full";

/**
 * Prisma's libSQL adapter on ONE connection. Its own client opens another for every transaction, leaks file descriptors
 * and forgets PRAGMAs. The adapter runs one statement at a time, and none while a transaction is open.
 */
export class SqliteAdapter extends PrismaLibSql {
  readonly #options: SqliteOptions;
  #sqlite: Sqlite.Database | undefined;

  constructor(options: SqliteOptions) {
    super({ url: "file:" });
    this.#options = options;
  }

  /** Prisma makes another one if a closed client is used again. */
  override createClient(): Client {
    const sqlite = (this.#sqlite = openConnection(this.#options));
    const whenNotBusy = createPatience(this.#options.busyTimeoutMs);
    return {
      protocol: "file",
      get closed() {
        return !sqlite.open;
      },
      // A read that succeeds says nothing about another process's lock.
      execute: (statement: InStatement) =>
        isRead(statement)
          ? whenNotBusy(() => run(sqlite, statement), "read")
          : whenNotBusy(() => writeOnce(sqlite, statement)),
      transaction: () => whenNotBusy(() => beginDurably(sqlite)),
      close: () => close(sqlite),
      ...notOffered,
    };
  }

  /**
   * Whether any write of a request would succeed now, by a write as large. Bypasses Prisma and its queue, where a
   * waiting write would block every read behind it.
   */
  async probeWriting(waitMs: number): Promise<Writability> {
    if (!this.#sqlite) throw new Error("The database is not connected.");
    return await probeWriting(this.#sqlite, waitMs);
  }
}

/** Waits in the driver once: another process may be recovering the file's log. */
function openConnection({ path, busyTimeoutMs }: SqliteOptions): Sqlite.Database {
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

/**
 * The driver really closes the file only when its statements are collected. This moves everything into the one file
 * that an operator copies.
 */
function close(sqlite: Sqlite.Database): void {
  if (!sqlite.open) return;
  try {
    if (!sqlite.inTransaction) sqlite.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    sqlite.close();
  }
}

/**
 * Retries while another process has the lock: a refused statement has changed nothing. Statements queue for the
 * connection, so they share one deadline.
 */
function createPatience(busyTimeoutMs: number) {
  let [metAtMs, lastAtMs] = [0, -Infinity];
  return async function whenNotBusy<T>(attempt: () => T, kind?: "read"): Promise<T> {
    for (;;) {
      try {
        const result = attempt();
        if (kind !== "read") lastAtMs = -Infinity;
        return result;
      } catch (error) {
        if (primaryCodeOf(error) !== sqliteBusy) throw error;
        const nowMs = performance.now();
        // This is another lock.
        if (nowMs - lastAtMs > busyTimeoutMs) metAtMs = nowMs;
        lastAtMs = nowMs;
        const isOver = nowMs >= metAtMs + busyTimeoutMs;
        // Each failed try has blocked the loop, so let others run.
        await (isOver ? letOthersRun() : delay(Math.random() * longestPauseMs));
        if (isOver) throw error;
      }
    }
  };
}

function primaryCodeOf(error: unknown): number | null {
  return error instanceof Sqlite.SqliteError && error.rawCode !== undefined ? error.rawCode & 0xff : null;
}

/**
 * Takes the lock with BEGIN. If a lock refused the statement itself, the driver would leave it half-run. Nothing after
 * it would be committed until the garbage collector finds it.
 */
function writeOnce(sqlite: Sqlite.Database, statement: InStatement): ResultSet {
  sqlite.exec("BEGIN IMMEDIATE");
  try {
    const result = run(sqlite, statement);
    sqlite.exec("COMMIT");
    return result;
  } catch (error) {
    rollBack(sqlite);
    throw error;
  }
}

/**
 * The driver ends the process if this is asked of a closed database. After a full disk SQLite has rolled back by
 * itself.
 */
function isInTransaction(sqlite: Sqlite.Database): boolean {
  return sqlite.open && sqlite.inTransaction;
}

function rollBack(sqlite: Sqlite.Database): void {
  if (isInTransaction(sqlite)) sqlite.exec("ROLLBACK");
}

/** IMMEDIATE: a transaction that takes the lock at its first write could be refused in its middle. */
function beginDurably(sqlite: Sqlite.Database): Transaction {
  sqlite.exec(durableSync);
  try {
    sqlite.exec("BEGIN IMMEDIATE");
  } catch (error) {
    sqlite.exec(relaxedSync);
    throw error;
  }

  function end(how: "COMMIT" | "ROLLBACK"): void {
    if (transaction.closed) return;
    transaction.closed = true;
    try {
      // A COMMIT after SQLite has rolled back must fail.
      sqlite.exec(how);
    } finally {
      rollBack(sqlite);
      if (sqlite.open) sqlite.exec(relaxedSync);
    }
  }

  const transaction = {
    closed: false,
    /** Later it would run on its own, or in the next transaction. */
    execute: async (statement: InStatement) => {
      if (transaction.closed || !isInTransaction(sqlite)) throw new Error("The transaction has ended.");
      return run(sqlite, statement);
    },
    commit: async () => end("COMMIT"),
    rollback: async () => end("ROLLBACK"),
    close: () => end("ROLLBACK"),
    ...notOffered,
  };
  return transaction;
}

/**
 * Waits for the end of our own transaction, because under load there usually is one. Has its own deadline, so that it
 * can't shorten the wait of a write.
 */
async function probeWriting(sqlite: Sqlite.Database, waitMs: number): Promise<Writability> {
  const givesUpAtMs = performance.now() + waitMs;
  try {
    while (isInTransaction(sqlite) && performance.now() < givesUpAtMs) await delay(1);
    await createPatience(waitMs)(() => {
      // A longer transaction has the lock; its own end will tell.
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
 * With such a small page cache, SQLite writes changed pages to the write-ahead log before the transaction ends. The
 * rollback drops the rows and leaves the room in the log.
 */
function writeAndRollBack(sqlite: Sqlite.Database): void {
  try {
    sqlite.exec(`PRAGMA cache_size=1; BEGIN IMMEDIATE;
      INSERT INTO "_prisma_migrations" ("id", "checksum", "migration_name", "logs")
      VALUES ('probe', '', '', zeroblob(${probeBytes}))`);
  } finally {
    rollBack(sqlite);
    sqlite.exec(usualCacheSize);
  }
}

function isRead(statement: InStatement): boolean {
  return /^\s*(SELECT|PRAGMA)\b/i.test(typeof statement === "string" ? statement : statement.sql);
}

/** Prisma's adapter uses positional arguments and rows. */
function run(sqlite: Sqlite.Database, given: InStatement): ResultSet {
  const { sql, args = [] } = typeof given === "string" ? { sql: given } : given;
  const values = Object.values(args).map((value) => (typeof value === "boolean" ? Number(value) : value));
  const statement = sqlite.prepare(sql);
  statement.safeIntegers(true);
  const columns = statement.columns();
  const rows = columns.length > 0 ? (statement.raw(true).all(values) as Row[]) : [];
  return {
    columns: columns.map(({ name }) => name),
    columnTypes: columns.map(({ type }) => type ?? ""),
    rows: rows.map((row) => Object.assign(row, Array.from(row, toPlainInteger))),
    rowsAffected: columns.length > 0 ? 0 : statement.run(values).changes,
    lastInsertRowid: undefined,
    toJSON: refuse,
  };
}

function toPlainInteger(value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Parts of libSQL's interface that nobody here calls. */
const notOffered = {
  batch: refuse,
  executeMultiple: refuse,
  migrate: refuse,
  sync: refuse,
  reconnect: refuse,
};

function refuse(): never {
  throw new Error("This part of the libSQL interface is not offered here.");
}
