import { expect, test } from "vitest";
import { maxPage, readTableQuery, tableSearch } from "./table-query";
import { tableNames } from "./table-spec";
import { tableSpecs } from "./table-specs";

function read(search: string, name: (typeof tableNames)[number] = "decisions") {
  return readTableQuery(tableSpecs[name], new URLSearchParams(search));
}

test("an empty query asks for the first page in the table's own order", () => {
  for (const name of tableNames) {
    const [column, order] = [tableSpecs[name].sortedBy, "desc"] as const;
    const plain = { sort: column, order, page: 1, size: 25, withinSeconds: null, filters: {} };
    expect(read("", name)).toEqual({ query: plain, faults: [] });
    expect(tableSearch(tableSpecs[name], plain)).toBe("");
  }
});

test("a query is read and written back the same", () => {
  const search = "?outcome=refused&tokenId=5&within=3600&sort=atMs&order=asc&size=50&page=3";
  const { query, faults } = read(search);
  expect(faults).toEqual([]);
  expect(query).toEqual({
    sort: "atMs",
    order: "asc",
    page: 3,
    size: 50,
    withinSeconds: 3600,
    filters: { outcome: "refused", tokenId: "5" },
  });
  expect(tableSearch(tableSpecs.decisions, query)).toBe(search);
});

test.each([
  ["sort=reason", "sort"],
  ["sort=constructor", "sort"],
  ["order=up", "order"],
  ["page=0", "page"],
  ["page=-1", "page"],
  ["page=1e1", "page"],
  [`page=${maxPage + 1}`, "page"],
  ["size=1000", "size"],
  ["within=60", "within"],
  ["outcome=perhaps", "outcome"],
  ["address=%00", "address"],
  [`address=${"a".repeat(201)}`, "address"],
])("%s is reported in words and changes nothing", (search, name) => {
  const { query, faults } = read(search);
  expect(faults).toEqual([expect.stringMatching(`^${name} `)]);
  expect(query).toEqual(read("").query);
});

test("the bounds of page, size and filter themselves are accepted", () => {
  expect(read(`page=${maxPage}&size=100&address=${"a".repeat(200)}`).faults).toEqual([]);
});

test("a table of present state ignores a time range", () => {
  expect(read("within=3600", "limits").query.withinSeconds).toBeNull();
});
