import os from "node:os";
import { ownSide } from "./figures";
import type { Figures, Measurement, Verdict } from "./figures";
import type { StartTimes } from "./measure";
import { replaceBetweenMarks } from "./replace-between-marks";

export type Machine = {
  cpu: string;
  cores: number;
  memoryGiB: number;
  platform: string;
  node: string;
  loadBefore: number[];
  loadAfter: number[];
};
export type Report = {
  takenAt: string;
  command: string;
  rounds: number;
  machine: Machine;
  starts: StartTimes;
  measurements: Measurement[];
  verdicts: Verdict[];
};

export function describeMachine(loadBefore: number[]): Machine {
  const cpus = os.cpus();
  return {
    cpu: cpus[0]?.model.trim() ?? "unknown",
    cores: cpus.length,
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    platform: `${os.type()} ${os.arch()}`,
    node: process.version,
    loadBefore,
    loadAfter: os.loadavg(),
  };
}

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

function tableRows(measurements: readonly Measurement[]): string[][] {
  const figureCells = (figures: Figures) => [
    figures.requestsPerSecond.toFixed(0),
    figures.p50Ms.toFixed(2),
    figures.p99Ms.toFixed(2),
    figures.cpuMicrosPerRequest?.toFixed(0) ?? "n/a",
    figures.rpcCallsPerRequest === null ? "" : String(Number(figures.rpcCallsPerRequest.toFixed(4))),
  ];
  return measurements.flatMap(({ operation, ours, others }) => [
    [operation, ownSide, ...figureCells(ours), "", ""],
    ...others.map(({ name, figures, ratios }) => [
      ...["", name, ...figureCells(figures)],
      ...[ratios.byThroughput.toFixed(2), ratios.byCpu?.toFixed(2) ?? "n/a"],
    ]),
  ]);
}

/** Texts to the left in the first `texts` columns, figures to the right in the others. */
export function toTable({
  columns,
  rows,
  texts,
}: {
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  texts: number;
}): string {
  const all = [columns, ...rows];
  const widths = columns.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const toLine = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column < texts ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join(" | ")} |`;
  const rule = widths.map((width, column) =>
    column < texts ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [toLine(columns), toLine(rule), ...rows.map(toLine)].join("\n");
}

function verdictLines(verdicts: readonly Verdict[]): string[] {
  const word = ({ isMet }: Verdict) => (isMet === null ? "n/a " : isMet ? "PASS" : "over");
  return verdicts.map((verdict) => `${word(verdict)}  ${verdict.aim}: ${verdict.measured}`);
}

export function toText({ measurements, verdicts, starts }: Report): string {
  const startTimes = starts.startsMs.map((ms) => ms.toFixed(0)).join(", ");
  return [
    toTable({ columns, rows: tableRows(measurements), texts: 2 }),
    "",
    `Start to ready, ms: ${startTimes}`,
    ...verdictLines(verdicts),
  ].join("\n");
}

/** The document with the part between its marks replaced by this report. */
export function replaceMeasured({ document, report }: { document: string; report: Report }): string {
  return replaceBetweenMarks({ document, name: "bench", text: toMarkdown(report) });
}

/** When, by what, on what and beside what else it was measured: without that no figure means anything. */
export function describeRun({
  takenAt,
  command,
  machine,
  rounds,
}: Pick<Report, "takenAt" | "command" | "machine" | "rounds">): string {
  const loads = [machine.loadBefore, machine.loadAfter].map((load) => load[0]!.toFixed(1));
  return `Measured on ${takenAt.slice(0, 10)} by \`${command}\` on ${machine.cores} cores of ${machine.cpu}, ${machine.memoryGiB} GiB, ${machine.platform}, Node ${machine.node}. Medians of ${rounds} rounds. Load average (1 minute) ${loads[0]} before, ${loads[1]} after.`;
}

function toMarkdown(report: Report): string {
  const { starts } = report;
  return [
    describeRun(report),
    "",
    toTable({ columns, rows: tableRows(report.measurements), texts: 2 }),
    "",
    `Start to ready: ${starts.medianMs.toFixed(0)} ms (median of ${starts.startsMs.length}).`,
    "",
    "```text",
    ...verdictLines(report.verdicts),
    "```",
  ].join("\n");
}
