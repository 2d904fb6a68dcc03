import { expect } from "vitest";
import { testOnEachDatabase } from "~e2e/support/databases/database";
import { statementsOf } from "./kept-statements.server";
import { givenRows } from "./given-rows.server";

const columns = { name: "TEXT", count: "INTEGER", atMs: "BIGINT" } as const;
const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    name: `"row" ${index} ' \\ é`,
    count: index,
    atMs: index % 2 === 0 ? null : 1_700_000_000_000 + index,
  }));

testOnEachDatabase("a statement gets the rows it is given, whatever their number", async ({ database }) => {
  const { query } = statementsOf(database);
  for (const count of [0, 1, 2, 3, 5, 8, 9]) {
    const rows = await query<{ name: string; count: unknown; atMs: unknown }>`
      SELECT given."name", given."count", given."atMs" FROM ${givenRows(database, columns, rowsOf(count))}
      WHERE given."name" IS NOT NULL ORDER BY given."count"`;
    const read = rows.map(({ name, count: found, atMs }) => {
      return { name, count: Number(found), atMs: atMs === null ? null : Number(atMs) };
    });
    expect(read).toEqual(rowsOf(count));
  }
});

testOnEachDatabase("numbers of rows share few texts of a statement", async ({ database }) => {
  const texts = new Set(
    Array.from({ length: 100 }, (_, count) => givenRows(database, columns, rowsOf(count)).sql),
  );
  // SQLite: 1, 2, 4, … 128.
  expect(texts.size).toBeLessThanOrEqual(8);
});
