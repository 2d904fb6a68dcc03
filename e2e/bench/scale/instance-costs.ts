import type { BenchOptions, BenchResult } from "../bench-options";
import { withClosers } from "../close-on-signals";
import { takeTurns } from "../measure";
import { repeating } from "../costs/operation";
import { prepareForms, prepareSignIns } from "../sign-in";
import { connections, measureInstances, openInstanceSite } from "./instance-site";
import type { InstanceWork } from "./instance-site";
import { summarizeInstances } from "./instance-table";
import type { InstanceFigures, InstanceRound } from "./instance-table";

type Work = InstanceWork & { requests: number; warmUpRequests: number };

const instanceCounts = [1, 2, 3, 4];
const maxSeconds = { round: 20, warmUp: 60 };
const mostRounds = 3;

const works: readonly Work[] = [
  {
    operation: "GET /api/nonce",
    requests: 2000,
    warmUpRequests: 6000,
    prepare: repeating({ method: "GET", path: "/api/nonce", expected: { holds: '"nonce":"' } }),
  },
  {
    operation: "POST /api/gate-access, SIWE",
    requests: 600,
    warmUpRequests: 2000,
    prepare: prepareSignIns,
  },
  {
    operation: "POST /api/form-submission-gate",
    requests: 400,
    warmUpRequests: 1200,
    prepare: prepareForms,
  },
];

/** One to four instances on one PostgreSQL behind a plain proxy, all running, so many of them asked. */
export async function benchInstances({
  rounds,
  scale,
}: BenchOptions): Promise<BenchResult<InstanceFigures[]>> {
  return await withClosers(async (closers) => {
    const site = await openInstanceSite(Math.max(...instanceCounts), closers);
    const roundCount = Math.min(rounds, mostRounds);
    const measured: InstanceRound[] = [];
    for (const work of works) {
      console.error(`${work.operation} on ${instanceCounts.join(", ")} instances …`);
      const counts = { requests: scaled(work.requests, scale), warmUp: scaled(work.warmUpRequests, scale) };
      const warmUp = {
        instances: site.servers.length,
        requests: counts.warmUp,
        maxSeconds: maxSeconds.warmUp,
      };
      await measureInstances({ site, work, ...warmUp });
      const runners = Object.fromEntries(
        instanceCounts.map((instances) => [
          `with ${instances}`,
          () =>
            measureInstances({
              site,
              work,
              instances,
              requests: counts.requests,
              maxSeconds: maxSeconds.round,
            }),
        ]),
      );
      const turns = await takeTurns(runners, roundCount);
      measured.push(...turns.flatMap((turn) => Object.values(turn)));
    }
    const figures = summarizeInstances(measured);
    return { rounds: roundCount, verdicts: [], figures, measured };
  });
}

function scaled(count: number, scale: number): number {
  return Math.max(connections, Math.round(count * scale));
}
