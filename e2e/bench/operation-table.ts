import { ownSide } from "./figures";
import type { Figures, Measurement } from "./figures";
import { toTable } from "./report";

/** The medians of every side, without the rounds they are made of. */
export type OperationFigures = { operations: Omit<Measurement, "rounds">[] };

const columns = [
  "Operation",
  "Side",
  "Requests/s",
  "p50 ms",
  "p99 ms",
  "CPU µs/request",
  "RPC calls/request",
  "Latchkey is x this (requests/s)",
  "x this (CPU)",
];

/** A row for each side; the ratios stand in the others' rows. */
export function toOperationTable(measurements: OperationFigures["operations"]): string {
  const figureCells = (figures: Figures) => [
    figures.requestsPerSecond.toFixed(0),
    figures.p50Ms.toFixed(2),
    figures.p99Ms.toFixed(2),
    figures.cpuMicrosPerRequest?.toFixed(0) ?? "n/a",
    figures.rpcCallsPerRequest === null ? "" : String(Number(figures.rpcCallsPerRequest.toFixed(4))),
  ];
  const rows = measurements.flatMap(({ operation, ours, others }) => [
    [operation, ownSide, ...figureCells(ours), "", ""],
    ...others.map(({ name, figures, ratios }) => [
      ...["", name, ...figureCells(figures)],
      ...[ratios.byThroughput.toFixed(2), ratios.byCpu?.toFixed(2) ?? "n/a"],
    ]),
  ]);
  return toTable(columns, rows, 2);
}
