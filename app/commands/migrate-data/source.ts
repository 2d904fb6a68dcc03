import { existsSync } from "node:fs";
import Sqlite from "libsql";
import { CopyRefused } from "./rows";
import type { Row, Value } from "./rows";

export type Table = { name: string; columns: string[] };
export type Source = ReturnType<typeof openSource>;

/** Both databases store these types alike. */
const knownTypes = new Set(["TEXT", "BIGINT", "INTEGER", "BOOLEAN", "REAL", "BLOB"]);
const historyTable = "_prisma_migrations";

/** A statement takes at most 65,535 parameters. */
const batchRows = 500;

export const leases = `SELECT "expiresAtMs" FROM "Lease" UNION ALL SELECT "expiresAtMs" FROM "QuotaInstance"`;

/** Reads everything in one transaction, and writes nothing. */
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
    const columns = all<{ name: string; type: string }>(`PRAGMA table_info("${name}")`);
    const unknown = columns.find(({ type }) => !knownTypes.has(type.toUpperCase()));
    if (unknown) throw new CopyRefused(`${name}.${unknown.name} has an unknown type: ${unknown.type}.`);
    return { name, columns: columns.map((column) => column.name) };
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
      // PostgreSQL's driver takes no ArrayBuffer.
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
    readLeaseUntilMs: () =>
      Number(
        all<{ until: bigint | null }>(`SELECT MAX("expiresAtMs") AS until FROM (${leases})`)[0]?.until ?? 0,
      ),
    /** Whether a server has started on it since it was opened, even if it has stopped again. */
    wasWorkedWith(): boolean {
      // Outside the transaction that reads everything else. A term grows with each start.
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

/** Referenced tables come first. */
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
