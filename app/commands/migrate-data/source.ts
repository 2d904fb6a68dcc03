import { existsSync } from "node:fs";
import Sqlite from "libsql";
import { CopyRefused } from "./copy-refused";
import type { Row, Value } from "./rows";

export type Table = {
  name: string;
  columns: string[];
  keyColumns: string[];
  keyOf: (row: Row) => Row;
};
export type Source = ReturnType<typeof openSource>;

/** Types that both databases store alike. Any other type needs a decision before it is copied. */
const knownTypes = new Set(["TEXT", "BIGINT", "INTEGER", "BOOLEAN", "REAL", "BLOB"]);
const historyTable = "_prisma_migrations";

/** A statement takes at most 65,535 parameters; no table comes near that with so many rows. */
const batchRows = 500;

/** Of work that one process does, and of each process. */
export const leases = `SELECT "expiresAtMs" FROM "Lease" UNION ALL SELECT "expiresAtMs" FROM "QuotaInstance"`;

type ColumnInfo = { name: string; type: string; pk: bigint };

/** The SQLite file as it is at this moment: everything is read in one transaction, and nothing is written. */
export function openSource(filePath: string) {
  if (!existsSync(filePath)) throw new CopyRefused(`There is no database at ${filePath}.`);
  const sqlite = new Sqlite(filePath, { timeout: 5_000 });
  sqlite.exec("PRAGMA query_only=ON");
  sqlite.exec("BEGIN");

  function all<T>(sql: string): T[] {
    return sqlite.prepare(sql).safeIntegers(true).all() as T[];
  }

  function listTables(): Table[] {
    const names = all<{ name: string }>(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
         AND name NOT LIKE 'libsql\\_%' ESCAPE '\\' AND name <> '${historyTable}' ORDER BY name`,
    ).map(({ name }) => name);
    const listReferences = (name: string) =>
      all<{ table: string }>(`PRAGMA foreign_key_list("${name}")`).map(({ table }) => table);
    return sortByReferences(names, listReferences).map(describeTable);
  }

  function describeTable(name: string): Table {
    const columns = all<ColumnInfo>(`PRAGMA table_info("${name}")`);
    const strange = columns.find(({ type }) => !knownTypes.has(type.toUpperCase()));
    if (strange)
      throw new CopyRefused(`${name}.${strange.name} has a type that is not known here: ${strange.type}.`);
    const keys = columns.filter(({ pk }) => pk > 0n).sort((a, b) => Number(a.pk - b.pk));
    if (keys.length === 0) throw new CopyRefused(`${name} has no primary key to tell its rows apart by.`);
    return {
      name,
      columns: columns.map((column) => column.name),
      keyColumns: keys.map((key) => key.name),
      keyOf: (row: Row) => keys.map((key) => row[columns.indexOf(key)]!),
    };
  }

  function* readBatches(table: Table): Generator<Row[]> {
    const columns = table.columns.map((name) => `"${name}"`).join(", ");
    const page = sqlite
      .prepare(
        `SELECT rowid, ${columns} FROM "${table.name}" WHERE rowid > ? ORDER BY rowid LIMIT ${batchRows}`,
      )
      .safeIntegers(true)
      .raw();
    for (let last: unknown = -1; ;) {
      const found = page.all(last) as (Value | ArrayBuffer)[][];
      if (found.length === 0) return;
      last = found.at(-1)![0];
      // The driver gives bytes in a shape that PostgreSQL's does not take.
      yield found.map(([, ...row]) =>
        row.map((value) => (value instanceof ArrayBuffer ? Buffer.from(value) : value)),
      );
    }
  }

  return {
    listTables,
    readBatches,
    countRows: ({ name }: Table) =>
      Number(all<{ count: bigint }>(`SELECT COUNT(*) AS count FROM "${name}"`)[0]!.count),
    listMigrations: () =>
      all<{ name: string }>(
        `SELECT "migration_name" AS name FROM "${historyTable}" WHERE "rolled_back_at" IS NULL ORDER BY 1`,
      ).map(({ name }) => name),
    /** How long a server still counts on being the one that works with this database; in the past when none does. */
    readLeaseUntilMs: () =>
      Number(
        all<{ until: bigint | null }>(`SELECT MAX("expiresAtMs") AS until FROM (${leases})`)[0]?.until ?? 0,
      ),
    /** Whether a server has begun to work with it since it was opened, also one that has ended again. */
    wasWorkedWith(): boolean {
      // Past the transaction in which everything else is read. A term grows with each beginning, and stays.
      const later = new Sqlite(filePath, { timeout: 5_000 });
      try {
        const [before, now] = [sqlite, later].map((connection) =>
          connection.prepare(`SELECT "name", "term" FROM "Lease" ORDER BY "name"`).raw().all().join(),
        );
        return before !== now;
      } finally {
        later.close();
      }
    },
    close: () => sqlite.close(),
  };
}

/** Those that others point at come first. */
function sortByReferences(names: readonly string[], listReferences: (name: string) => string[]): string[] {
  const done = new Set<string>();
  function visit(name: string, under: readonly string[]): void {
    if (done.has(name) || under.includes(name)) return;
    for (const reference of listReferences(name)) visit(reference, [...under, name]);
    done.add(name);
  }
  for (const name of names) visit(name, []);
  return [...done];
}
