import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import type { PartCost } from "~/testing/measure-parts";
import { replaceBetweenMarks } from "./replace-between-marks";

const documentFile = "docs/decisions/025-what-a-sign-in-costs.md";

/** Measures what was written by hand beside the library it stands in for, in a process of its own. */
export async function benchParts({
  resultsDir,
  write,
}: {
  resultsDir: string;
  write: boolean;
}): Promise<void> {
  const parameters = ["--import", "tsx", "app/testing/measure-parts.ts"];
  const { stdout } = await promisify(execFile)(process.execPath, parameters, { timeout: 300_000 });
  const costs = JSON.parse(stdout) as PartCost[];
  writeFileSync(path.join(resultsDir, "bench-parts.json"), `${JSON.stringify(costs, null, 2)}\n`);
  const table = toPartTable(costs);
  console.log(`\nParts of a sign-in\n\n${table}`);
  if (!write) return;
  const document = readFileSync(documentFile, "utf8");
  writeFileSync(documentFile, replaceBetweenMarks({ document, name: "parts", text: table }));
}

export function toPartTable(costs: readonly PartCost[]): string {
  return [
    "| | Library, µs of CPU | Latchkey, µs of CPU |",
    "|---|---:|---:|",
    ...costs.map(
      ({ part, libraryMicros, ownMicros }) =>
        `| ${part} | ${libraryMicros.toFixed(0)} | ${ownMicros.toFixed(0)} |`,
    ),
  ].join("\n");
}
