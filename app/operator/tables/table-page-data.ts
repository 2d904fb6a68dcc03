import type { ReadQuery } from "./table-query";
import type { TableName, TableRow } from "./table-spec";

/** One page of a table, as the browser gets it. */
export type TablePage = ReadQuery & {
  name: TableName;
  rows: TableRow[];
  /** Counted up to a limit. */
  total: number;
  isTotalExact: boolean;
  hasNext: boolean;
  /** There are more rows than pages can show. */
  isCutOff: boolean;
};
