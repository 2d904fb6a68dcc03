import { readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import { parseArgs } from "node:util";
import { openBenchSite } from "./bench-site";
import type { ServerName } from "./bench-site";
import { withClosers } from "./close-on-signals";
import { measureOperation } from "./measure";
import { operations } from "./operations";
import type { Operation } from "./operations";
import { replaceBetweenMarks } from "./replace-between-marks";
import { describeMachine, findCommit, findMissed, nameMachine, toBudgetTable } from "./report";
import type { Row } from "./report";
import { measureStarts, startSlug } from "./start-costs";
import { measureStreams, streamSlug } from "./stream-costs";

const slugs = [...operations.map(({ slug }) => slug), streamSlug, startSlug];
const usage = `Usage: npm run bench [-- options]

  --only NAME    one of: ${slugs.join(", ")}
  --rounds N     rounds of each operation (default 3)
  --strict       fail if a budget is missed
  --write        put the table into docs/performance.md
`;
const documentFile = "docs/performance.md";

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    rounds: { type: "string", default: "3" },
    strict: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (options.help) console.log(usage);
else await run();

async function run(): Promise<void> {
  const { only, strict, write } = options;
  const rounds = Number.parseInt(options.rounds, 10);
  if (!(rounds >= 1) || (only !== undefined && !slugs.includes(only))) throw new Error(usage);
  if (write && only !== undefined) throw new Error("--write needs every row. Leave out --only.");
  const isChosen = (slug: string) => only === undefined || slug === only;
  const loadBefore = os.loadavg();
  const rows: Row[] = [];
  const chosen = operations.filter(({ slug }) => isChosen(slug));
  if (chosen.length > 0) rows.push(...(await measureOperations(chosen, rounds)));
  if (isChosen(streamSlug)) rows.push(...(await measureStreams(rounds)));
  if (isChosen(startSlug)) rows.push(...(await measureStarts(rounds)));
  const table = `${describeRun(loadBefore, rounds)}\n\n${toBudgetTable(rows)}`;
  console.log(`\n${table}`);
  if (write) {
    const document = readFileSync(documentFile, "utf8");
    writeFileSync(documentFile, replaceBetweenMarks(document, "budgets", table));
  }
  const missed = rows.filter(findMissed).map(({ name }) => name);
  if (strict && missed.length > 0) throw new Error(`Over budget: ${missed.join(", ")}`);
}

async function measureOperations(chosen: readonly Operation[], rounds: number): Promise<Row[]> {
  return await withClosers(async (closers) => {
    const names = chosen.flatMap(({ server, peers }): ServerName[] => [
      server,
      ...peers.map((peer) => peer.server),
    ]);
    const site = await openBenchSite(closers, new Set(names));
    const rows: Row[] = [];
    for (const operation of chosen) {
      rows.push(await measureOperation(site, operation, rounds));
      console.error(toBudgetTable(rows.slice(-1)).split("\n").at(-1));
    }
    return rows;
  });
}

function describeRun(loadBefore: number[], rounds: number): string {
  const machine = describeMachine(loadBefore);
  const [before, after] = [machine.loadBefore, machine.loadAfter].map((load) => load[0]!.toFixed(1));
  const day = new Date().toISOString().slice(0, 10);
  return `Measured on ${day} at ${findCommit() ?? "an unknown commit"} on ${nameMachine(machine)}, Node ${machine.node}. Medians of ${rounds} rounds. Load average ${before} before, ${after} after.`;
}
