import pg from "pg";
import { CopyRefused } from "./refused";
import type { Row } from "./rows";
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

  async function listColumns(): Promise<Map<string, string[]>> {
    const found = await client.query<{ table: string; columns: string[] }>(
      `SELECT table_name AS "table", array_agg(column_name::text) AS columns FROM information_schema.columns
       WHERE table_schema = current_schema() AND table_name <> '_prisma_migrations' GROUP BY table_name`,
    );
    return new Map(found.rows.map(({ table, columns }) => [table, columns]));
  }

  async function countRows({ name }: Table): Promise<number> {
    const found = await client.query<{ count: string }>(`SELECT COUNT(*) AS count FROM "${name}"`);
    return Number(found.rows[0]!.count);
  }

  /** Those rows that have the key of one of these, as they are here. */
  async function findSameKeys({
    table,
    rows: wanted,
  }: {
    table: Table;
    rows: readonly Row[];
  }): Promise<Row[]> {
    const keyAt = table.keyColumns.map((name) => table.columns.indexOf(name));
    const keys = wanted.map((row) => keyAt.map((index) => row[index]!));
    const { rowMode, text } = {
      rowMode: "array" as const,
      text: `SELECT ${list(table.columns)} FROM "${table.name}"
        WHERE (${list(table.keyColumns)}) IN (${placeholders(keys)})`,
    };
    return (await client.query<Row>({ rowMode, text, values: keys.flat() })).rows;
  }

  async function insert({ table, rows: added }: { table: Table; rows: readonly Row[] }): Promise<void> {
    if (added.length === 0) return;
    const text = `INSERT INTO "${table.name}" (${list(table.columns)}) VALUES ${placeholders(added)}`;
    try {
      await client.query(text, added.flat());
    } catch (error) {
      const { message } = error as Error;
      throw new CopyRefused(
        `A row of ${table.name} cannot be stored in PostgreSQL: ${message}. Nothing of its batch was.`,
      );
    }
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
    listColumns,
    countRows,
    findSameKeys,
    insert,
    readAll,
    listMigrations: async () =>
      (
        await client.query<{ name: string }>(
          `SELECT "migration_name" AS name FROM "_prisma_migrations" WHERE "rolled_back_at" IS NULL ORDER BY 1`,
        )
      ).rows.map(({ name }) => name),
    isLeased: async () =>
      (
        await client.query(
          `SELECT 1 FROM "Lease" WHERE "expiresAtMs" > EXTRACT(EPOCH FROM clock_timestamp()) * 1000`,
        )
      ).rows.length > 0,
    close: () => client.end(),
  };
}

function list(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

/** `($1, $2), ($3, $4)` */
function placeholders(rows: readonly Row[]): string {
  let number = 0;
  return rows.map((row) => `(${row.map(() => `$${++number}`).join(", ")})`).join(", ");
}
