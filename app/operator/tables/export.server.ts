import { Readable } from "node:stream";
import { Refusal } from "~/platform/http/refusal";
import type { Actor } from "../audit.store.server";
import { csvLine } from "./csv";
import type { SessionStore } from "../sessions.store.server";
import { readTableQuery } from "./table-query";
import { findTableSpec } from "./table-specs";
import type { TableRow, TableSpec } from "./table-spec";
import type { TableStore } from "./tables.store.server";

export type ExportDependencies = { tables: TableStore; sessions: Pick<SessionStore, "recordAudit"> };

const contentTypes = { csv: "text/csv; charset=utf-8", json: "application/json; charset=utf-8" } as const;
type ExportFormat = keyof typeof contentTypes;

type ExportTableOptions = {
  table: string | undefined;
  searchParams: URLSearchParams;
  actor: Actor;
  signal: AbortSignal;
  dependencies: ExportDependencies;
};

/** A file of everything a table's filters find, written as it is read: never more than a batch of it is in memory. */
export async function exportTable({
  table,
  searchParams,
  actor,
  signal,
  dependencies: { tables, sessions },
}: ExportTableOptions): Promise<Response> {
  const spec = findTableSpec(table);
  if (!spec?.isExportable) throw new Refusal("not-found", { detail: "This table cannot be exported." });
  const format = searchParams.get("format") ?? "csv";
  const { query, faults } = readTableQuery(spec, searchParams);
  const known = format === "csv" || format === "json" ? [] : ["format must be csv or json."];
  if (faults.length + known.length > 0) throw badExport([...known, ...faults]);
  const { filters, withinSeconds } = query;
  const detail = { table: spec.name, format, filters, withinSeconds };
  await sessions.recordAudit({ ...actor, kind: "operator-export", detail });
  const batches = tables[spec.name].readAll({ spec, query });
  const text = format === "csv" ? writeCsv(spec, batches) : writeJson(batches);
  return new Response(Readable.toWeb(Readable.from(text, { signal, objectMode: false })) as ReadableStream, {
    headers: {
      "Content-Type": contentTypes[format as ExportFormat],
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

async function* writeJson(batches: AsyncGenerator<TableRow[]>): AsyncGenerator<string> {
  let before = "[\n";
  for await (const rows of batches) {
    const objects = rows.map((row) =>
      JSON.stringify(
        Object.fromEntries(Object.keys(row).map((column) => [columnName(column), toExported(column, row)])),
      ),
    );
    yield `${before}${objects.join(",\n")}`;
    before = ",\n";
  }
  yield before === "[\n" ? "[]\n" : "\n]\n";
}

/** Moments leave as ISO 8601, under a name that does not say milliseconds. */
function columnName(column: string): string {
  return column.replace(/AtMs$/, "At");
}

function toExported(column: string, row: TableRow) {
  const value = row[column] ?? null;
  return column.endsWith("AtMs") && typeof value === "number" ? new Date(value).toISOString() : value;
}
