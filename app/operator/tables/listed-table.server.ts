import type { TableSource } from "./table-source.store.server";
import type { TableQuery } from "./table-query";
import type { TableRow, TableSpec } from "./table-spec";

type Asked = { spec: TableSpec; query: TableQuery };

/** A table whose rows are all at hand, and few enough to be looked through each time. */
export function createListedTable(read: () => Promise<TableRow[]>): TableSource {
  async function find({ spec, query }: Asked): Promise<TableRow[]> {
    const rows = await read();
    return rows.filter((row) => isAskedFor({ row, spec, query })).sort(comparison(query));
  }

  return {
    list: async ({ spec, query }) => {
      const { page, size } = query;
      return (await find({ spec, query })).slice((page - 1) * size, page * size);
    },
    count: async ({ spec, query, limit }) => Math.min(limit, (await find({ spec, query })).length),
    readAll: async function* ({ spec, query }) {
      yield await find({ spec, query });
    },
  };
}

function isAskedFor({ row, spec, query }: Asked & { row: TableRow }): boolean {
  return spec.filters.every(({ name, kind }) => {
    const text = query.filters[name];
    if (text === undefined) return true;
    const value = String(row[name]);
    if (kind === "prefix") return value.startsWith(text.toLowerCase());
    return kind === "contains" ? value.includes(text) : value === text;
  });
}

function comparison({ sort, order }: TableQuery): (one: TableRow, other: TableRow) => number {
  const sign = order === "asc" ? 1 : -1;
  // The whole row decides between equals, so that no page shows a row twice.
  return (one, other) =>
    sign * (compare(one[sort], other[sort]) || compare(JSON.stringify(one), JSON.stringify(other)));
}

function compare(one: TableRow[string] | undefined, other: TableRow[string] | undefined): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  const [left, right] = [String(one), String(other)];
  return left < right ? -1 : left > right ? 1 : 0;
}
