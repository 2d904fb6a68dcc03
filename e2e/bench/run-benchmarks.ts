import { readFileSync } from "node:fs";
import os from "node:os";
import type { BenchOptions } from "./bench-options";
import type { Benchmark } from "./benchmarks";
import { keepResult, putIntoDocument } from "./keep-result";
import { replaceBetweenMarks } from "./replace-between-marks";
import { describeMachine, findCommit, nameMachine, toMinutes } from "./report";

export const durationMark = "duration";

type RunBenchmarksOptions = {
  chosen: readonly Benchmark[];
  /** These are all there are: how long they took is the duration of a run. */
  isWhole: boolean;
  options: BenchOptions;
  /** As somebody would type it. */
  command: string;
  documentFile: string | null;
  isStrict: boolean;
  say: (text: string) => void;
};

/**
 * One after the other, each kept as soon as it has ended. One that fails takes nothing from the others; in the end it
 * is thrown, as is an aim that was missed where `isStrict`.
 */
export async function runBenchmarks({
  chosen,
  isWhole,
  options,
  command,
  documentFile,
  isStrict,
  say,
}: RunBenchmarksOptions): Promise<void> {
  const names = [...chosen.map(({ name }) => name), ...(isWhole ? [durationMark] : [])];
  if (documentFile !== null) requireMarks(documentFile, names);
  // Once, because the page that is written is a change too.
  const commit = findCommit();
  const beganAt = performance.now();
  const [missed, failed, durations]: [string[], string[], string[]] = [[], [], []];
  for (const { name, run, describe } of chosen) {
    const takenAt = new Date().toISOString();
    const loadBefore = os.loadavg();
    const startedAt = performance.now();
    try {
      const result = await run(options);
      const tookSeconds = (performance.now() - startedAt) / 1000;
      const { rounds, verdicts } = result;
      const described = { takenAt, command, commit, rounds, tookSeconds };
      const machine = describeMachine(loadBefore);
      keepResult({ name, result, describe, run: { ...described, machine }, options, documentFile, say });
      missed.push(...verdicts.filter((line) => line.startsWith("over")));
      durations.push(`${name} ${(tookSeconds / 60).toFixed(1)}`);
    } catch (error) {
      say(`\n${name} failed: ${error instanceof Error ? error.stack : String(error)}`);
      failed.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const took = `\`${command}\` took ${toMinutes((performance.now() - beganAt) / 1000)}`;
  say(`\n${took}.`);
  // Thrown: a package that the benchmarks load ends the process with 0 whatever its exit code was set to.
  if (failed.length > 0) throw new Error(`Failed:\n${failed.join("\n")}`);
  if (documentFile !== null && isWhole) {
    const site = nameMachine(describeMachine([]));
    const text = `On ${site}, ${took} in all: ${durations.join(", ")}.`;
    putIntoDocument(documentFile, durationMark, text);
  }
  if (isStrict && missed.length > 0) throw new Error(`Not kept:\n${missed.join("\n")}`);
}

/** Before anything is measured, so that no result is without its place. */
function requireMarks(documentFile: string, names: readonly string[]): void {
  const document = readFileSync(documentFile, "utf8");
  for (const name of names) replaceBetweenMarks(document, name, "");
}
