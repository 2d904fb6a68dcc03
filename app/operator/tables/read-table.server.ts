import { Readable } from "node:stream";
import { Refusal } from "~/platform/refusals/refusal";
import type { Actor, SessionStore } from "../sessions.store.server";
import { maxPage, readTableQuery } from "./table-query";
import type { TablePage } from "./table-query";
import type { TableRow, TableSettings, TableSpec, TableValue } from "./table-spec";
import { findTableSpec } from "./table-specs";
import type { TableStore } from "./tables.store.server";

/** Counting further takes too long. */
const countLimit = 10_000;

type TableDependencies = {
  tables: TableStore;
  settings: TableSettings;
  /** Writes rows that wait in memory. */
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

type ExportRequest = {
  table: string | undefined;
  searchParams: URLSearchParams;
  actor: Actor;
  signal: AbortSignal;
};

type ExportDependencies = Omit<TableDependencies, "settings"> & {
  sessions: Pick<SessionStore, "recordAudit">;
};

const contentTypes: Readonly<Record<string, string>> = {
  csv: "text/csv; charset=utf-8",
  json: "application/json; charset=utf-8",
};

/** All rows that the filters find, streamed: only one batch is in memory. */
export async function exportTable(
  { actor, signal, ...request }: ExportRequest,
  { tables, flush, sessions }: ExportDependencies,
): Promise<Response> {
  const spec = findTableSpec(request.table);
  if (!spec?.isExportable) throw new Refusal("not-found", { detail: "This table cannot be exported." });
  const format = request.searchParams.get("format") ?? "csv";
  const contentType = Object.hasOwn(contentTypes, format) ? contentTypes[format] : undefined;
  const { query, faults } = readTableQuery(spec, request.searchParams);
  if (contentType === undefined || faults.length > 0) {
    throw badExport([...(contentType === undefined ? ["format must be csv or json."] : []), ...faults]);
  }
  if (spec.isBuffered) await flush();
  const { filters, withinSeconds } = query;
  const detail = { table: spec.name, format, filters, withinSeconds };
  await sessions.recordAudit({ ...actor, kind: "operator-export", detail });
  const batches = tables[spec.name].readAll(query);
  const text = format === "csv" ? writeCsv(spec, batches) : writeJson(batches);
  return new Response(Readable.toWeb(Readable.from(text, { signal, objectMode: false })) as ReadableStream, {
    headers: {
      "Content-Type": contentType,
      "Content-Disposition": `attachment; filename="${spec.name}.${format}"`,
      "Cache-Control": "no-store",
    },
  });
}

function badExport(faults: readonly string[]): Refusal {
  return new Refusal("invalid-request", {
    detail: faults.join(" "),
    members: { errors: faults.map((message) => ({ path: message.split(" ")[0], message })) },
  });
}

async function* writeCsv(spec: TableSpec, batches: AsyncGenerator<TableRow[]>): AsyncGenerator<string> {
  const columns = spec.columns.map(({ key }) => key);
  yield csvLine(columns.map(columnName));
  for await (const rows of batches) {
    yield rows.map((row) => csvLine(columns.map((column) => toExported(column, row)))).join("");
  }
}

/**
 * One line of RFC 4180, its end included. Spreadsheets run text that begins like a formula, and holders choose their
 * texts, so an apostrophe precedes it. Numbers are ours.
 */
export function csvLine(values: readonly TableValue[]): string {
  return `${values.map(csvField).join(",")}\r\n`;
}

function csvField(value: TableValue): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = /^[\s\p{Cf}]*[=+\-@|%\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/u.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

async function* writeJson(batches: AsyncGenerator<TableRow[]>): AsyncGenerator<string> {
  let before = "[\n";
  for await (const rows of batches) {
    const objects = rows.map((row) => {
      const entries = Object.keys(row).map((column) => [columnName(column), toExported(column, row)]);
      return JSON.stringify(Object.fromEntries(entries));
    });
    yield `${before}${objects.join(",\n")}`;
    before = ",\n";
  }
  yield before === "[\n" ? "[]\n" : "\n]\n";
}

/** Exports ISO 8601 timestamps, under a name without the unit. */
function columnName(column: string): string {
  return column.replace(/AtMs$/, "At");
}

function toExported(column: string, row: TableRow) {
  const value = row[column] ?? null;
  return column.endsWith("AtMs") && typeof value === "number" ? new Date(value).toISOString() : value;
}
