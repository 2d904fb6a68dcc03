import path from "node:path";
import { openBenchSite } from "../bench-site";
import type { BenchOptions, BenchResult } from "../bench-options";
import { closeOnSignals } from "../close-on-signals";
import { judge } from "../figures";
import type { Measurement, Verdict } from "../figures";
import { measureOperation } from "../measure";
import type { Operation } from "./operation";
import { toOperationTable } from "../operation-table";
import type { OperationFigures } from "../operation-table";
import { operations } from "./operations";
import { verdictLines } from "../report";

/** What visitors and programs ask for, each beside somebody else who is asked for the same. */
export async function benchOperations({
  rounds,
  scale,
  operation: slug,
  hasProfile,
  resultsDir,
}: BenchOptions): Promise<BenchResult<OperationFigures>> {
  const chosen = operations.filter((operation) => slug === null || operation.slug === slug);
  const nodeOptions = hasProfile ? ["--cpu-prof", `--cpu-prof-dir=${path.resolve(resultsDir)}`] : [];
  const site = await openBenchSite({ nodeOptions });
  const stopListening = closeOnSignals(site.close);
  try {
    const measurements: Measurement[] = [];
    for (const operation of chosen) {
      console.error(`${operation.name} …`);
      measurements.push(await measureOperation({ site, operation, rounds, scale }));
    }
    return {
      rounds,
      verdicts: verdictLines(judgeAll(measurements, chosen)),
      figures: summarizeMeasurements(measurements),
      measured: toRounds(measurements),
    };
  } finally {
    stopListening();
    await site.close();
  }
}

export function judgeAll(measurements: readonly Measurement[], operations: readonly Operation[]): Verdict[] {
  return measurements.flatMap((measurement) => {
    const { aims } = operations.find(({ name }) => name === measurement.operation)!;
    return judge(measurement, aims);
  });
}

/** The medians, and apart from them every round. */
export function summarizeMeasurements(measurements: readonly Measurement[]): OperationFigures {
  return { operations: measurements.map(({ rounds: _, ...figures }) => figures) };
}
export function toRounds(measurements: readonly Measurement[]): Record<string, Measurement["rounds"]> {
  return Object.fromEntries(measurements.map(({ operation, rounds }) => [operation, rounds]));
}

/** What the document shows of them. */
export const describeOperations = ({ operations: measured }: OperationFigures): string =>
  toOperationTable(measured);
