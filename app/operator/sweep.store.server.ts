import { sqltag as sql } from "@prisma/client/runtime/client";
import type { Database } from "~/platform/database/database.server";
import { deleteSome } from "~/platform/database/delete-some.server";
import type { Deletion } from "~/platform/database/delete-some.server";
import { hourSeconds, minuteSeconds } from "./activity/activity.store.server";

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
    const limit = batchSize;
    const before = (ms: number) => BigInt(nowMs - ms);
    const counts = (spanSeconds: number, keptMs: number): Deletion => ({
      table: "ActivityCount",
      key: ["spanSeconds", "startMs", "series"],
      condition: sql`"spanSeconds" = ${spanSeconds} AND "startMs" < ${before(keptMs)}`,
      limit,
    });
    const ended = sql`"endsAtMs" <= ${BigInt(nowMs)}`;
    const audited = sql`"atMs" < ${before(auditDays * dayMs)}`;
    const decided = sql`"atMs" < ${before(decisionDays * dayMs)}`;
    const deletions: Deletion[] = [
      { table: "OperatorSession", key: ["digest"], condition: ended, limit },
      { table: "AccessDecision", key: ["id"], condition: decided, limit },
      { table: "AuditEntry", key: ["id"], condition: audited, limit },
      counts(minuteSeconds, minutesKeptMs),
      counts(hourSeconds, activityDays * dayMs),
    ];
    let most = await deleteBeyondMax(limit);
    for (const deletion of deletions) most = Math.max(most, await deleteSome(database, deletion));
    return most;
  }

  async function deleteBeyondMax(limit: number): Promise<number> {
    const [first] = await database.accessDecision.findMany({
      select: { id: true },
      orderBy: { id: "desc" },
      skip: maxDecisions,
      take: 1,
    });
    if (!first) return 0;
    const condition = sql`"id" <= ${first.id}`;
    return await deleteSome(database, { table: "AccessDecision", key: ["id"], condition, limit });
  }

  return { deleteBatch };
}
