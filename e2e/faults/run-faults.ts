import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { isHeld, toTable } from "./report";
import type { Outcome } from "./report";
import type { Scenario } from "./scenario";
import { scenarios } from "./scenarios";

const usage = `Usage: npm run test:faults [-- options]

  --only SLUG    one of: ${scenarios.map(({ slug }) => slug).join(", ")}
  --scale X      multiplies kills, clients and requests (default 1, the full measure)
  --seed N       repeats a run with the random choices it had
`;

const resultsDir = "e2e/.results";

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
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
  const chosen = scenarios.filter(({ slug }) => options.only === undefined || slug === options.only);
  if (chosen.length === 0 || !(scale > 0) || !Number.isInteger(seed)) {
    console.error(usage);
    return 2;
  }
  console.log(`Seed ${seed}, scale ${scale}.`);
  const outcomes: Outcome[] = [];
  for (const scenario of chosen) outcomes.push(await play({ scenario, scale, seed }));
  console.log(`\n${toTable(outcomes)}\n`);
  mkdirSync(resultsDir, { recursive: true });
  const resultFile = path.join(resultsDir, "faults.json");
  writeFileSync(resultFile, `${JSON.stringify({ takenAt: new Date(), seed, scale, outcomes }, null, 2)}\n`);
  const held = outcomes.filter(isHeld).length;
  console.log(`${held} passed, ${outcomes.length - held} failed`);
  return held === outcomes.length ? 0 : 1;
}

async function play({
  scenario,
  scale,
  seed,
}: {
  scenario: Scenario;
  scale: number;
  seed: number;
}): Promise<Outcome> {
  const { slug, promise } = scenario;
  console.log(`── ${slug}: ${promise}`);
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 100) / 10;
  try {
    const figures = await scenario.run({ scale, seed, say: (line) => console.log(`   ${line}`) });
    return { slug, promise, seconds: seconds(), figures, error: null };
  } catch (error) {
    console.error(error);
    return { slug, promise, seconds: seconds(), figures: [], error: String(error) };
  }
}
