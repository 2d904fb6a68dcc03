import { setTimeout as pause } from "node:timers/promises";
import type { BenchOptions, BenchResult } from "../bench-options";
import { withClosers } from "../close-on-signals";
import { operations } from "../costs/operations";
import type { Operation } from "../costs/operation";
import { ownSide } from "../figures";
import { takeTurns } from "../measure";
import { verdictLines } from "../report";
import { measureReplacement, measureWorkers, openWorkerSite } from "./worker-site";
import type { WorkerSite } from "./worker-site";
import { apartSide, judgeWorkers, summarizeWorkers } from "./worker-table";
import type { WorkerFigures, WorkerRound, WorkerVariant } from "./worker-table";

/** Reads alone: what they cost does not depend on how many have been before. */
const slugs = ["bearer", "session", "status"];
const requestsPerRound = 4_000;
/** Times that a worker is killed; each has lived longer than the supervisor waits between two starts of one. */
const replacements = 5;
const lifeMs = 2_000;
/** For each process: with fewer the engine would still be compiling in those that share the requests. */
const warmUpPerWorker = 12_000;

/** The second is one worker with no more open requests than each of four has. */
const variants: readonly Omit<WorkerVariant, "side">[] = [
  { workers: 1, connections: 16, isPinned: false },
  { workers: 1, connections: 4, isPinned: false },
  { workers: 2, connections: 16, isPinned: false },
  { workers: 4, connections: 16, isPinned: false },
  { workers: 1, connections: 16, isPinned: true },
  { workers: 4, connections: 16, isPinned: true },
];

/** What a request costs one, two and four workers on one port, beside Node's own cluster with the same statements. */
export async function benchWorkers({ rounds, scale }: BenchOptions): Promise<BenchResult<WorkerFigures>> {
  return await withClosers(async (closers) => {
    const site = await openWorkerSite([1, 2, 4], closers);
    const measured: WorkerRound[] = [];
    const replacedMs: number[] = [];
    for (const operation of operations.filter(({ slug }) => slugs.includes(slug))) {
      console.error(`${operation.name} at 1, 2 and 4 workers …`);
      measured.push(...(await measureOperation({ site, operation, rounds, scale })));
    }
    for (let killed = 0; killed < replacements; killed += 1) {
      await pause(lifeMs);
      replacedMs.push(await measureReplacement(site));
    }
    const figures = summarizeWorkers(measured, replacedMs);
    return { rounds, verdicts: verdictLines(judgeWorkers(figures)), figures, measured };
  });
}

type MeasureOptions = { site: WorkerSite; operation: Operation; rounds: number; scale: number };

async function measureOperation({ site, operation, rounds, scale }: MeasureOptions): Promise<WorkerRound[]> {
  const scaled = (count: number) => Math.max(16, Math.round(count * scale));
  for (const family of site.families) {
    const variant = { ...variants[0]!, workers: family.workers, side: family.side };
    const requests = scaled(warmUpPerWorker) * family.workers;
    if (isAsked(operation, family.side)) await measureWorkers({ site, operation, variant, requests });
  }
  const runners: Record<string, () => Promise<WorkerRound>> = {};
  for (const side of [ownSide, apartSide, "bare Node"] as const) {
    if (!isAsked(operation, side)) continue;
    const counts = site.families.filter((family) => family.side === side).map(({ workers }) => workers);
    for (const each of variants.filter(({ workers }) => counts.includes(workers))) {
      const variant = { ...each, side };
      runners[JSON.stringify(variant)] = () =>
        measureWorkers({ site, operation, variant, requests: scaled(requestsPerRound) });
    }
  }
  const turns = await takeTurns(runners, rounds);
  return turns.flatMap((turn) => Object.values(turn));
}

const isAsked = ({ sides }: Operation, side: string) => side === apartSide || side in sides;
