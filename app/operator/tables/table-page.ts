import type { ReadQuery } from "./table-query";
import type { TableName, TableRow } from "./table-spec";

/** One page of a table, as the browser gets it. */
export type TablePage = ReadQuery & {
  name: TableName;
  rows: TableRow[];
  /** Counted up to a bound. */
  total: number;
  isTotalExact: boolean;
  hasNext: boolean;
  /** More rows are there than pages go. */
  isCutOff: boolean;
};
