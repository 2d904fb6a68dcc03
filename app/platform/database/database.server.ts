import { stat } from "node:fs/promises";
import type { PrismaClient } from "~/generated/sqlite/client";
import { readDatabaseUrl } from "./database-url.server";
import type { SqliteClientOptions } from "./sqlite-client.server";

/**
 * Both generated clients have the same models and methods; the SQLite one names the type for both. Raw statements
 * are written so that both databases understand them.
 */
export type Database = PrismaClient;

/** The part of the log that the database writes to. */
export type DatabaseLog = {
  info: (fields: Record<string, unknown>, message: string) => void;
  warn: (fields: Record<string, unknown>, message: string) => void;
};

export type OpenDatabaseOptions = {
  url: string;
  log?: DatabaseLog;
  /** How long a statement waits for another process that is writing to the same SQLite file. */
  busyTimeoutMs?: number;
};

/** How long a request waits for a free PostgreSQL connection before it is told to come back later. */
const connectTimeoutMs = 3_000;
const statementTimeoutMs = 10_000;
const poolSize = 10;

const clientOptions = {
  // The other formats print the arguments of the failed call, and those may be secrets.
  errorFormat: "minimal",
  // Longer than SQLite's own waiting for a locked file, so that the reason is told and not just the time.
  transactionOptions: { maxWait: 7_000, timeout: 10_000 },
} as const;

/** The SQLite file of each open database and its identity at opening, so that a replaced file is noticed. */
const openedFiles = new WeakMap<Database, { path: string; inode: bigint }>();

/** Opens a database that `migrateDatabase` has prepared. The caller closes it with `closeDatabase`. */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const { url, log, busyTimeoutMs = 5_000 } = options;
  const location = readDatabaseUrl(url);
  return location.provider === "sqlite"
    ? await openSqlite({ path: location.path, busyTimeoutMs })
    : await openPostgresql({ url: location.url, log });
}

async function openSqlite({ path, busyTimeoutMs }: SqliteClientOptions): Promise<Database> {
  const [{ PrismaClient }, { SqliteAdapter }] = await Promise.all([
    import("~/generated/sqlite/client"),
    import("./sqlite-adapter.server"),
  ]);
  const inode = await findInode(path);
  if (inode === null) throw new Error(`There is no database at ${path}. Apply the migrations first.`);

  const adapter = new SqliteAdapter({ path, busyTimeoutMs });
  const database = new PrismaClient({ adapter, ...clientOptions });
  try {
    await database.$connect();
  } catch (error) {
    await database.$disconnect();
    throw error;
  }
  openedFiles.set(database, { path, inode });
  return database;
}

async function openPostgresql({ url, log }: OpenDatabaseOptions): Promise<Database> {
  const [{ PrismaClient }, { PrismaPg }] = await Promise.all([
    import("~/generated/postgresql/client"),
    import("@prisma/adapter-pg"),
  ]);
  const pool = {
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    // A server that takes the connection but never answers must not hold a request for ever either.
    query_timeout: statementTimeoutMs + 1_000,
    keepAlive: true,
  };
  const onPoolError = (error: Error) => log?.warn({ err: error }, "A database connection was lost");
  const adapter = new PrismaPg(pool, { onPoolError, onConnectionError: onPoolError });
  const database = new PrismaClient({ adapter, ...clientOptions }) as unknown as Database;
  try {
    await database.$connect();
    await database.$queryRaw`SELECT 1`;
  } catch (error) {
    await database.$disconnect();
    throw error;
  }
  return database;
}

export async function closeDatabase(database: Database): Promise<void> {
  await database.$disconnect();
}

/** Resolves when the database answers a read within the time; rejects with the reason when it does not. */
export async function pingDatabase({
  database,
  timeoutMs,
}: {
  database: Database;
  timeoutMs: number;
}): Promise<void> {
  await requireSameFile(database);
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`The database did not answer within ${timeoutMs} ms.`)),
      timeoutMs,
    );
  });
  try {
    // A statement without a table would be answered by SQLite even when its file cannot be read.
    const answer = database.$queryRaw`SELECT COUNT(*) FROM "_prisma_migrations"`.then(() => undefined);
    await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** A deleted SQLite file stays writable for those who have it open, and everything written to it is lost. */
async function requireSameFile(database: Database): Promise<void> {
  const opened = openedFiles.get(database);
  if (opened !== undefined && (await findInode(opened.path)) !== opened.inode) {
    throw new Error("The database file was removed or replaced while the server was running.");
  }
}

async function findInode(path: string): Promise<bigint | null> {
  try {
    const { ino } = await stat(path, { bigint: true });
    return ino;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
