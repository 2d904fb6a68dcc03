import { PrismaLibSql } from "@prisma/adapter-libsql";
import type { SqlDriverAdapter } from "@prisma/driver-adapter-utils";
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
