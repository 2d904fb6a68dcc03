import type { Client } from "@libsql/client";
import { PrismaLibSql } from "@prisma/adapter-libsql";
import type { SqlDriverAdapter } from "@prisma/driver-adapter-utils";
import { openSqliteClient } from "./sqlite-client.server";
import type { SqliteClientOptions } from "./sqlite-client.server";

/** Each new connection is told this; Prisma makes another one when a closed client is used again. */
const connectionSetup = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;";

/** Prisma's libSQL adapter on a client of our own; see there for the reasons. */
export class SqliteAdapter extends PrismaLibSql {
  readonly #options: SqliteClientOptions;

  constructor(options: SqliteClientOptions) {
    super({ url: "file:" });
    this.#options = options;
  }

  override createClient(): Client {
    return openSqliteClient(this.#options);
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
