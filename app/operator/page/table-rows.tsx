import { Form } from "@remix-run/react";
import { findJson } from "~/platform/text/json";
import { tableHref } from "../tables/table-query";
import type { TableQuery } from "../tables/table-query";
import type { RowAction, TableColumn, TableRow, TableSpec, TableValue } from "../tables/table-spec";
import { Moment } from "./moment";

type RowsProps = { spec: TableSpec; query: TableQuery; rows: readonly TableRow[] };

/** On a phone every row is a card, with the labels before the values. */
export function TableRows({ spec, query, rows }: RowsProps) {
  const columns = spec.columns.filter(
    ({ key, isOptional }) => !isOptional || rows.some((row) => row[key] != null),
  );
  return (
    <table className="operator-panel operator-table">
      <caption className="visually-hidden">{spec.title}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
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
          // Rows have no id of their own, and the browser never reorders them.
          <tr key={index}>
            {columns.map((column) => (
              <td key={column.key} data-label={column.label} className={`operator-cell-${column.kind}`}>
                <CellValue spec={spec} query={query} column={column} value={row[column.key] ?? null} />
              </td>
            ))}
            {spec.rowActions ? (
              <td className="operator-cell-actions">
                <RowActions actions={spec.rowActions(row)} path={tableHref(spec, query)} />
              </td>
            ) : null}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type ColumnProps = { spec: TableSpec; query: TableQuery; column: TableColumn };

function HeadCell({ spec, query, column: { key, label, kind, isSortable } }: ColumnProps) {
  const isSorted = isSortable && query.sort === key;
  const isAscending = query.order === "asc";
  return (
    <th
      scope="col"
      className={`operator-cell-${kind}`}
      aria-sort={isSorted ? (isAscending ? "ascending" : "descending") : undefined}
    >
      {isSortable ? (
        <a
          href={tableHref(spec, query, {
            sort: key,
            order: isSorted && !isAscending ? "asc" : "desc",
            page: 1,
          })}
        >
          {label}
          <span aria-hidden="true" className="operator-sort-mark">
            {isSorted ? (isAscending ? "▲" : "▼") : "↕"}
          </span>
        </a>
      ) : (
        label
      )}
    </th>
  );
}

/** An id or an address links to the rows that have it, if the table has such a filter. */
function CellValue({ spec, query, column: { key, kind }, value }: ColumnProps & { value: TableValue }) {
  if (value === null || value === "") return <span className="soft">–</span>;
  if (kind === "moment") return <Moment atMs={Number(value)} />;
  if (kind === "number") return Number(value).toLocaleString("en");
  const text = String(value);
  if (kind === "state") return <span className={`operator-badge tone-${stateTone(text)}`}>{text}</span>;
  if (kind === "words") {
    return <div className="operator-words">{key === "detail" ? describeDetail(text) : text}</div>;
  }
  if (kind === "text") return text;
  const code = <code title={text}>{shortCode(text)}</code>;
  const isFilter = spec.filters.some((filter) => filter.name === key && filter.kind !== "choice");
  if (!isFilter || query.filters[key] === text) return code;
  return <a href={tableHref(spec, query, { page: 1, filters: { ...query.filters, [key]: text } })}>{code}</a>;
}

/** People compare addresses and ids by their beginning and end. */
function shortCode(text: string): string {
  return text.length <= 18 ? text : `${text.slice(0, 8)}…${text.slice(-6)}`;
}

const tones: Readonly<Record<string, string>> = {
  granted: "success",
  delivered: "success",
  paid: "success",
  failed: "problem",
  refused: "problem",
  "given up": "problem",
  waiting: "warning",
  open: "info",
};

function stateTone(state: string): string {
  return Object.hasOwn(tones, state) ? tones[state]! : "plain";
}

/** The JSON text of an audit entry, in words. */
function describeDetail(json: string): string {
  const detail = findJson(json);
  return detail === undefined ? json : describeValue(detail);
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(describeValue).join(", ");
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .filter(([, member]) => member !== null && member !== "")
    .map(([name, member]) => `${name}: ${describeValue(member)}`)
    .filter((part) => !part.endsWith(": "))
    .join("; ");
}

/** `path`: the page of the table that the forms return to. */
export function RowActions({ actions, path }: { actions: readonly RowAction[]; path: string }) {
  if (actions.length === 0) return null;
  return (
    <div className="row operator-actions">
      {actions.map((action) =>
        "href" in action ? (
          <a key={action.label} href={action.href} className="operator-button" aria-label={action.name}>
            {action.label}
          </a>
        ) : (
          <ActionForm key={action.label} path={path} {...action} />
        ),
      )}
    </div>
  );
}

type ActionFormProps = Pick<Extract<RowAction, { action: string }>, "action" | "fields" | "label"> & {
  path: string;
  name?: string;
};

export function ActionForm({ path, action, fields, label, name }: ActionFormProps) {
  return (
    <Form method="post" action={path}>
      {Object.entries(fields).map(([field, value]) => (
        <input key={field} type="hidden" name={field} value={value} />
      ))}
      <button type="submit" name="do" value={action} className="operator-button" aria-label={name}>
        {label}
      </button>
    </Form>
  );
}
