import { Prisma } from "~/generated/sqlite/client";
import type { Database } from "~/platform/database/database.server";
import { deleteSome } from "~/platform/database/delete-some.server";
import type { Deletion } from "~/platform/database/delete-some.server";
import { hourSeconds, minuteSeconds } from "./activity/activity.store.server";

/** The decisions' days are a setting. */
export const operatorRetention = { maxDecisions: 100_000, activityDays: 90, auditDays: 365 };
type Retention = typeof operatorRetention & { decisionDays: number };

const dayMs = 86_400_000;
/** Charts of a day are drawn from minutes. One more hour for the one the day began in. */
const minutesKeptMs = dayMs + 3_600_000;

/** Deletes expired records, a batch of each kind at a time. */
export function createOperatorSweep({ database, retention }: { database: Database; retention: Retention }) {
  const { decisionDays, maxDecisions, activityDays, auditDays } = retention;

  async function deleteBatch(request: { nowMs: number; batchSize: number }): Promise<number> {
    const { nowMs, batchSize: limit } = request;
    const before = (ms: number) => BigInt(nowMs - ms);
    const counts = (spanSeconds: number, keptMs: number): Deletion => ({
      table: Prisma.sql`"ActivityCount"`,
      key: Prisma.sql`"spanSeconds", "startMs", "series"`,
      condition: Prisma.sql`"spanSeconds" = ${spanSeconds} AND "startMs" < ${before(keptMs)}`,
      limit,
    });
    const ended = Prisma.sql`"endsAtMs" <= ${before(0)}`;
    const audited = Prisma.sql`"atMs" < ${before(auditDays * dayMs)}`;
    const decided = Prisma.sql`"atMs" < ${before(decisionDays * dayMs)}`;
    const deletions: Deletion[] = [
      ...(await findBeyondMax(limit)),
      { table: Prisma.sql`"OperatorSession"`, key: Prisma.sql`"digest"`, condition: ended, limit },
      { table: Prisma.sql`"AccessDecision"`, key: Prisma.sql`"id"`, condition: decided, limit },
      { table: Prisma.sql`"AuditEntry"`, key: Prisma.sql`"id"`, condition: audited, limit },
      counts(minuteSeconds, minutesKeptMs),
      counts(hourSeconds, activityDays * dayMs),
    ];
    let most = 0;
    for (const deletion of deletions) most = Math.max(most, await deleteSome(database, deletion));
    return most;
  }

  async function findBeyondMax(limit: number): Promise<Deletion[]> {
    const [first] = await database.accessDecision.findMany({
      select: { id: true },
      orderBy: { id: "desc" },
      skip: maxDecisions,
      take: 1,
    });
    if (!first) return [];
    return [
      {
        table: Prisma.sql`"AccessDecision"`,
        key: Prisma.sql`"id"`,
        condition: Prisma.sql`"id" <= ${first.id}`,
        limit,
      },
    ];
  }

  return { deleteBatch };
}
