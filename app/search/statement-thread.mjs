// A thread that runs SQL statements on one SQLite file, so that a long scan never holds up the server's event loop. It
// asks through the driver's asynchronous interface: while a statement runs, the thread hears that it shall end.
// Plain JavaScript: Node starts it from this very file, whether the server was built or runs from its sources.
import { performance } from "node:perf_hooks";
import { rmSync } from "node:fs";
import { clearInterval, setInterval } from "node:timers";
import { setTimeout as pause } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import Database from "libsql/promise";

/** How long a statement waits for another process that is writing, in milliseconds. */
const busyTimeoutMs = 10_000;

/** How often a statement that shall end is told so: one that has not quite begun does not hear it. */
const interruptEveryMs = 20;

/** One for each order that may run at once, opened when it is first needed. */
const connections = new Map();
/** Those that are being obeyed, by their id: how to end them. */
const running = new Map();
let lock = null;

async function open() {
  try {
    return await openFile();
  } catch (error) {
    if (!isNoDatabase(error)) throw error;
    return await remake();
  }
}

async function connect(slot) {
  const opened = connections.get(slot) ?? open();
  connections.set(slot, opened);
  try {
    return await opened;
  } catch (error) {
    connections.delete(slot);
    throw error;
  }
}

/**
 * Everything in the file can be made again from the pages it was made from. One at a time, and only what is still no
 * database then: what another one has just made, or was making, is not thrown away.
 */
async function remake() {
  const turn = new Database(`${workerData.file}.remake`, { timeout: busyTimeoutMs });
  try {
    await execWhenFree({ database: turn, sql: "BEGIN EXCLUSIVE" });
    try {
      return await openFile();
    } catch (error) {
      if (!isNoDatabase(error)) throw error;
      for (const end of ["", "-wal", "-shm"]) rmSync(workerData.file + end, { force: true });
      return await openFile();
    }
  } finally {
    turn.close();
  }
}

function isNoDatabase(error) {
  return ["SQLITE_NOTADB", "SQLITE_CORRUPT"].includes(error.code);
}

async function openFile() {
  const database = new Database(workerData.file, { timeout: busyTimeoutMs });
  try {
    await execWhenFree({ database, sql: "PRAGMA journal_mode=WAL" });
    await database.exec("PRAGMA synchronous=NORMAL");
    await database.exec("PRAGMA cache_size=-65536");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Two who change a new file's journal at once: SQLite turns one away on the spot, whatever its timeout. */
async function execWhenFree({ database, sql }) {
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

async function run({ sqlite, statements, limit }) {
  const prepared = new Map();
  const answers = [];
  for (const { sql, args = [] } of statements) {
    const statement = prepared.get(sql) ?? (await sqlite.prepare(sql));
    prepared.set(sql, statement);
    // Always one array: the driver ends the process over a lone blob, and knows blobs as Buffers only.
    const values = args.map((value) =>
      value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value,
    );
    limit.throwIfOver();
    if (statement.columns().length > 0) answers.push(await statement.all(values));
    else {
      await statement.run(values);
      answers.push([]);
    }
  }
  return answers;
}

/** The end of an order: at its deadline, where it has one, or when it is told to end, also before it has begun. */
function limitOrder({ id, limitMs }) {
  let isOver = false;
  let connection;
  let deadline;
  let again;
  const end = () => {
    isOver = true;
    connection?.interrupt();
    again ??= setInterval(() => connection?.interrupt(), interruptEveryMs);
  };
  running.set(id, end);
  return {
    begin: (sqlite) => {
      connection = sqlite;
      if (limitMs !== undefined) deadline = setTimeout(end, limitMs);
    },
    throwIfOver: () => {
      if (isOver) throw Object.assign(new Error("interrupted"), { code: "SQLITE_INTERRUPT" });
    },
    lift: () => {
      clearTimeout(deadline);
      clearInterval(again);
      running.delete(id);
    },
  };
}

async function runTogether({ id, statements, kind, slot, limitMs }) {
  const limit = limitOrder({ id, limitMs });
  let sqlite;
  try {
    sqlite = await connect(slot);
    limit.begin(sqlite);
    await sqlite.exec(kind === "write" ? "BEGIN IMMEDIATE" : "BEGIN");
    const rows = await run({ sqlite, statements, limit });
    limit.lift();
    await sqlite.exec("COMMIT");
    return rows;
  } catch (error) {
    limit.lift();
    if (sqlite?.inTransaction) await sqlite.exec("ROLLBACK");
    throw error;
  }
}

/** Held by a lock on a file of its own, which the system takes back even from a process that was killed. */
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
  connections.clear();
}

const orders = { read: runTogether, write: runTogether, takeLock, releaseLock, close };

parentPort.on("message", async ({ id, ...order }) => {
  if (order.kind === "interrupt") return running.get(id)?.();
  try {
    parentPort.postMessage({ id, value: await orders[order.kind]({ id, ...order }) });
  } catch (error) {
    parentPort.postMessage({ id, error: { message: String(error.message), code: error.code } });
  }
  if (order.kind === "close") parentPort.close();
});
