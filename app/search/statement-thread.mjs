// A thread that runs SQL statements on one SQLite file, so that a long scan never holds up the server's event loop.
// Plain JavaScript: Node starts it from this very file, whether the server was built or runs from its sources.
import { performance } from "node:perf_hooks";
import { rmSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import Database from "libsql";

/** How long a statement waits for another process that is writing, in milliseconds. */
const busyTimeoutMs = 10_000;

let sqlite = open();
let lock = null;

function open() {
  try {
    return openFile();
  } catch (error) {
    if (!isNoDatabase(error)) throw error;
    return remake();
  }
}

/**
 * Everything in the file can be made again from the pages it was made from. One at a time, and only what is still no
 * database then: what another one has just made, or was making, is not thrown away.
 */
function remake() {
  const turn = new Database(`${workerData.file}.remake`, { timeout: busyTimeoutMs });
  try {
    execWhenFree({ database: turn, sql: "BEGIN EXCLUSIVE" });
    try {
      return openFile();
    } catch (error) {
      if (!isNoDatabase(error)) throw error;
      for (const end of ["", "-wal", "-shm"]) rmSync(workerData.file + end, { force: true });
      return openFile();
    }
  } finally {
    turn.close();
  }
}

function isNoDatabase(error) {
  return ["SQLITE_NOTADB", "SQLITE_CORRUPT"].includes(error.code);
}

function openFile() {
  const database = new Database(workerData.file, { timeout: busyTimeoutMs });
  try {
    execWhenFree({ database, sql: "PRAGMA journal_mode=WAL" });
    database.exec("PRAGMA synchronous=NORMAL");
    database.exec("PRAGMA cache_size=-65536");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Two who change a new file's journal at once: SQLite turns one away on the spot, whatever its timeout. */
function execWhenFree({ database, sql }) {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const untilMs = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      return database.exec(sql);
    } catch (error) {
      if (error.code !== "SQLITE_BUSY" || performance.now() > untilMs) throw error;
      Atomics.wait(pause, 0, 0, 10);
    }
  }
}

function run(statements) {
  const prepared = new Map();
  return statements.map(({ sql, args = [] }) => {
    const statement = prepared.get(sql) ?? sqlite.prepare(sql);
    prepared.set(sql, statement);
    // Always one array: the driver ends the process over a lone blob, and knows blobs as Buffers only.
    const values = args.map((value) =>
      value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value,
    );
    if (statement.columns().length > 0) return statement.all(values);
    statement.run(values);
    return [];
  });
}

function runTogether({ statements, kind }) {
  sqlite.exec(kind === "write" ? "BEGIN IMMEDIATE" : "BEGIN");
  try {
    const rows = run(statements);
    sqlite.exec("COMMIT");
    return rows;
  } catch (error) {
    if (sqlite.inTransaction) sqlite.exec("ROLLBACK");
    throw error;
  }
}

/** Held by a lock on a file of its own, which the system takes back even from a process that was killed. */
function takeLock() {
  if (lock) return true;
  const file = new Database(`${workerData.file}.lock`, { timeout: 0 });
  try {
    file.exec("BEGIN EXCLUSIVE");
    lock = file;
    return true;
  } catch (error) {
    file.close();
    if (error.code === "SQLITE_BUSY") return false;
    throw error;
  }
}

function releaseLock() {
  lock?.exec("ROLLBACK");
  lock?.close();
  lock = null;
}

function close() {
  releaseLock();
  sqlite.close();
  sqlite = null;
}

const orders = { read: runTogether, write: runTogether, takeLock, releaseLock, close };

parentPort.on("message", ({ id, ...order }) => {
  try {
    parentPort.postMessage({ id, value: orders[order.kind](order) });
  } catch (error) {
    parentPort.postMessage({ id, error: { message: String(error.message), code: error.code } });
  }
  if (order.kind === "close") parentPort.close();
});
