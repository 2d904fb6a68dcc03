import { tableSearch } from "../tables/table-query";
import type { TableQuery } from "../tables/table-query";
import type { TableColumn, TableRow, TableSpec } from "../tables/table-spec";
import { CellValue } from "./cells";
import { RowActions } from "./table-actions";

type RowsProps = { spec: TableSpec; query: TableQuery; rows: readonly TableRow[] };

/** On a phone every row is a card, and the labels stand before the values. */
export function TableRows({ spec, query, rows }: RowsProps) {
  return (
    <table className="operator-table">
      <caption className="visually-hidden">{spec.title}</caption>
      <thead>
        <tr>
          {spec.columns.map((column) => (
            <HeadCell key={column.key} spec={spec} query={query} column={column} />
          ))}
          {spec.rowActions ? (
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          ) : null}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          // Rows have no number of their own, and are never moved about in the browser.
          <tr key={index}>
            {spec.columns.map((column) => (
              <td key={column.key} data-label={column.label} className={`operator-cell-${column.kind}`}>
                <CellValue spec={spec} query={query} column={column} value={row[column.key] ?? null} />
              </td>
            ))}
            {spec.rowActions ? (
              <td className="operator-cell-actions">
                <RowActions actions={spec.rowActions(row)} back={tableSearch(spec, query)} />
              </td>
            ) : null}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function HeadCell({ spec, query, column }: { spec: TableSpec; query: TableQuery; column: TableColumn }) {
  const className = `operator-cell-${column.kind}`;
  if (!column.isSortable) {
    return (
      <th scope="col" className={className}>
        {column.label}
      </th>
    );
  }
  const isSorted = query.sort === column.key;
  const order = isSorted && query.order === "desc" ? "asc" : "desc";
  const search = tableSearch(spec, query, { sort: column.key, order, page: 1 });
  return (
    <th
      scope="col"
      className={className}
      aria-sort={isSorted ? (query.order === "asc" ? "ascending" : "descending") : undefined}
    >
      <a href={`/operator/${spec.name}${search}`}>
        {column.label}
        <span aria-hidden="true" className="operator-sort-mark">
          {isSorted ? (query.order === "asc" ? "▲" : "▼") : "↕"}
        </span>
      </a>
    </th>
  );
}
