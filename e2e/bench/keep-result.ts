import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { BenchOptions, BenchResult } from "./bench-options";
import type { Benchmark } from "./benchmarks";
import { replaceBetweenMarks } from "./replace-between-marks";
import { describeRun } from "./report";
import type { Run } from "./report";

export type ToKeep = {
  name: string;
  result: BenchResult;
  describe: Benchmark["describe"];
  run: Run;
  options: BenchOptions;
  /** Null: nothing is put into it. */
  documentFile: string | null;
  say: (text: string) => void;
};

/**
 * Prints what was found, keeps every round of it as JSON, and puts it between its marks. Beside a document that is
 * written, the same JSON stands in its folder, for further calculations.
 */
export function keepResult({ name, result, describe, run, options, documentFile, say }: ToKeep): void {
  const { verdicts, figures, measured } = result;
  const { resultsDir, ...asked } = options;
  const file = path.join(resultsDir, `bench-${name}.json`);
  const kept = { name, ...run, options: asked, verdicts, figures, measured };
  writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`);
  const short = JSON.stringify(kept, shortenNumber);
  const described = describeKept(JSON.parse(short) as KeptResult, describe);
  say(`\n${name}\n\n${described}\n\nEvery round is in ${file}.`);
  if (documentFile === null) return;
  writeFileSync(path.join(path.dirname(documentFile), `${name}.json`), `${short}\n`);
  putIntoDocument(documentFile, name, described);
}

/** As it stands beside the document. */
export type KeptResult = Run & Pick<BenchResult, "verdicts" | "figures">;

/** The document's part about one kind, from the stored result alone, so that both can be compared. */
export function describeKept(kept: KeptResult, describe: Benchmark["describe"]): string {
  const { verdicts } = kept;
  const judged = verdicts.length > 0 ? ["", "```text", ...verdicts, "```"] : [];
  return [describeRun(kept), "", describe(kept), ...judged].join("\n");
}

/** For `JSON.stringify`: nothing here is measured to more digits, and every stream's first word stands in the file of chats. */
export function shortenNumber(_key: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
}

export function putIntoDocument(documentFile: string, name: string, text: string): void {
  const document = readFileSync(documentFile, "utf8");
  writeFileSync(documentFile, replaceBetweenMarks(document, name, text));
}
