import { execFileSync } from "node:child_process";
import os from "node:os";
import type { Verdict } from "./figures";

export type Machine = {
  cpu: string;
  cores: number;
  memoryGiB: number;
  platform: string;
  node: string;
  loadBefore: number[];
  loadAfter: number[];
};
/** When, by what, on what and beside what else something was measured: without that no figure means anything. */
export type Run = {
  takenAt: string;
  command: string;
  /** Of the code that was measured, with `-dirty` where it was changed since; null where nobody knows. */
  commit: string | null;
  rounds: number;
  tookSeconds: number;
  machine: Machine;
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

export function findCommit(): string | null {
  try {
    const parameters = ["describe", "--always", "--abbrev=12", "--exclude=*", "--dirty"];
    return execFileSync("git", parameters, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return null;
  }
}

export function describeRun({ takenAt, command, machine, rounds, tookSeconds }: Run): string {
  const loads = [machine.loadBefore, machine.loadAfter].map((load) => load[0]!.toFixed(1));
  return `Measured on ${takenAt.slice(0, 10)} by \`${command}\` on ${nameMachine(machine)}, Node ${machine.node}. Medians of ${countRounds(rounds)}. Load average (1 minute) ${loads[0]} before, ${loads[1]} after. Took ${toMinutes(tookSeconds)}.`;
}

export function nameMachine({ cores, cpu, memoryGiB, platform }: Machine): string {
  return `${cores} cores of ${cpu}, ${memoryGiB} GiB, ${platform}`;
}

export function toMinutes(seconds: number): string {
  return `${(seconds / 60).toFixed(1)} minutes`;
}

function countRounds(rounds: number): string {
  return rounds === 1 ? "one round" : `${rounds} rounds`;
}

/** Texts to the left in the first `texts` columns, figures to the right in the others. */
export function toTable(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  texts: number,
): string {
  const all = [columns, ...rows];
  const widths = columns.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const toLine = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column < texts ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join(" | ")} |`;
  const rule = widths.map((width, column) =>
    column < texts ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [toLine(columns), toLine(rule), ...rows.map(toLine)].join("\n");
}

export function verdictLines(verdicts: readonly Verdict[]): string[] {
  const word = ({ isMet }: Verdict) => (isMet === null ? "n/a " : isMet ? "PASS" : "over");
  return verdicts.map((verdict) => `${word(verdict)}  ${verdict.aim}: ${verdict.measured}`);
}
