import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { BenchOptions } from "../bench-options";
import { describeMachine, describeRun } from "../report";
import { replaceBetweenMarks } from "../replace-between-marks";

const documentFile = "docs/performance.md";

/** Prints the table, keeps every round as JSON, and puts the table into the document when asked to. */
export function finishScale({
  name,
  table,
  figures,
  rounds,
  roundCount,
  loadBefore,
  command,
  resultsDir,
  write,
}: {
  /** Of the marks in the document and of the file of results. */
  name: string;
  table: string;
  figures: unknown;
  rounds: unknown;
  roundCount: number;
  loadBefore: number[];
} & Pick<BenchOptions, "command" | "resultsDir" | "write">): void {
  const run = {
    takenAt: new Date().toISOString(),
    command,
    rounds: roundCount,
    machine: describeMachine(loadBefore),
  };
  const file = path.join(resultsDir, `bench-${name}.json`);
  writeFileSync(file, `${JSON.stringify({ ...run, figures, measured: rounds }, null, 2)}\n`);
  console.log(`\n${table}\n\nEvery round is in ${file}.`);
  if (!write) return;
  const document = readFileSync(documentFile, "utf8");
  const text = `${describeRun(run)}\n\n${table}`;
  writeFileSync(documentFile, replaceBetweenMarks({ document, name, text }));
}
