import { mkdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { benchmarks, chooseBenchmarks, listChoices } from "./benchmarks";
import { runBenchmarks } from "./run-benchmarks";

const usage = `Usage: npm run bench [-- options]

  --write        write the tables of docs/performance/tables.md and the JSON beside them, each kind as soon as
                 it has ended
  --rounds N     rounds for each operation (default 3)
  --scale X      multiplies the requests of a round (default 1)
  --only NAME    ${listChoices()}
  --strict       end with a failure where an aim is missed
  --beside DIR   operations only: measure the built server of another checkout as well
  --profile      write a CPU profile of the server to e2e/.results
`;

const resultsDir = "e2e/.results";
const documentFile = "docs/performance/tables.md";

const { values: given } = parseArgs({
  options: {
    write: { type: "boolean", default: false },
    rounds: { type: "string", default: "3" },
    scale: { type: "string", default: "1" },
    only: { type: "string" },
    beside: { type: "string" },
    strict: { type: "boolean", default: false },
    profile: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (given.help) console.log(usage);
else await run();

async function run(): Promise<void> {
  const rounds = Math.max(1, Number.parseInt(given.rounds, 10));
  const scale = Number(given.scale);
  const choice = chooseBenchmarks(given.only);
  if (!(scale > 0) || Number.isNaN(rounds) || choice === null) throw new Error(usage);
  const { chosen, operation } = choice;
  if (given.write && operation !== null)
    throw new Error("One operation alone would take the place of all in the document. Leave out --write.");
  if (given.write && given.beside !== undefined)
    throw new Error("The document does not compare checkouts. Leave out --write or --beside.");
  const typed = process.argv.slice(2);
  mkdirSync(resultsDir, { recursive: true });
  await runBenchmarks({
    chosen,
    isWhole: chosen.length === benchmarks.length,
    options: {
      resultsDir,
      rounds,
      scale,
      operation,
      beside: given.beside ?? null,
      hasProfile: given.profile,
    },
    command: ["npm run bench", ...(typed.length > 0 ? ["--", ...typed] : [])].join(" "),
    documentFile: given.write ? documentFile : null,
    isStrict: given.strict,
    say: console.log,
  });
}
