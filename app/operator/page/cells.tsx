import { describeDetail, momentText, shortCode, stateTone } from "../tables/cell-text";
import { tableSearch } from "../tables/table-query";
import type { TableQuery } from "../tables/table-query";
import type { TableColumn, TableSpec, TableValue } from "../tables/table-spec";

export function Moment({ atMs }: { atMs: number }) {
  return <time dateTime={new Date(atMs).toISOString()}>{momentText(atMs)}</time>;
}

type CellProps = { spec: TableSpec; query: TableQuery; column: TableColumn; value: TableValue };

/** An id or an address is a link to the rows that have it, where the table can be filtered so. */
export function CellValue({ spec, query, column, value }: CellProps) {
  if (value === null || value === "") return <span className="soft">–</span>;
  if (column.kind === "moment") return <Moment atMs={Number(value)} />;
  if (column.kind === "number") return Number(value).toLocaleString("en");
  const text = String(value);
  if (column.kind === "state") {
    return <span className={`operator-badge tone-${stateTone(text)}`}>{text}</span>;
  }
  if (column.kind === "words") {
    return <div className="operator-words">{column.key === "detail" ? describeDetail(text) : text}</div>;
  }
  if (column.kind === "text") return text;
  const code = <code title={text}>{shortCode(text)}</code>;
  const isFilter = spec.filters.some((filter) => filter.name === column.key && filter.kind !== "choice");
  if (!isFilter || query.filters[column.key] === text) return code;
  const change = { page: 1, filters: { ...query.filters, [column.key]: text } };
  return <a href={`/operator/${spec.name}${tableSearch(spec, query, change)}`}>{code}</a>;
}
