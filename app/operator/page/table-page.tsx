import { Form } from "@remix-run/react";
import { useId } from "react";
import { maxPage, pageSizes, tableHref, tableSearch, withinChoices } from "../tables/table-query";
import type { TablePage as TablePageData, TableQuery } from "../tables/table-query";
import type { TableChoice, TableFilter, TableSpec } from "../tables/table-spec";
import { ActionForm, TableRows } from "./table-rows";

type TableProps = { spec: TableSpec; query: TableQuery };

export function TablePage({ spec, page }: { spec: TableSpec; page: TablePageData }) {
  const { query, rows } = page;
  const isFiltered = Object.keys(query.filters).length > 0 || query.withinSeconds !== null;
  return (
    <>
      <div className="row operator-tools">
        <Filters key={tableSearch(spec, query)} spec={spec} query={query} isOpen={isFiltered} />
        <TableAction spec={spec} query={query} />
        {spec.isExportable ? <ExportLinks spec={spec} query={query} /> : null}
      </div>
      {rows.length > 0 ? (
        <TableRows spec={spec} query={query} rows={rows} />
      ) : (
        <p className="soft operator-empty">
          {isFiltered || query.page > 1 ? (
            <>
              No rows match. <a href={`/operator/${spec.name}`}>Show all of them</a>
            </>
          ) : (
            spec.whenEmpty
          )}
        </p>
      )}
      {rows.length > 0 || query.page > 1 ? <Pager spec={spec} page={page} /> : null}
    </>
  );
}

const orders = [
  ["desc", "highest or latest first"],
  ["asc", "lowest or earliest first"],
] as const;

/** A GET form, so that the address repeats the query. */
function Filters({ spec, query, isOpen }: TableProps & { isOpen: boolean }) {
  const columns = spec.columns.filter(({ isSortable }) => isSortable);
  const within: ChoiceProps = {
    label: "Within",
    name: "within",
    value: String(query.withinSeconds ?? ""),
    choices: [["", "all of it"], ...withinChoices],
  };
  const sort = columns.map(({ key, label }) => [key, label] as const);
  const sizes = pageSizes.map((size) => [String(size), String(size)] as const);
  const choices: readonly ChoiceProps[] = [
    ...(spec.isCurrent ? [] : [within]),
    { label: "Sort by", name: "sort", value: query.sort, choices: sort },
    { label: "Order", name: "order", value: query.order, choices: orders },
    { label: "Rows", name: "size", value: String(query.size), choices: sizes },
  ];
  return (
    <details open={isOpen}>
      <summary>Filter and sort</summary>
      <form method="get" className="operator-panel" action={`/operator/${spec.name}`}>
        {spec.filters.map((filter) => (
          <FilterField key={filter.name} filter={filter} value={query.filters[filter.name] ?? ""} />
        ))}
        {choices.map((choice) => (
          <Choice key={choice.name} {...choice} />
        ))}
        <div className="row operator-actions">
          <button type="submit" className="operator-button operator-button-strong">
            Apply
          </button>
          <a href={`/operator/${spec.name}`} className="operator-button">
            Clear
          </a>
        </div>
      </form>
    </details>
  );
}

function FilterField({ filter, value }: { filter: TableFilter; value: string }) {
  const id = useId();
  const { label, name } = filter;
  if (filter.kind === "choice") {
    return <Choice label={label} name={name} value={value} choices={[["", "any"], ...filter.choices]} />;
  }
  const typing = { maxLength: 200, autoComplete: "off", spellCheck: false };
  return (
    <div className="operator-field">
      <label htmlFor={id}>{label}</label>
      <input id={id} className="input" name={name} defaultValue={value} {...typing} />
    </div>
  );
}

type ChoiceProps = { label: string; name: string; value: string; choices: readonly TableChoice[] };

function Choice({ label, name, value, choices }: ChoiceProps) {
  const id = useId();
  return (
    <div className="operator-field">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="input" name={name} defaultValue={value}>
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

function TableAction({ spec, query }: TableProps) {
  if (!spec.tableAction) return null;
  const { action, label, confirmation } = spec.tableAction;
  if (!confirmation) {
    return <ActionForm path={tableHref(spec, query)} action={action} fields={{}} label={label} />;
  }
  const { summary, ...choice } = confirmation;
  return (
    <details>
      <summary>{summary}</summary>
      <Form method="post" className="operator-panel" action={`/operator/${spec.name}`}>
        <Choice {...choice} value={choice.choices[0]![0]} />
        <button type="submit" name="do" value={action} className="operator-button operator-button-strong">
          {label}
        </button>
      </Form>
    </details>
  );
}

function ExportLinks({ spec, query }: TableProps) {
  const search = tableSearch(spec, query, { page: 1 });
  return (
    <div className="row operator-actions">
      {["csv", "json"].map((format) => (
        <a
          key={format}
          href={`/operator/export/${spec.name}${search ? `${search}&` : "?"}format=${format}`}
          className="operator-button"
          download
        >
          Export as {format.toUpperCase()}
        </a>
      ))}
    </div>
  );
}

function Pager({ spec, page }: { spec: TableSpec; page: TablePageData }) {
  const { query, rows, total, isTotalExact, hasNext, isCutOff } = page;
  const first = (query.page - 1) * query.size + 1;
  const [from, to, all] = [first, first + rows.length - 1, total].map((count) => count.toLocaleString("en"));
  return (
    <nav aria-label="Pages" className="row soft operator-pager">
      <p>
        {rows.length === 0 ? "No rows" : `Rows ${from} to ${to} of ${isTotalExact ? "" : "more than "}${all}`}
        . Times are in UTC
        {isCutOff ? `. Pages end with the ${maxPage}th: use filters to find further rows` : ""}.
      </p>
      <div className="row operator-actions">
        {query.page > 1 ? (
          <a href={tableHref(spec, query, { page: query.page - 1 })} rel="prev" className="operator-button">
            Previous
          </a>
        ) : null}
        {hasNext ? (
          <a href={tableHref(spec, query, { page: query.page + 1 })} rel="next" className="operator-button">
            Next
          </a>
        ) : null}
      </div>
    </nav>
  );
}
