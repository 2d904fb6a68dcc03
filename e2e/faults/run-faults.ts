import { mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { setup as obtainPrograms } from "~e2e/support/obtain-programs";
import { describeMachine, findCommit } from "~e2e/bench/report";
import { createOutcomeKeeper } from "./keep-outcomes";
import { play } from "./play";
import { countVerdicts, judge, toTable } from "./report";
import type { Outcome } from "./report";
import { scenarios } from "./scenarios";

const usage = `Usage: npm run test:faults [-- options]

  --only SLUG    may be given again; one of: ${scenarios.map(({ slug }) => slug).join(", ")}
  --scale X      multiplies kills, clients and requests (default 1, the full measure)
  --seed N       repeats a run with the random choices it had
  --write        writes the tables of docs/faults/tables.md and the JSON beside them, each fault as soon as it has ended
`;

const resultsDir = "e2e/.results";

const { values: options } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    scale: { type: "string", default: "1" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    write: { type: "boolean", default: false },
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
  const commit = findCommit();
  const slugs = scenarios.map(({ slug }) => slug);
  const keeper = createOutcomeKeeper("docs/faults/tables.md", slugs);
  obtainPrograms();
  console.log(`Seed ${seed}, scale ${scale}.`);
  const outcomes: Outcome[] = [];
  for (const scenario of chosen) {
    console.log(`── ${scenario.slug}: ${scenario.promise}`);
    const say = (line: string) => console.log(`   ${line}`);
    const loadBefore = os.loadavg();
    const outcome = await play(scenario, { scale, seed, say });
    if (outcome.skipped !== null) console.warn(`\nSKIPPED: ${scenario.slug}. ${outcome.skipped}\n`);
    outcomes.push(outcome);
    const takenAt = new Date().toISOString();
    // One after the other: whatever ends the next one takes nothing from those before.
    writeOutcomes({ takenAt, commit, seed, scale, outcomes });
    // What could not be played here was played elsewhere, perhaps: that stays.
    if (options.write && outcome.skipped === null)
      keeper.keep({ ...outcome, takenAt, commit, seed, scale, machine: describeMachine(loadBefore) });
  }
  console.log(`\n${toTable(outcomes)}\n`);
  console.log(countVerdicts(outcomes));
  return outcomes.some((outcome) => judge(outcome) === "broken") ? 1 : 0;
}

function writeOutcomes(all: Record<string, unknown> & { outcomes: readonly Outcome[] }): void {
  mkdirSync(resultsDir, { recursive: true });
  writeFileSync(path.join(resultsDir, "faults.json"), `${JSON.stringify(all, null, 2)}\n`);
}
