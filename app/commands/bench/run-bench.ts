import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { openBenchPlace } from "./bench-place";
import type { BenchPlace } from "./bench-place";
import { judge } from "./figures";
import type { Measurement, Verdict } from "./figures";
import { measure, timeStarts } from "./measure";
import type { StartTimes } from "./measure";
import { operations } from "./operations";
import { benchPages } from "./page-costs";
import { benchParts } from "./part-costs";
import { benchSearch } from "./search-costs";
import { benchStreams } from "./stream-costs";
import { describeMachine, replaceMeasured, toText } from "./report";
import type { Report } from "./report";
import { benchTools } from "./tool-costs";

const usage = `Usage: npm run bench [-- options]

  --write        put the measured tables into docs/performance.md and the decisions about parts, streams and tools
  --rounds N     rounds for each operation (default 5)
  --scale X      multiplies the requests of a round (default 1)
  --only SLUG    one operation: ${operations.map(({ slug }) => slug).join(", ")}, parts, streams, search, tools, pages
  --profile      write a CPU profile of the server to e2e/.results
`;

const resultsDir = "e2e/.results";
const documentFile = "docs/performance.md";
const starts = 5;
const maxStartMs = 2000;

const { values: options } = parseArgs({
  options: {
    write: { type: "boolean", default: false },
    rounds: { type: "string", default: "5" },
    scale: { type: "string", default: "1" },
    only: { type: "string" },
    profile: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (options.help) console.log(usage);
else {
  mkdirSync(resultsDir, { recursive: true });
  if (!["parts", "search", "streams", "tools", "pages"].includes(options.only ?? "")) await runBench();
  if ([undefined, "parts"].includes(options.only)) await benchParts({ resultsDir, write: options.write });
  if ([undefined, "streams"].includes(options.only)) await benchStreams({ resultsDir, write: options.write });
  if ([undefined, "search"].includes(options.only)) await benchSearch({ resultsDir, write: options.write });
  if ([undefined, "tools"].includes(options.only))
    await benchTools({ resultsDir, write: options.write, ...readSize() });
  if ([undefined, "pages"].includes(options.only))
    await benchPages({ resultsDir, write: options.write, rounds: readSize().rounds });
}

async function runBench(): Promise<void> {
  const { rounds, scale } = readSize();
  const chosen = operations.filter(({ slug }) => options.only === undefined || slug === options.only);
  if (chosen.length === 0) throw new Error(usage);
  const loadBefore = os.loadavg();
  const nodeOptions = options.profile ? ["--cpu-prof", `--cpu-prof-dir=${path.resolve(resultsDir)}`] : [];
  const place = await openBenchPlace({ nodeOptions });
  stopOnSignal(place);
  try {
    const startTimes = await timeStarts({ place, starts });
    const measurements: Measurement[] = [];
    for (const operation of chosen) {
      console.error(`${operation.name} …`);
      measurements.push(await measure({ place, operation, rounds, scale }));
    }
    const command = ["npm run bench", ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : [])];
    finish({
      takenAt: new Date().toISOString(),
      command: command.join(" "),
      rounds,
      machine: describeMachine(loadBefore),
      starts: startTimes,
      measurements,
      verdicts: [...judgeAll(measurements), judgeStart(startTimes)],
    });
  } finally {
    await place.close();
  }
}

function readSize(): { rounds: number; scale: number } {
  const rounds = Math.max(1, Number.parseInt(options.rounds, 10));
  const scale = Number(options.scale);
  if (!(scale > 0) || Number.isNaN(rounds)) throw new Error(usage);
  return { rounds, scale };
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

function finish(report: Report): void {
  console.log(toText(report));
  const resultFile = path.join(resultsDir, "bench.json");
  writeFileSync(resultFile, `${JSON.stringify(report, null, 2)}\n`);
  console.log(`Every round is in ${resultFile}.`);
  if (!options.write) return;
  const document = readFileSync(documentFile, "utf8");
  writeFileSync(documentFile, replaceMeasured({ document, report }));
  console.log(`${documentFile} holds the table now.`);
}

/** The server and the chain are no children of the terminal's: they are stopped in good order here. */
function stopOnSignal(place: BenchPlace): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void place.close().finally(() => process.exit(1)));
  }
}
