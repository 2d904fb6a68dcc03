// A thread that runs SQL statements on one SQLite file, so that a long scan never holds up the server's event loop. It
// uses the driver's asynchronous interface: while a statement runs, the thread can be told to end it.
// Plain JavaScript: Node starts it from this file, built or not.
import { performance } from "node:perf_hooks";
import { rmSync } from "node:fs";
import { clearInterval, setInterval } from "node:timers";
import { setTimeout as pause } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import Database from "libsql/promise";

/** How long a statement waits for another process that is writing, in milliseconds. */
const busyTimeoutMs = 10_000;
/** Interrupts are repeated: one that arrives before the statement has begun has no effect. */
const interruptEveryMs = 20;

/** One for each concurrent order, opened when it is first needed. */
const connections = new Map();
/** Each connection's statements by their text, ready to run again. */
const prepared = new WeakMap();
const maxPrepared = 50;
/** How to end each order that is being carried out, by its id. */
const running = new Map();
let lock = null;

function connect(slot) {
  const opened = connections.get(slot) ?? open();
  connections.set(slot, opened);
  opened.catch(() => connections.delete(slot));
  return opened;
}

/** Rebuilt from the pages by one process at a time, and only if it still is no database under the lock. */
async function open() {
  try {
    return await openFile();
  } catch (error) {
    requireNoDatabase(error);
  }
  const turn = new Database(`${workerData.file}.remake`, { timeout: busyTimeoutMs });
  try {
    await execWhenFree(turn, "BEGIN EXCLUSIVE");
    return await openFile().catch((error) => {
      requireNoDatabase(error);
      for (const end of ["", "-wal", "-shm"]) rmSync(workerData.file + end, { force: true });
      return openFile();
    });
  } finally {
    turn.close();
  }
}

function requireNoDatabase(error) {
  if (!["SQLITE_NOTADB", "SQLITE_CORRUPT"].includes(error.code)) throw error;
}

async function openFile() {
  const database = new Database(workerData.file, { timeout: busyTimeoutMs });
  try {
    await execWhenFree(database, "PRAGMA journal_mode=WAL");
    await database.exec("PRAGMA synchronous=NORMAL");
    await database.exec("PRAGMA cache_size=-65536");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** When two change a new file's journal mode at once, SQLite fails one immediately, whatever its timeout. */
async function execWhenFree(database, sql) {
  const untilMs = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      return await database.exec(sql);
    } catch (error) {
      if (error.code !== "SQLITE_BUSY" || performance.now() > untilMs) throw error;
      await pause(10);
    }
  }
}

/** One transaction. It is interrupted at its deadline or on request, also before it has begun. */
async function runTogether({ id, statements, kind, slot, limitMs }) {
  const timers = [];
  let sqlite;
  let isOver = false;
  const end = () => {
    isOver = true;
    sqlite?.interrupt();
    timers.push(setInterval(() => sqlite?.interrupt(), interruptEveryMs));
  };
  const lift = () => {
    running.delete(id);
    timers.forEach(clearInterval);
  };
  running.set(id, end);
  try {
    sqlite = await connect(slot);
    if (limitMs !== undefined) timers.push(setTimeout(end, limitMs));
    if (kind === "write") await sqlite.exec("BEGIN IMMEDIATE");
    const rows = await run(sqlite, statements, () => isOver);
    lift();
    if (kind === "write") await sqlite.exec("COMMIT");
    return rows;
  } catch (error) {
    lift();
    if (sqlite?.inTransaction) await sqlite.exec("ROLLBACK");
    throw error;
  }
}

async function run(sqlite, statements, isOver) {
  const answers = [];
  for (const { sql, args = [] } of statements) {
    const { statement, hasRows } = await prepare(sqlite, sql);
    // Always one array: the driver ends the process over a lone blob, and knows blobs as Buffers only.
    const values = args.map((value) =>
      value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value,
    );
    if (isOver()) throw Object.assign(new Error("interrupted"), { code: "SQLITE_INTERRUPT" });
    if (hasRows) answers.push(await statement.all(values));
    else {
      await statement.run(values);
      answers.push([]);
    }
  }
  return answers;
}

async function prepare(sqlite, sql) {
  const ready = prepared.get(sqlite) ?? new Map();
  prepared.set(sqlite, ready);
  if (!ready.has(sql)) {
    if (ready.size >= maxPrepared) ready.clear();
    const statement = await sqlite.prepare(sql);
    ready.set(sql, { statement, hasRows: statement.columns().length > 0 });
  }
  return ready.get(sql);
}

/** A lock on a separate file, which the system releases even when the process is killed. */
async function takeLock() {
  if (lock) return true;
  const file = new Database(`${workerData.file}.lock`, { timeout: 0 });
  try {
    await file.exec("BEGIN EXCLUSIVE");
    lock = file;
    return true;
  } catch (error) {
    file.close();
    if (error.code === "SQLITE_BUSY") return false;
    throw error;
  }
}

async function releaseLock() {
  await lock?.exec("ROLLBACK");
  lock?.close();
  lock = null;
}

async function close() {
  await releaseLock();
  for (const opened of connections.values()) (await opened).close();
}

const orders = { read: runTogether, write: runTogether, takeLock, releaseLock, close };

parentPort.on("message", async (order) => {
  const { id, kind } = order;
  if (kind === "interrupt") return running.get(id)?.();
  try {
    parentPort.postMessage({ id, value: await orders[kind](order) });
  } catch (error) {
    parentPort.postMessage({ id, error: { message: String(error.message), code: error.code } });
  }
  if (kind === "close") parentPort.close();
});
