import type { Client, InValue, Transaction as SqliteTransaction } from "@libsql/client";
import { PrismaLibSql } from "@prisma/adapter-libsql";
import type {
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
  Transaction,
} from "@prisma/driver-adapter-utils";
import { openSqliteClient } from "./sqlite-client.server";
import type { SqliteClient, SqliteClientOptions, Writability } from "./sqlite-client.server";

/** Each new connection is told this; Prisma makes another one when a closed client is used again. */
const connectionSetup = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;";

/** Prisma's libSQL adapter on a client of our own; see there for the reasons. */
export class SqliteAdapter extends PrismaLibSql {
  readonly #options: SqliteClientOptions;
  #client: SqliteClient | undefined;

  constructor(options: SqliteClientOptions) {
    super({ url: "file:" });
    this.#options = options;
  }

  override createClient(): SqliteClient {
    return (this.#client = openSqliteClient(this.#options));
  }

  /**
   * The same client without Prisma's adapter, for statements that Prisma does not make. The adapter has a queue of its own
   * around each statement, and keeps the last hundred of them, with their values, for its log of faults.
   */
  readonly direct: SqlDriverAdapterFactory = {
    provider: this.provider,
    adapterName: this.adapterName,
    connect: async () => directAdapter(this.#connected()),
  };

  #connected(): SqliteClient {
    if (!this.#client) throw new Error("The database is not connected.");
    return this.#client;
  }

  /** Past Prisma and its queue: a write that has to wait there would hold up every read behind it. */
  async probeWriting(waitMs: number): Promise<Writability> {
    return await this.#connected().probeWriting(waitMs);
  }

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
}

const directNames = { provider: "sqlite", adapterName: "direct" } as const;

function directAdapter(client: SqliteClient): SqlDriverAdapter {
  return {
    ...directNames,
    ...statementsOn({ execute: client.executeTogether }),
    executeScript: (script) => client.executeMultiple(script),
    startTransaction: async () => directTransaction(await client.transaction()),
    dispose: () => Promise.resolve(client.close()),
  };
}

function directTransaction(transaction: SqliteTransaction): Transaction {
  return {
    options: { usePhantomQuery: true },
    commit: () => transaction.commit(),
    rollback: () => transaction.rollback(),
    ...directNames,
    ...statementsOn(transaction),
  };
}

type Executor = Pick<Client, "execute"> | Pick<SqliteTransaction, "execute">;

/** Without the columns' types: whoever makes a statement knows them. */
function statementsOn(client: Executor) {
  return {
    async queryRaw({ sql, args }: SqlQuery) {
      const { columns, rows } = await client.execute({ sql, args: args as InValue[] });
      return { columnNames: columns, columnTypes: [], rows: rows as unknown as unknown[][] };
    },
    async executeRaw({ sql, args }: SqlQuery) {
      return (await client.execute({ sql, args: args as InValue[] })).rowsAffected;
    },
  };
}
