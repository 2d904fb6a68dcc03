import type { Client, Config, Transaction } from "@libsql/client";
import { PrismaLibSql } from "@prisma/adapter-libsql";
import type { SqlDriverAdapter } from "@prisma/driver-adapter-utils";

/**
 * Interactive transactions sync the write-ahead log to the disk before they answer, so that a power cut cannot undo
 * what a visitor was told. Single statements (nonces, limits) do without: they survive a killed process, and a power
 * cut may take the last of them. SQLite ignores the switch inside a transaction, hence before BEGIN and after its end.
 */
const durableSync = "PRAGMA synchronous=FULL";
const relaxedSync = "PRAGMA synchronous=NORMAL";

/** What each new connection is told; Prisma makes another one when a closed client is used again. */
const connectionSetup = `PRAGMA journal_mode=WAL; ${relaxedSync}; PRAGMA foreign_keys=ON;`;

/**
 * Prisma's libSQL adapter on ONE connection. The stock client opens another connection for every transaction, which
 * leaks file descriptors and forgets PRAGMAs. The adapter holds its lock from the start of a transaction to its end,
 * so no other statement slips in between.
 */
export class SqliteAdapter extends PrismaLibSql {
  override async connect(): Promise<SqlDriverAdapter> {
    const adapter = await super.connect();
    try {
      await adapter.executeScript(connectionSetup);
      return adapter;
    } catch (error) {
      await adapter.dispose();
      throw error;
    }
  }

  override createClient(config: Config): Client {
    const client = super.createClient(config);
    client.transaction = () => beginDurably(client);
    return client;
  }
}

async function beginDurably(client: Client): Promise<Transaction> {
  await client.execute(durableSync);
  try {
    // A deferred transaction that reads first and writes later could fail with SQLITE_BUSY in the middle.
    await client.execute("BEGIN IMMEDIATE");
  } catch (error) {
    await client.execute(relaxedSync);
    throw error;
  }
  return createTransaction(client);
}

function createTransaction(client: Client): Transaction {
  let isOpen = true;

  async function end(statement: "COMMIT" | "ROLLBACK"): Promise<void> {
    if (!isOpen) return;
    isOpen = false;
    try {
      await client.execute(statement);
    } catch (error) {
      // A COMMIT that failed (disk full) leaves the transaction open, and the connection is used again.
      if (statement === "COMMIT") await rollBackQuietly(client);
      throw error;
    } finally {
      await client.execute(relaxedSync);
    }
  }

  return {
    execute: (statement) => client.execute(statement),
    batch: () => refuseBatch(),
    executeMultiple: () => refuseBatch(),
    commit: () => end("COMMIT"),
    rollback: () => end("ROLLBACK"),
    close: () => void end("ROLLBACK"),
    get closed() {
      return !isOpen;
    },
  };
}

async function rollBackQuietly(client: Client): Promise<void> {
  try {
    await client.execute("ROLLBACK");
  } catch {
    // SQLite had already rolled back by itself: there is nothing left to undo.
  }
}

/** libSQL's script methods end the transaction they run in; Prisma never calls them inside one. */
function refuseBatch(): never {
  throw new Error("Scripts cannot run inside an interactive transaction.");
}
