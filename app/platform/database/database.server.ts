import { stat } from "node:fs/promises";
import pg from "pg";
import type { PrismaClient } from "~/generated/sqlite/client";
import { withDeadline } from "~/platform/time/deadline";
import type { EventLog } from "~/platform/log/log.server";
import { readDatabaseUrl } from "./database-url.server";
import { extendClient } from "./extend-client.server";
import type { DatabaseInstrument } from "./extend-client.server";
import { hasDriverKind, readSqlState } from "./outage.server";
import { closeUnlessIdle, connectPostgresql, keepAlive } from "./postgresql-connection.server";
import type { SqliteAdapter, SqliteOptions } from "./sqlite-adapter.server";

/**
 * Both generated clients have the same models and methods, so the SQLite one names the type. Raw statements work on
 * both databases.
 */
export type Database = PrismaClient;

type OpenDatabaseOptions = {
  url: string;
  log?: EventLog;
  /** How long a statement waits for another process that is writing to the same SQLite file. */
  busyTimeoutMs?: number;
  pool?: PoolOptions;
  instrument?: DatabaseInstrument;
};

export type PoolOptions = {
  size: number;
  /** How long a request waits for a free connection before it fails with 503. */
  connectSeconds: number;
  statementSeconds: number;
  lockSeconds: number;
  /** The server rolls back an open transaction after this long without a statement. */
  idleSeconds: number;
};

/** For commands, which may wait longer than a visitor. */
export const defaultPool: PoolOptions = {
  size: 10,
  connectSeconds: 15,
  statementSeconds: 10,
  lockSeconds: 5,
  idleSeconds: 15,
};

const clientOptions = {
  // The other formats print the arguments of the failed call, which may be secrets.
  errorFormat: "minimal",
  // Longer than SQLite waits for a locked file, so that its own error is reported.
  transactionOptions: { maxWait: 7_000, timeout: 10_000 },
} as const;

/** Longer than any write on the same file takes. */
const probeWaitMs = 500;

/** The inode reveals whether the file was replaced. */
type OpenedFile = { path: string; inode: bigint; adapter: SqliteAdapter };
const openedFiles = new WeakMap<Database, OpenedFile>();
const openedPools = new WeakMap<Database, pg.Pool>();

/** Opens a database that `migrateDatabase` has prepared. The caller closes it with `closeDatabase`. */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const { url, log, busyTimeoutMs = 5_000, pool = defaultPool, instrument } = options;
  const location = readDatabaseUrl(url);
  return location.provider === "sqlite"
    ? await openSqlite({ path: location.path, busyTimeoutMs }, instrument)
    : await openPostgresql({ url: location.url, log, pool, instrument });
}

async function openSqlite(options: SqliteOptions, instrument?: DatabaseInstrument): Promise<Database> {
  const { path } = options;
  const [{ PrismaClient }, { SqliteAdapter }] = await Promise.all([
    import("~/generated/sqlite/client"),
    import("./sqlite-adapter.server"),
  ]);
  const inode = await findInode(path);
  if (inode === null) throw new Error(`There is no database at ${path}. Apply the migrations first.`);

  const adapter = new SqliteAdapter(options);
  const database = extendClient(new PrismaClient({ adapter, ...clientOptions }), instrument);
  try {
    await database.$connect();
  } catch (error) {
    await database.$disconnect();
    throw error;
  }
  openedFiles.set(database, { path, inode, adapter });
  return database;
}

async function openPostgresql(options: OpenDatabaseOptions & { pool: PoolOptions }): Promise<Database> {
  const { url, log, pool, instrument } = options;
  // Prisma hides the driver's error. This one is for the operator.
  await (await connectPostgresql(url)).end();
  const [{ PrismaClient }, { PrismaPg }] = await Promise.all([
    import("~/generated/postgresql/client"),
    import("@prisma/adapter-pg"),
  ]);
  const connections = new pg.Pool({
    connectionString: url,
    max: pool.size,
    connectionTimeoutMillis: pool.connectSeconds * 1_000,
    statement_timeout: pool.statementSeconds * 1_000,
    lock_timeout: pool.lockSeconds * 1_000,
    idle_in_transaction_session_timeout: pool.idleSeconds * 1_000,
    // For a server that accepts the connection and never replies.
    query_timeout: (pool.statementSeconds + 1) * 1_000,
    ...keepAlive,
  });
  // The pool stops listening to a connection that it hands out. Without a listener, a server shutdown at that moment
  // would end the process.
  connections.on("connect", (connection) => connection.on("error", () => undefined));
  connections.on("release", (_error, connection) => closeUnlessIdle(connection));
  const onPoolError = (error: Error) =>
    log?.warn({ err: error, setting: "DATABASE_URL" }, "database connection lost");
  const listeners = { onPoolError, onConnectionError: onPoolError };
  const adapter = new PrismaPg(connections, { ...listeners, disposeExternalPool: true });
  const client = new PrismaClient({ adapter, ...clientOptions });
  // eslint-disable-next-line no-restricted-syntax -- The types of the two generated clients know nothing of each other.
  const database = extendClient(client as unknown as Database, instrument);
  openedPools.set(database, connections);
  try {
    await database.$connect();
    await database.$queryRaw`SELECT 1`;
  } catch (error) {
    await database.$disconnect();
    throw error;
  }
  return database;
}

