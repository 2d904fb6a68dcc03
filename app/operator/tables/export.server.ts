import { Readable } from "node:stream";
import { Refusal } from "~/platform/refusals/refusal";
import type { Actor } from "../audit.store.server";
import type { SessionStore } from "../sessions.store.server";
import type { TableDependencies } from "./read-table.server";
import { readTableQuery } from "./table-query";
import { findTableSpec } from "./table-specs";
import type { TableRow, TableSpec, TableValue } from "./table-spec";

export type ExportRequest = {
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

/** A file of everything a table's filters find, written while it is read: only one batch of it is in memory. */
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
 * One line of RFC 4180, its end included. Spreadsheets run what begins like a formula, and holders choose their texts:
 * an apostrophe before such a text makes it plain there. Numbers are ours and stay numbers.
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

/** Moments are exported as ISO 8601, under a name without the unit. */
function columnName(column: string): string {
  return column.replace(/AtMs$/, "At");
}

function toExported(column: string, row: TableRow) {
  const value = row[column] ?? null;
  return column.endsWith("AtMs") && typeof value === "number" ? new Date(value).toISOString() : value;
}
