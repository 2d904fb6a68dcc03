// For kept answers alone, as `kept-statements.server.ts` says.
import { Prisma } from "~/generated/sqlite/client";
import { isSqlite } from "./database.server";
import type { Database } from "./database.server";

type Type = "TEXT" | "INTEGER" | "BIGINT";
export type GivenRow<Name extends string> = Readonly<Record<Name, string | number | null>>;

/** Of so many rows at most a statement is made: SQLite takes 32,766 values in one. */
const maxRows = 1024;

/** What is more than a statement should be given, in parts. */
export function inParts<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / maxRows);
  return Array.from({ length: count }, (_, part) => items.slice(part * maxRows, (part + 1) * maxRows));
}

/**
 * Rows that a statement is given, as `given` with these columns. The statement's text is the same for any number of them
 * on PostgreSQL, which gets them as JSON. On SQLite they are values, which take half the time of JSON, and their number
 * is a power of two, so that few texts are prepared: the rows beyond those given hold only nulls.
 */
export function givenRows<Name extends string>(
  database: Database,
  columns: Readonly<Record<Name, Type>>,
  rows: readonly GivenRow<NoInfer<Name>>[],
): Prisma.Sql {
  const names = Object.keys(columns) as Name[];
  return isSqlite(database) ? asValues(names, rows) : asRecords(columns, rows);
}

function asRecords<Name extends string>(
  columns: Readonly<Record<Name, Type>>,
  rows: readonly GivenRow<Name>[],
) {
  const types = Object.entries(columns).map(([name, type]) => `"${name}" ${type as Type}`);
  return new Prisma.Sql(
    ["jsonb_to_recordset(", `::jsonb) AS given(${types.join(", ")})`],
    [JSON.stringify(rows)],
  );
}

function asValues<Name extends string>(names: readonly Name[], rows: readonly GivenRow<Name>[]): Prisma.Sql {
  const count = 2 ** Math.ceil(Math.log2(Math.max(1, rows.length)));
  const values = new Array<string | number | null>(count * names.length).fill(null);
  rows.forEach((row, at) => {
    for (let column = 0; column < names.length; column += 1)
      values[at * names.length + column] = row[names[column]!];
  });
  return new Prisma.Sql(valuesText(names, count), values);
}

const knownTexts = new Map<string, readonly string[]>();

/** What stands between the values: the same for every statement with so many rows, and long. */
function valuesText(names: readonly string[], count: number): readonly string[] {
  const key = `${count} ${names.join()}`;
  let text = knownTexts.get(key);
  if (text === undefined) {
    const columns = names.map((name, index) => `column${index + 1} AS "${name}"`).join(", ");
    const row = [...names.slice(1).map(() => ", "), "), ("];
    const between = Array.from({ length: count }, () => row)
      .flat()
      .slice(0, -1);
    text = [`(SELECT ${columns} FROM (VALUES (`, ...between, "))) AS given"];
    knownTexts.set(key, text);
  }
  return text;
}
