import { parseArgs } from "node:util";
import { setup as obtainPrograms } from "~e2e/support/obtain-programs";
import { play } from "./play";
import { countVerdicts, judge, toTable } from "./report";
import type { Outcome } from "./report";
import { scenarios } from "./scenarios";

const usage = `Usage: npm run test:faults [-- options]

  --only SLUG    may be given again; one of: ${scenarios.map(({ slug }) => slug).join(", ")}
  --scale X      multiplies kills, clients and requests (default 1, the full measure)
  --seed N       repeats a run with the random choices it had
`;

const { values: options } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    scale: { type: "string", default: "1" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    help: { type: "boolean", default: false },
  },
});

if (options.help) console.log(usage);
else process.exitCode = await runAll();

async function runAll(): Promise<number> {
  const scale = Number(options.scale);
  const seed = Number(options.seed);
  const chosen = scenarios.filter(({ slug }) => options.only === undefined || options.only.includes(slug));
  const isKnown = chosen.length === (options.only ? new Set(options.only).size : scenarios.length);
  if (!isKnown || !(scale > 0) || !Number.isInteger(seed)) {
    console.error(usage);
    return 2;
  }
  obtainPrograms();
  console.log(`Seed ${seed}, scale ${scale}.`);
  const outcomes: Outcome[] = [];
  for (const scenario of chosen) {
    console.log(`── ${scenario.slug}: ${scenario.promise}`);
    const say = (line: string) => console.log(`   ${line}`);
    const outcome = await play(scenario, { scale, seed, say });
    if (outcome.skipped !== null) console.warn(`\nSKIPPED: ${scenario.slug}. ${outcome.skipped}\n`);
    outcomes.push(outcome);
  }
  console.log(`\n${toTable(outcomes)}\n`);
  console.log(countVerdicts(outcomes));
  return outcomes.some((outcome) => judge(outcome) === "broken") ? 1 : 0;
}
