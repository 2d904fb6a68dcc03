import { mkdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { chooseBenchmarks, listChoices } from "./benchmarks";

const usage = `Usage: npm run bench [-- options]

  --write        put the measured tables into docs/performance.md and the decisions about parts, streams and tools
  --rounds N     rounds for each operation (default 5)
  --scale X      multiplies the requests of a round (default 1)
  --only NAME    ${listChoices()}
  --strict       end with a failure where a page is over its budget, or /chat draws fewer frames than its aim
  --profile      write a CPU profile of the server to e2e/.results
`;

const resultsDir = "e2e/.results";

const { values: options } = parseArgs({
  options: {
    write: { type: "boolean", default: false },
    rounds: { type: "string", default: "5" },
    scale: { type: "string", default: "1" },
    only: { type: "string" },
    strict: { type: "boolean", default: false },
    profile: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (options.help) console.log(usage);
else await run();

async function run(): Promise<void> {
  const rounds = Math.max(1, Number.parseInt(options.rounds, 10));
  const scale = Number(options.scale);
  const choice = chooseBenchmarks(options.only);
  if (!(scale > 0) || Number.isNaN(rounds) || choice === null) throw new Error(usage);
  if (options.write && choice.operation !== null)
    throw new Error("One operation alone would take the place of all in the document. Leave out --write.");
  const given = process.argv.slice(2);
  const command = ["npm run bench", ...(given.length > 0 ? ["--", ...given] : [])].join(" ");
  mkdirSync(resultsDir, { recursive: true });
  const { write, profile: hasProfile } = options;
  const missed: string[] = [];
  for (const benchmark of choice.chosen) {
    const { operation } = choice;
    const done = await benchmark.run({ resultsDir, write, rounds, scale, operation, hasProfile, command });
    missed.push(...(done?.missed ?? []));
  }
  // Thrown: a package that the benchmarks load ends the process with 0 whatever its exit code was set to.
  if (options.strict && missed.length > 0) throw new Error(`Not kept:\n${missed.join("\n")}`);
}
