import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { PartRounds } from "~e2e/support/measure/measure-parts";
import type { BenchOptions, BenchResult } from "../bench-options";
import { median } from "../figures";

export type PartCost = { part: string; libraryMicros: number; ownMicros: number; times: number };

/** Measures what was written by hand beside the library it stands in for, in a process of its own. */
export async function benchParts({ rounds, scale }: BenchOptions): Promise<BenchResult<PartCost[]>> {
  const parameters = [
    "--import",
    "tsx",
    "e2e/support/measure/measure-parts.ts",
    String(rounds),
    String(scale),
  ];
  const { stdout } = await promisify(execFile)(process.execPath, parameters, { timeout: 300_000 });
  const measured = JSON.parse(stdout) as PartRounds[];
  const figures = measured.map(summarizePart);
  return { rounds, verdicts: [], figures, measured };
}

/** `times`: how many times the other's figure ours is, the median of the rounds' own ratios. */
export function summarizePart({ part, rounds }: PartRounds): PartCost {
  return {
    part,
    libraryMicros: median(rounds.map(({ libraryMicros }) => libraryMicros)),
    ownMicros: median(rounds.map(({ ownMicros }) => ownMicros)),
    times: median(rounds.map(({ libraryMicros, ownMicros }) => ownMicros / libraryMicros)),
  };
}

export function toPartTable(costs: readonly PartCost[]): string {
  return [
    "| | Library, µs of CPU | Latchkey, µs of CPU | Latchkey is x the library |",
    "|---|---:|---:|---:|",
    ...costs.map(
      ({ part, libraryMicros, ownMicros, times }) =>
        `| ${part} | ${libraryMicros.toFixed(0)} | ${ownMicros.toFixed(0)} | ${times.toFixed(2)} |`,
    ),
  ].join("\n");
}
