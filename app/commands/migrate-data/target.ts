import pg from "pg";
import { CopyRefused } from "./copy-refused";
import type { Row } from "./rows";
import { leases } from "./source";
import type { Table } from "./source";

export type Target = Awaited<ReturnType<typeof openTarget>>;

/** Only one copy into a database at a time. Held by the connection, so it goes with the process. */
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

  async function findSameKeys(table: Table, wanted: readonly Row[]): Promise<Row[]> {
    const keys = wanted.map(table.keyOf);
    const text = `SELECT ${list(table.columns)} FROM "${table.name}"
      WHERE (${list(table.keyColumns)}) IN (${placeholders(keys)})`;
    return (await client.query<Row>({ rowMode: "array", text, values: keys.flat() })).rows;
  }

  async function insert(table: Table, rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    const text = `INSERT INTO "${table.name}" (${list(table.columns)}) VALUES ${placeholders(rows)}`;
    await client.query(text, rows.flat()).catch(({ message }: Error) => {
      throw new CopyRefused(
        `A row of ${table.name} cannot be stored in PostgreSQL: ${message}. Nothing of its batch was.`,
      );
    });
  }

  async function* readAll(table: Table): AsyncGenerator<Row> {
    await client.query("BEGIN");
    try {
      await client.query(`DECLARE rows CURSOR FOR SELECT ${list(table.columns)} FROM "${table.name}"`);
      for (;;) {
        const page = await client.query<Row>({ rowMode: "array", text: `FETCH ${fetchSize} FROM rows` });
        yield* page.rows;
        if (page.rows.length < fetchSize) return;
      }
    } finally {
      await client.query("COMMIT");
    }
  }

  return {
    findSameKeys,
    insert,
    readAll,
    async listColumns() {
      const found = await query<{ table: string; columns: string[] }>(
        `SELECT table_name AS "table", array_agg(column_name::text) AS columns FROM information_schema.columns
         WHERE table_schema = current_schema() AND table_name <> '_prisma_migrations' GROUP BY table_name`,
      );
      return new Map(found.map(({ table, columns }) => [table, columns]));
    },
    async countRows({ name }: Table) {
      return Number((await query<{ count: string }>(`SELECT COUNT(*) AS count FROM "${name}"`))[0]!.count);
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
