import Sqlite from "libsql";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { createPostgresqlTestDatabase, createSqliteTestDatabase } from "~e2e/support/databases/database";

/** One line for each fact, so that a difference names itself. */
type Facts = string[];

/** Our names for one database's types. Unlisted types count as a difference. */
const sqliteTypes: Record<string, string> = { TEXT: "text", BIGINT: "bigint", INTEGER: "integer" };
const postgresqlTypes: Record<string, string> = { text: "text", bigint: "bigint", integer: "integer" };

type Column = { name: string; type: string; notnull: number; dflt_value: string | null };

type SqliteReference = { from: string; table: string; to: string; on_delete: string; on_update: string };

function readSqliteFacts(filePath: string): Facts {
  const sqlite = new Sqlite(filePath);
  try {
    const all = <T>(sql: string) => sqlite.prepare(sql).all() as T[];
    const tables = all<{ name: string }>(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> '_prisma_migrations'`,
    );
    return tables.flatMap(({ name: table }) => {
      const indexes = all<{ name: string; unique: number; origin: string }>(`PRAGMA index_list("${table}")`);
      const ownIndexes = indexes.filter(({ origin }) => origin !== "pk");
      const keys = all<Column & { pk: number }>(`PRAGMA table_info("${table}")`).filter(({ pk }) => pk > 0);
      const references = all<SqliteReference>(`PRAGMA foreign_key_list("${table}")`);
      return [
        `table ${table}`,
        ...all<Column>(`PRAGMA table_info("${table}")`).map(
          ({ name, type, notnull, dflt_value }) =>
            `column ${table}.${name} ${sqliteTypes[type] ?? `SQLite's ${type}`}${notnull ? " required" : ""} default ${dflt_value}`,
        ),
        `key ${table} (${keys.sort((a, b) => a.pk - b.pk).map(({ name }) => name)})`,
        ...ownIndexes.map(({ name, unique }) => {
          const columns = all<{ name: string }>(`PRAGMA index_info("${name}")`);
          return `${unique ? "unique index" : "index"} ${table} (${columns.map((column) => column.name)})`;
        }),
        ...references.map(
          ({ from, table: to, to: column, on_delete, on_update }) =>
            `reference ${table}.${from} to ${to}.${column} delete ${on_delete} update ${on_update}`,
        ),
      ];
    });
  } finally {
    sqlite.close();
  }
}

const actions: Record<string, string> = {
  a: "NO ACTION",
  r: "RESTRICT",
  c: "CASCADE",
  n: "SET NULL",
  d: "SET DEFAULT",
};

type PostgresqlColumn = {
  table: string;
  name: string;
  type: string;
  nullable: string;
  preset: string | null;
};
type PostgresqlReference = {
  table: string;
  column: string;
  to: string;
  key: string;
  ondelete: string;
  onupdate: string;
};

async function readPostgresqlFacts(url: string): Promise<Facts> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  const all = async <T extends object>(sql: string) => (await client.query<T>(sql)).rows;
  const tables = await all<{ table: string }>(
    `SELECT table_name AS "table" FROM information_schema.tables
     WHERE table_schema = 'public' AND table_name <> '_prisma_migrations'`,
  );
  const columns = await all<PostgresqlColumn>(
    `SELECT table_name AS "table", column_name AS name, data_type AS type, is_nullable AS nullable, column_default AS preset
     FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> '_prisma_migrations'`,
  );
  const indexes = await all<{ table: string; unique: boolean; primary: boolean; columns: string[] }>(
    `SELECT t.relname AS "table", x.indisunique AS "unique", x.indisprimary AS "primary",
       array_agg(a.attname::text ORDER BY k.position) AS "columns"
     FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace
     CROSS JOIN LATERAL unnest(x.indkey) WITH ORDINALITY AS k(number, position)
     JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number
     WHERE n.nspname = 'public' AND t.relname <> '_prisma_migrations' GROUP BY t.relname, x.indexrelid, x.indisunique, x.indisprimary`,
  );
  const references = await all<PostgresqlReference>(
    `SELECT c.conrelid::regclass::text AS "table", a.attname AS "column", c.confrelid::regclass::text AS "to",
       f.attname AS "key", c.confdeltype AS ondelete, c.confupdtype AS onupdate
     FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
     JOIN pg_attribute f ON f.attrelid = c.confrelid AND f.attnum = c.confkey[1] WHERE c.contype = 'f'`,
  );
  const unquoted = (name: string) => name.replaceAll('"', "");
  return [
    ...tables.map(({ table }) => `table ${table}`),
    ...columns.map(
      ({ table, name, type, nullable, preset }) =>
        `column ${table}.${name} ${postgresqlTypes[type] ?? `PostgreSQL's ${type}`}${nullable === "NO" ? " required" : ""} default ${preset}`,
    ),
    ...indexes.map(({ table, unique, primary, columns: names }) =>
      primary ? `key ${table} (${names})` : `${unique ? "unique index" : "index"} ${table} (${names})`,
    ),
    ...references.map(
      ({ table, column, to, key, ondelete, onupdate }) =>
        `reference ${unquoted(table)}.${column} to ${unquoted(to)}.${key} delete ${actions[ondelete]} update ${actions[onupdate]}`,
    ),
  ];
}

test("both databases have the same tables, columns, kinds of value, defaults, keys, indexes and references", async () => {
  const { filePath } = await createSqliteTestDatabase();
  const { url } = await createPostgresqlTestDatabase();
  const onSqlite = readSqliteFacts(filePath).sort();
  const onPostgresql = (await readPostgresqlFacts(url)).sort();
  expect(onPostgresql).toEqual(onSqlite);
  // One fact of each kind, so the comparison can't be of nothing with nothing.
  for (const fact of [
    "table UsedKey",
    "column NotificationDelivery.attempts integer required default 0",
    "column Nonce.consumedAtMs bigint default null",
    "key UsedKey (chainId,contractAddress,tokenId)",
    "index Nonce (expiresAtMs)",
    "unique index Submission (chainId,contractAddress,tokenId)",
    "reference NotificationDelivery.notificationId to Notification.id delete CASCADE update CASCADE",
  ]) {
    expect(onSqlite).toContain(fact);
  }
});
