import type { SortOrder, TableFilter, TableName, TableRow, TableSpec } from "./table-spec";

export type TableQuery = {
  sort: string;
  order: SortOrder;
  page: number;
  size: number;
  /** Seconds back from now; null for all of it. */
  withinSeconds: number | null;
  /** By the filter's name. */
  filters: Readonly<Record<string, string>>;
};

/** `faults`: parts of the address that the query ignores, in words. */
type ReadQuery = { query: TableQuery; faults: readonly string[] };

const defaultOrder: SortOrder = "desc";
export const pageSizes = [25, 50, 100] as const;
/** Filters find rows beyond it. */
export const maxPage = 100;
const maxFilterChars = 200;

export const withinChoices = [
  ["3600", "the last hour"],
  ["86400", "the last day"],
  ["604800", "the last week"],
  ["2592000", "the last 30 days"],
] as const;

/** Ignores unknown names. */
export function readTableQuery(spec: TableSpec, searchParams: URLSearchParams): ReadQuery {
  const faults: string[] = [];
  const read = (name: string): string => searchParams.get(name)?.trim() ?? "";
  function choose<Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice): Choice {
    const text = read(name);
    if (text === "") return fallback;
    const found = choices.find((candidate) => candidate === text);
    if (found === undefined) faults.push(`${name} must be ${choices.join(" or ")}.`);
    return found ?? fallback;
  }
  const sortable = spec.columns.flatMap(({ key, isSortable }) => (isSortable ? [key] : []));
  const sort = choose("sort", sortable, spec.sortedBy);
  const order = choose("order", ["asc", "desc"], defaultOrder);
  const size = Number(choose("size", pageSizes.map(String), String(pageSizes[0])));
  const spans = withinChoices.map(([seconds]) => seconds);
  const within = choose<string>("within", spans, "");
  const pageText = read("page");
  const isPage = /^[1-9]\d{0,2}$/.test(pageText) && Number(pageText) <= maxPage;
  if (pageText !== "" && !isPage) faults.push(`page must be a whole number from 1 to ${maxPage}.`);
  const filters: Record<string, string> = {};
  for (const filter of spec.filters) {
    const text = read(filter.name);
    if (text === "") continue;
    const fault = findFilterFault(filter, text);
    if (fault === null) filters[filter.name] = text;
    else faults.push(fault);
  }
  const page = isPage ? Number(pageText) : 1;
  const withinSeconds = within && !spec.isCurrent ? Number(within) : null;
  return { query: { sort, order, size, page, withinSeconds, filters }, faults };
}

function findFilterFault(filter: TableFilter, text: string): string | null {
  if (filter.kind === "choice") {
    const values = filter.choices.map(([value]) => value);
    return values.includes(text) ? null : `${filter.name} must be ${values.join(" or ")}.`;
  }
  if (text.length > maxFilterChars)
    return `${filter.name} must be at most ${maxFilterChars} characters long.`;
  // PostgreSQL takes no such text.
  return text.includes("\0") ? `${filter.name} holds a character that no value has.` : null;
}

/** The search of the same table's address with a change. Omits defaults. */
export function tableSearch(spec: TableSpec, query: TableQuery, change: Partial<TableQuery> = {}): string {
  const { sort, order, page, size, withinSeconds, filters } = { ...query, ...change };
  const params = new URLSearchParams(filters);
  if (withinSeconds !== null) params.set("within", String(withinSeconds));
  if (sort !== spec.sortedBy || order !== defaultOrder) {
    params.set("sort", sort);
    params.set("order", order);
  }
  if (size !== pageSizes[0]) params.set("size", String(size));
  if (page > 1) params.set("page", String(page));
  const text = params.toString();
  return text === "" ? "" : `?${text}`;
}

export function tableHref(spec: TableSpec, query: TableQuery, change: Partial<TableQuery> = {}): string {
  return `/operator/${spec.name}${tableSearch(spec, query, change)}`;
}

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
