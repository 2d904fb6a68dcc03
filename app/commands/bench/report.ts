import os from "node:os";
import type { Measurement, Verdict } from "./figures";
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
  "x bare (requests/s)",
  "x bare (CPU)",
];

function tableRows(measurements: readonly Measurement[]): string[][] {
  return measurements.flatMap(({ operation, ours, bare, ratios }) =>
    [ours, bare].map((side) => {
      const isOurs = side === ours;
      const { rpcCallsPerRequest } = side;
      return [
        isOurs ? operation : "",
        isOurs ? "Latchkey" : "bare",
        side.requestsPerSecond.toFixed(0),
        side.p50Ms.toFixed(2),
        side.p99Ms.toFixed(2),
        side.cpuMicrosPerRequest?.toFixed(0) ?? "n/a",
        isOurs ? (rpcCallsPerRequest === null ? "n/a" : String(Number(rpcCallsPerRequest.toFixed(4)))) : "",
        isOurs ? ratios.byThroughput.toFixed(2) : "",
        isOurs ? (ratios.byCpu?.toFixed(2) ?? "n/a") : "",
      ];
    }),
  );
}

function toTable(rows: readonly string[][]): string {
  const all = [columns, ...rows];
  const widths = columns.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const toLine = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column < 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join(" | ")} |`;
  const rule = widths.map((width, column) => (column < 2 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [toLine(columns), toLine(rule), ...rows.map(toLine)].join("\n");
}

function verdictLines(verdicts: readonly Verdict[]): string[] {
  const word = ({ isMet }: Verdict) => (isMet === null ? "n/a " : isMet ? "PASS" : "over");
  return verdicts.map((verdict) => `${word(verdict)}  ${verdict.aim}: ${verdict.measured}`);
}

export function toText({ measurements, verdicts, starts }: Report): string {
  const startTimes = starts.startsMs.map((ms) => ms.toFixed(0)).join(", ");
  return [
    toTable(tableRows(measurements)),
    "",
    `Start to ready, ms: ${startTimes}`,
    ...verdictLines(verdicts),
  ].join("\n");
}

/** The document with the part between its marks replaced by this report. */
export function replaceMeasured({ document, report }: { document: string; report: Report }): string {
  return replaceBetweenMarks({ document, name: "bench", text: toMarkdown(report) });
}

function toMarkdown(report: Report): string {
  const { machine, rounds, starts } = report;
  const loads = [machine.loadBefore, machine.loadAfter].map((load) => load[0]!.toFixed(1));
  return [
    `Measured on ${report.takenAt.slice(0, 10)} by \`${report.command}\` on ${machine.cores} cores of ${machine.cpu}, ${machine.memoryGiB} GiB, ${machine.platform}, Node ${machine.node}. Medians of ${rounds} rounds. Load average (1 minute) ${loads[0]} before, ${loads[1]} after.`,
    "",
    toTable(tableRows(report.measurements)),
    "",
    `Start to ready: ${starts.medianMs.toFixed(0)} ms (median of ${starts.startsMs.length}).`,
    "",
    "```text",
    ...verdictLines(report.verdicts),
    "```",
  ].join("\n");
}
