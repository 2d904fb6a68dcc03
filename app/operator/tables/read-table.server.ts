import type { TablePage } from "./table-page-data";
import { maxPage, readTableQuery } from "./table-query";
import type { TableSettings, TableSpec } from "./table-spec";
import type { TableStore } from "./tables.store.server";

/** Counting further is not worth the time it takes. */
const countLimit = 10_000;

export type TableDependencies = {
  tables: TableStore;
  settings: TableSettings;
  /** Writes what waits in memory. */
  flush: () => Promise<void>;
};

export async function readTable(
  spec: TableSpec,
  searchParams: URLSearchParams,
  { tables, settings, flush }: TableDependencies,
): Promise<TablePage> {
  const { query, faults } = readTableQuery(spec, searchParams);
  if (spec.isBuffered) await flush();
  const rows = await tables[spec.name].list(query);
  const total = await tables[spec.name].count(query, countLimit + 1);
  const isMore = query.page * query.size < total;
  return {
    name: spec.name,
    query,
    faults,
    rows: rows.map((row) => spec.completeRow?.(row, settings) ?? row),
    total: Math.min(total, countLimit),
    isTotalExact: total <= countLimit,
    hasNext: isMore && query.page < maxPage,
    isCutOff: isMore && query.page === maxPage,
  };
}
