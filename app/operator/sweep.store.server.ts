import type { Database } from "~/platform/database/database.server";
import { hourSeconds, minuteSeconds } from "./activity.store.server";

export type OperatorRetention = {
  decisionDays: number;
  maxDecisions: number;
  activityDays: number;
  auditDays: number;
};

const dayMs = 86_400_000;
/** Charts of a day are drawn from minutes; an hour on top for the one the day began in. */
const minutesKeptMs = dayMs + 3_600_000;

/** Deletes what has been kept for as long as it was to be, a batch of each kind at a time, as the sweeper asks. */
export function createOperatorSweep({
  database,
  retention: { decisionDays, maxDecisions, activityDays, auditDays },
}: {
  database: Database;
  retention: OperatorRetention;
}) {
  async function deleteBatch({ nowMs, batchSize }: { nowMs: number; batchSize: number }): Promise<number> {
    const before = (ms: number) => ({ lt: BigInt(nowMs - ms) });
    const limit = batchSize;
    const results = [
      await database.operatorSession.deleteMany({ where: { endsAtMs: { lte: BigInt(nowMs) } }, limit }),
      await database.accessDecision.deleteMany({ where: { atMs: before(decisionDays * dayMs) }, limit }),
      await database.auditEntry.deleteMany({ where: { atMs: before(auditDays * dayMs) }, limit }),
      await database.activityCount.deleteMany({
        where: { spanSeconds: minuteSeconds, startMs: before(minutesKeptMs) },
        limit,
      }),
      await database.activityCount.deleteMany({
        where: { spanSeconds: hourSeconds, startMs: before(activityDays * dayMs) },
        limit,
      }),
    ];
    return Math.max(await deleteBeyondMax(limit), ...results.map(({ count }) => count));
  }

  async function deleteBeyondMax(limit: number): Promise<number> {
    const [first] = await database.accessDecision.findMany({
      select: { id: true },
      orderBy: { id: "desc" },
      skip: maxDecisions,
      take: 1,
    });
    if (!first) return 0;
    return (await database.accessDecision.deleteMany({ where: { id: { lte: first.id } }, limit })).count;
  }

  return { deleteBatch };
}