/** For the few statements that differ between the two databases. */
export function isSqlite(database: Database): boolean {
  return openedFiles.has(database);
}

export function readPool(database: Database): { open: number; idle: number; waiting: number } | null {
  const pool = openedPools.get(database);
  return pool ? { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount } : null;
}

export async function closeDatabase(database: Database): Promise<void> {
  await database.$disconnect();
}

/** A sentence if the database can't work; null if it reads and would write. Rejects if a read takes too long. */
export async function findDatabaseFault(database: Database, timeoutMs: number): Promise<string | null> {
  const opened = openedFiles.get(database);
  // Checks writing first: while another process has the lock, a read may wait behind our own writes.
  const fileFault = opened ? await findFileFault(opened) : null;
  if (fileFault !== null) return fileFault;
  const reading = opened ? readOnce(database) : findServerFault(database);
  return await withDeadline(
    reading,
    timeoutMs,
    () => new Error(`The database did not respond within ${timeoutMs} ms.`),
  );
}

const readOnlyFault = "The database can be read but not written: it is read-only.";
const fullFault = "The database can be read but not written: there is no room left for it.";

const writingFaults = {
  writable: null,
  "read-only": readOnlyFault,
  locked: "The database can be read but not written: another process holds its write lock.",
  full: fullFault,
};

async function findFileFault({ path, inode, adapter }: OpenedFile): Promise<string | null> {
  // A deleted SQLite file stays writable while it is open, and everything written to it is lost.
  if ((await findInode(path)) !== inode) {
    return "The database file was removed or replaced while the server was running.";
  }
  return writingFaults[await adapter.probeWriting(probeWaitMs)];
}

async function readOnce(database: Database): Promise<null> {
  // SQLite answers a statement without a table even if it can't read its file.
  await database.$queryRaw`SELECT COUNT(*) FROM "_prisma_migrations"`;
  return null;
}

const encryptionFault =
  "PostgreSQL is not trusted: its certificate is wrong, or it takes no encrypted connections as DATABASE_URL demands. The next start says which.";

/** A standby, or a read-only server, still reads. */
async function findServerFault(database: Database): Promise<string | null> {
  try {
    const [row] = await database.$queryRaw<{ readOnly: string }[]>`
      SELECT current_setting('transaction_read_only') AS "readOnly", COUNT(*) FROM "_prisma_migrations"`;
    if (row?.readOnly !== "off") return readOnlyFault;
    return (await hasRoom(database)) ? null : fullFault;
  } catch (error) {
    if (hasDriverKind(error, "TlsConnectionError")) return encryptionFault;
    throw error;
  }
}

/**
 * Sorts more than the memory it leaves itself, so that PostgreSQL writes a temporary file where the tables are. Changes
 * nothing in the database. The settings apply to this statement only.
 */
async function hasRoom(database: Database): Promise<boolean> {
  try {
    await database.$queryRaw`
      SELECT COUNT(*) FROM set_config('work_mem', '64kB', true) AS "memory",
        set_config('temp_tablespaces', '', true) AS "elsewhere",
        LATERAL generate_series(1, 800 * length("memory" || "elsewhere"))`;
    return true;
  } catch (error) {
    const sqlState = readSqlState(error);
    // Temporary files may be forbidden, which says nothing about tables.
    if (sqlState === sqlStates.fileLimitReached) return true;
    if (sqlState === sqlStates.diskFull) return false;
    throw error;
  }
}

const sqlStates = { diskFull: "53100", fileLimitReached: "53400" };

async function findInode(path: string): Promise<bigint | null> {
  try {
    return (await stat(path, { bigint: true })).ino;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
