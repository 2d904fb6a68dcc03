import path from "node:path";
import { openBenchSite } from "../bench-site";
import type { BenchOptions, BenchResult } from "../bench-options";
import { closeOnSignals } from "../close-on-signals";
import { judge, otherCheckoutSide, ownSide } from "../figures";
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
  beside,
  hasProfile,
  resultsDir,
}: BenchOptions): Promise<BenchResult<OperationFigures>> {
  const chosen = operations
    .filter((operation) => slug === null || operation.slug === slug)
    .map((operation) => (beside === null ? operation : besideOtherCheckout(operation)));
  const nodeOptions = hasProfile ? ["--cpu-prof", `--cpu-prof-dir=${path.resolve(resultsDir)}`] : [];
  const site = await openBenchSite({ nodeOptions, beside });
  const stopListening = closeOnSignals(site.close);
  try {
    return await measureAll({ site, operations: chosen, rounds, scale });
  } finally {
    stopListening();
    await site.close();
  }
}

function besideOtherCheckout({ sides, ...operation }: Operation): Operation {
  return { ...operation, sides: { ...sides, [otherCheckoutSide]: sides[ownSide] } };
}

type MeasureAllOptions = Pick<BenchOptions, "rounds" | "scale"> & {
  site: Parameters<typeof measureOperation>[0]["site"];
  operations: readonly Operation[];
};

/** One operation after the other, each on all its sides. */
export async function measureAll({
  site,
  operations: measured,
  rounds,
  scale,
}: MeasureAllOptions): Promise<BenchResult<OperationFigures>> {
  const measurements: Measurement[] = [];
  for (const operation of measured) {
    console.error(`${operation.name} …`);
    measurements.push(await measureOperation({ site, operation, rounds, scale }));
  }
  return {
    rounds,
    verdicts: verdictLines(judgeAll(measurements, measured)),
    figures: summarizeMeasurements(measurements),
    measured: toRounds(measurements),
  };
}

function judgeAll(measurements: readonly Measurement[], operations: readonly Operation[]): Verdict[] {
  return measurements.flatMap((measurement) => {
    const { aims } = operations.find(({ name }) => name === measurement.operation)!;
    return judge(measurement, aims);
  });
}

/** The medians, and apart from them every round. */
function summarizeMeasurements(measurements: readonly Measurement[]): OperationFigures {
  return { operations: measurements.map(({ rounds: _, ...figures }) => figures) };
}
function toRounds(measurements: readonly Measurement[]): Record<string, Measurement["rounds"]> {
  return Object.fromEntries(measurements.map(({ operation, rounds }) => [operation, rounds]));
}

/** What the document shows of them. */
export const describeOperations = ({ operations: measured }: OperationFigures): string =>
  toOperationTable(measured);
