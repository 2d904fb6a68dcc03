import pg from "pg";
import { CopyRefused } from "./rows";
import type { Row } from "./rows";
import { leases } from "./source";
import type { Table } from "./source";

export type Target = Awaited<ReturnType<typeof openTarget>>;

/** Allows one copy into a database at a time. The connection owns it, so it ends with the process. */
const advisoryLockKey = 5_227_931;
const fetchSize = 1_000;

export async function openTarget(url: string) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // Without a listener a connection that breaks between two statements would end the process.
  client.on("error", () => undefined);
  await client.connect();
  const { rows } = await client.query<{ got: boolean }>("SELECT pg_try_advisory_lock($1) AS got", [
    advisoryLockKey,
  ]);
  if (!rows[0]?.got) {
    await client.end();
    throw new CopyRefused("Another copy into this database is running. Wait for it to end.");
  }

  async function query<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<R[]> {
    return (await client.query<R>(text, values)).rows;
  }

  async function insert(table: Table, rows: readonly Row[]): Promise<void> {
    const text = `INSERT INTO "${table.name}" (${list(table.columns)}) VALUES ${placeholders(rows)}`;
    await client.query(text, rows.flat()).catch(({ message }: Error) => {
      throw new CopyRefused(
        `A row of ${table.name} cannot be stored in PostgreSQL: ${message}. Nothing was copied.`,
      );
    });
  }

  async function* readAll(table: Table): AsyncGenerator<Row> {
    await client.query(`DECLARE rows CURSOR FOR SELECT ${list(table.columns)} FROM "${table.name}"`);
    for (let isLast = false; !isLast;) {
      const page = await client.query<Row>({ rowMode: "array", text: `FETCH ${fetchSize} FROM rows` });
      yield* page.rows;
      isLast = page.rows.length < fetchSize;
    }
    await client.query("CLOSE rows");
  }

  async function inTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
    await client.query("BEGIN");
    try {
      const result = await work();
      await client.query("COMMIT");
      return result;
    } catch (error) {
      await client.query("ROLLBACK").catch(() => undefined);
      throw error;
    }
  }

  return {
    inTransaction,
    insert,
    readAll,
    async listColumns() {
      const found = await query<{ table: string; columns: string[] }>(
        `SELECT table_name AS "table", array_agg(column_name::text) AS columns FROM information_schema.columns
         WHERE table_schema = current_schema() AND table_name <> '_prisma_migrations' GROUP BY table_name`,
      );
      return new Map(found.map(({ table, columns }) => [table, columns]));
    },
    async isEmpty(tables: readonly Table[]) {
      const firstOfEach = tables.map(({ name }) => `(SELECT 1 FROM "${name}" LIMIT 1)`);
      return (await query(firstOfEach.join(" UNION ALL "))).length === 0;
    },
    async listMigrations() {
      const text = `SELECT "migration_name" AS name FROM "_prisma_migrations" WHERE "rolled_back_at" IS NULL ORDER BY 1`;
      return (await query<{ name: string }>(text)).map(({ name }) => name);
    },
    async isLeased() {
      const text = `SELECT 1 FROM (${leases}) AS lease WHERE "expiresAtMs" > EXTRACT(EPOCH FROM clock_timestamp()) * 1000`;
      return (await query(text)).length > 0;
    },
    close: () => client.end(),
  };
}

function list(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

function placeholders(rows: readonly Row[]): string {
  let number = 0;
  return rows.map((row) => `(${row.map(() => `$${++number}`).join(", ")})`).join(", ");
}
