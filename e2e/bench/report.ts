import { execFileSync } from "node:child_process";
import os from "node:os";

export type Machine = {
  cpu: string;
  cores: number;
  memoryGiB: number;
  platform: string;
  node: string;
  loadBefore: number[];
  loadAfter: number[];
};
/** One measured figure. `atMost` is null if there is no budget. */
export type Row = {
  slug: string;
  name: string;
  unit: "ms of CPU" | "s" | "MB" | "KB";
  value: number;
  atMost: number | null;
  peers: readonly { name: string; times: number; atMost: number; by: "cpu" | "rate" }[];
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

export function nameMachine({ cores, cpu, memoryGiB, platform }: Machine): string {
  return `${cores} cores of ${cpu}, ${memoryGiB} GiB, ${platform}`;
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

export function toBudgetTable(rows: readonly Row[]): string {
  const columns = ["Operation", "Beside a peer", "Measured", "At most", "Verdict"];
  const lines = rows.map((row) => {
    const { name, unit, value, atMost, peers } = row;
    const beside = peers.map(
      (peer) =>
        `${showTimes(peer.times)} ${peer.name}${peer.by === "rate" ? ", time a request" : ""} (at most ${showTimes(peer.atMost)})`,
    );
    const limit = atMost === null ? "" : showFigure(atMost);
    const verdict = atMost === null && peers.length === 0 ? "" : findMissed(row) ? "over" : "within";
    return [name, beside.join("; "), `${showFigure(value)} ${unit}`, limit, verdict];
  });
  return toTable(columns, lines, 2);
}

export function findMissed({ value, atMost, peers }: Row): boolean {
  return (atMost !== null && value > atMost) || peers.some((peer) => peer.times > peer.atMost);
}

function showTimes(times: number): string {
  return `${times.toFixed(2)}x`;
}

function showFigure(figure: number): string {
  return String(Number(figure.toPrecision(figure >= 100 ? 3 : 2)));
}
