import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { setup as obtainPrograms } from "~/testing/obtain-programs";
import { replaceBetweenMarks } from "~/commands/bench/replace-between-marks";
import { play } from "./play";
import { countVerdicts, judge, toTable } from "./report";
import type { Outcome } from "./report";
import { scenarios } from "./scenarios";

const usage = `Usage: npm run test:faults [-- options]

  --only SLUG    one of: ${scenarios.map(({ slug }) => slug).join(", ")}
  --scale X      multiplies kills, clients and requests (default 1, the full measure)
  --seed N       repeats a run with the random choices it had
  --write        puts the table into docs/faults.md; not together with --only
`;

const resultsDir = "e2e/.results";
const document = "docs/faults.md";

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    scale: { type: "string", default: "1" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    write: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

// What a fault has mounted or started is undone when the process exits, which a signal alone would not make it do.
process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));

if (options.help) console.log(usage);
else process.exitCode = await runAll();

async function runAll(): Promise<number> {
  const scale = Number(options.scale);
  const seed = Number(options.seed);
  const chosen = scenarios.filter(({ slug }) => options.only === undefined || slug === options.only);
  const isPart = options.only !== undefined;
  if (chosen.length === 0 || !(scale > 0) || !Number.isInteger(seed) || (options.write && isPart)) {
    console.error(usage);
    return 2;
  }
  obtainPrograms();
  console.log(`Seed ${seed}, scale ${scale}.`);
  const outcomes: Outcome[] = [];
  for (const scenario of chosen) {
    console.log(`── ${scenario.slug}: ${scenario.promise}`);
    const say = (line: string) => console.log(`   ${line}`);
    const outcome = await play({ scenario, run: { scale, seed, say } });
    if (outcome.skipped !== null) console.warn(`\nSKIPPED: ${scenario.slug}. ${outcome.skipped}\n`);
    outcomes.push(outcome);
  }
  const table = toTable(outcomes);
  console.log(`\n${table}\n`);
  mkdirSync(resultsDir, { recursive: true });
  const resultFile = path.join(resultsDir, "faults.json");
  writeFileSync(resultFile, `${JSON.stringify({ takenAt: new Date(), seed, scale, outcomes }, null, 2)}\n`);
  if (options.write) writeTable({ table, scale, seed, outcomes });
  console.log(countVerdicts(outcomes));
  return outcomes.some((outcome) => judge(outcome) === "broken") ? 1 : 0;
}

function writeTable({
  table,
  scale,
  seed,
  outcomes,
}: {
  table: string;
  scale: number;
  seed: number;
  outcomes: readonly Outcome[];
}): void {
  const cpus = os.cpus();
  const minutes = outcomes.reduce((sum, { seconds }) => sum + seconds, 0) / 60;
  const text = [
    `Played on ${new Date().toISOString().slice(0, 10)} at scale ${scale} with seed ${seed} in ${minutes.toFixed(0)} minutes, on ${cpus.length} cores of ${cpus[0]?.model.trim() ?? "an unknown kind"}, Node ${process.version}: ${countVerdicts(outcomes)}.`,
    "",
    table,
  ].join("\n");
  writeFileSync(
    document,
    replaceBetweenMarks({ document: readFileSync(document, "utf8"), name: "faults", text }),
  );
}
