import type { TablePage as TablePageData } from "../tables/table-page";
import { maxPage, tableSearch } from "../tables/table-query";
import type { TableSpec } from "../tables/table-spec";
import { TableFilters } from "./table-filters";
import { TableRows } from "./table-rows";
import { TableTools } from "./table-actions";

export function TablePage({ spec, page }: { spec: TableSpec; page: TablePageData }) {
  const { query, rows } = page;
  const isFiltered = Object.keys(query.filters).length > 0 || query.withinSeconds !== null;
  return (
    <>
      <div className="operator-tools">
        <TableFilters key={tableSearch(spec, query)} spec={spec} query={query} isOpen={isFiltered} />
        <TableTools spec={spec} query={query} />
      </div>
      {rows.length > 0 ? (
        <TableRows spec={spec} query={query} rows={rows} />
      ) : (
        <p className="operator-empty">
          {isFiltered || query.page > 1 ? (
            <>
              No rows match. <a href={`/operator/${spec.name}`}>Show all of them</a>
            </>
          ) : (
            spec.whenEmpty
          )}
        </p>
      )}
      <Pager spec={spec} page={page} />
    </>
  );
}

function Pager({ spec, page }: { spec: TableSpec; page: TablePageData }) {
  const { query, rows, total, isTotalExact, hasNext, isCutOff } = page;
  // What is said in their place is enough.
  if (rows.length === 0 && query.page === 1) return null;
  const first = (query.page - 1) * query.size + 1;
  const to = (number: number) => `/operator/${spec.name}${tableSearch(spec, query, { page: number })}`;
  return (
    <nav aria-label="Pages" className="operator-pager">
      <p>
        {rows.length === 0
          ? "No rows"
          : `Rows ${first.toLocaleString("en")} to ${(first + rows.length - 1).toLocaleString("en")} of ${
              isTotalExact ? "" : "more than "
            }${total.toLocaleString("en")}`}
        . Moments are UTC
        {isCutOff ? `. Pages end with the ${maxPage}th: filters find what lies deeper` : ""}.
      </p>
      <div className="operator-pager-links">
        {query.page > 1 ? (
          <a href={to(query.page - 1)} rel="prev" className="operator-button">
            Previous
          </a>
        ) : null}
        {hasNext ? (
          <a href={to(query.page + 1)} rel="next" className="operator-button">
            Next
          </a>
        ) : null}
      </div>
    </nav>
  );
}
