import { PrismaLibSql } from "@prisma/adapter-libsql";
import { openSqliteClient } from "./sqlite-client.server";
import type { SqliteClient, SqliteClientOptions, Writability } from "./sqlite-client.server";

/** Prisma's libSQL adapter on a client of our own; see there for the reasons. */
export class SqliteAdapter extends PrismaLibSql {
  readonly #options: SqliteClientOptions;
  #client: SqliteClient | undefined;

  constructor(options: SqliteClientOptions) {
    super({ url: "file:" });
    this.#options = options;
  }

  /** Prisma makes another one if a closed client is used again. */
  override createClient(): SqliteClient {
    return (this.#client = openSqliteClient(this.#options));
  }

  /** Past Prisma and its queue: a write that has to wait there would hold up every read behind it. */
  async probeWriting(waitMs: number): Promise<Writability> {
    if (!this.#client) throw new Error("The database is not connected.");
    return await this.#client.probeWriting(waitMs);
  }
}
