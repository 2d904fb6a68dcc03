import { maxPage, readTableQuery } from "./table-query";
import type { TablePage } from "./table-page";
import type { TableName, TableRow, TableSpec } from "./table-spec";
import type { TableStore } from "./tables.store.server";

/** Beyond so many, how many exactly is not worth the time it takes to count them. */
const countLimit = 10_000;

export async function readTable({
  spec,
  searchParams,
  dependencies: { tables, addToRow },
}: {
  spec: TableSpec;
  searchParams: URLSearchParams;
  dependencies: { tables: TableStore; addToRow: (part: { name: TableName; row: TableRow }) => TableRow };
}): Promise<TablePage> {
  const { query, faults } = readTableQuery({ spec, searchParams });
  const source = tables[spec.name];
  const rows = await source.list({ spec, query });
  const total = await source.count({ spec, query, limit: countLimit + 1 });
  const isMore = query.page * query.size < total;
  return {
    name: spec.name,
    query,
    faults,
    rows: rows.map((row) => addToRow({ name: spec.name, row })),
    total: Math.min(total, countLimit),
    isTotalExact: total <= countLimit,
    hasNext: isMore && query.page < maxPage,
    isCutOff: isMore && query.page === maxPage,
  };
}
