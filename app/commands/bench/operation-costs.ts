import { readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { openBenchPlace } from "./bench-place";
import type { BenchOptions } from "./bench-options";
import { closeOnSignals } from "./close-on-signals";
import { judge } from "./figures";
import type { Measurement, Verdict } from "./figures";
import { measureOperation, timeStarts } from "./measure";
import type { StartTimes } from "./measure";
import { operations } from "./operations";
import { describeMachine, replaceMeasured, toText } from "./report";
import type { Report } from "./report";

const documentFile = "docs/performance.md";
const starts = 5;
const maxStartMs = 2000;

/** What visitors and programs ask for, each beside somebody else who is asked for the same. */
export async function benchOperations({
  command,
  rounds,
  scale,
  operation: slug,
  hasProfile,
  ...output
}: BenchOptions): Promise<void> {
  const chosen = operations.filter((operation) => slug === null || operation.slug === slug);
  const loadBefore = os.loadavg();
  const nodeOptions = hasProfile ? ["--cpu-prof", `--cpu-prof-dir=${path.resolve(output.resultsDir)}`] : [];
  const place = await openBenchPlace({ nodeOptions });
  const stopListening = closeOnSignals(place.close);
  try {
    const startTimes = await timeStarts({ place, starts });
    const measurements: Measurement[] = [];
    for (const operation of chosen) {
      console.error(`${operation.name} …`);
      measurements.push(await measureOperation({ place, operation, rounds, scale }));
    }
    const report: Report = {
      ...{ takenAt: new Date().toISOString(), command, rounds },
      machine: describeMachine(loadBefore),
      starts: startTimes,
      measurements,
      verdicts: [...judgeAll(measurements), judgeStart(startTimes)],
    };
    finish({ report, ...output });
  } finally {
    stopListening();
    await place.close();
  }
}

function judgeAll(measurements: readonly Measurement[]): Verdict[] {
  return measurements.flatMap((measurement) => {
    const { aims } = operations.find(({ name }) => name === measurement.operation)!;
    return judge({ measurement, aims });
  });
}

function judgeStart({ medianMs }: StartTimes): Verdict {
  return {
    aim: `start to ready under ${maxStartMs / 1000} s`,
    isMet: medianMs < maxStartMs,
    measured: `${(medianMs / 1000).toFixed(2)} s`,
  };
}

function finish({
  report,
  resultsDir,
  write,
}: { report: Report } & Pick<BenchOptions, "resultsDir" | "write">): void {
  console.log(toText(report));
  const resultFile = path.join(resultsDir, "bench.json");
  writeFileSync(resultFile, `${JSON.stringify(report, null, 2)}\n`);
  console.log(`Every round is in ${resultFile}.`);
  if (!write) return;
  const document = readFileSync(documentFile, "utf8");
  writeFileSync(documentFile, replaceMeasured({ document, report }));
  console.log(`${documentFile} holds the table now.`);
}
