import { Prisma } from "~/generated/sqlite/client";
import type { Database } from "~/platform/database/database.server";
import { isTaken } from "~/platform/database/write-conflict.server";
import type { Count, Decision } from "./buffers";

export const minuteSeconds = 60;
export const hourSeconds = 3_600;

type CountRange = { spanSeconds: number; sinceMs: number; untilMs: number };

export type ActivityStore = ReturnType<typeof createActivityStore>;

export function createActivityStore(database: Database) {
  /**
   * Adds to the rows of the minute and the hour in one statement, so that instances sum up. Always in one order, to
   * avoid deadlocks.
   */
  async function addCounts(counts: readonly Count[]): Promise<void> {
    const rows = sumRows(counts).map(
      ({ spanSeconds, startMs, series, amount }) =>
        Prisma.sql`(${spanSeconds}, ${BigInt(startMs)}, ${series}, ${BigInt(amount)})`,
    );
    if (rows.length === 0) return;
    await database.$executeRaw`
      INSERT INTO "ActivityCount" ("spanSeconds", "startMs", "series", "amount")
      VALUES ${Prisma.join(rows)}
      ON CONFLICT ("spanSeconds", "startMs", "series")
      DO UPDATE SET "amount" = "ActivityCount"."amount" + excluded."amount"`;
  }

  /** The oldest first. */
  async function readCounts({ spanSeconds, sinceMs, untilMs }: CountRange): Promise<Count[]> {
    const rows = await database.activityCount.findMany({
      where: { spanSeconds, startMs: { gte: BigInt(sinceMs), lt: BigInt(untilMs) } },
      orderBy: { startMs: "asc" },
    });
    return rows.map(({ startMs, series, amount }) => {
      return { startMs: Number(startMs), series, amount: Number(amount) };
    });
  }

  /** Keeps existing rows: a batch may be written again if its result was lost. */
  async function insertDecisions(decisions: readonly Decision[]): Promise<void> {
    if (decisions.length === 0) return;
    const rows = decisions.map(toDecisionRow);
    try {
      await database.accessDecision.createMany({ data: rows });
    } catch (error) {
      if (!isTaken(error, "AccessDecision")) throw error;
      const where = { id: { in: rows.map(({ id }) => id) } };
      const known = await database.accessDecision.findMany({ where, select: { id: true } });
      const knownIds = new Set(known.map(({ id }) => id));
      await database.accessDecision.createMany({ data: rows.filter(({ id }) => !knownIds.has(id)) });
    }
  }

  return { addCounts, readCounts, insertDecisions };
}

/** Typed whole, so that the compiler notices a missing column. */
function toDecisionRow(its: Decision): Required<Prisma.AccessDecisionCreateManyInput> {
  return {
    id: its.id,
    atMs: BigInt(its.atMs),
    route: its.route,
    outcome: its.outcome,
    slug: its.slug,
    reason: its.reason,
    proof: its.proof,
    address: its.address,
    vault: its.vault,
    tokenId: its.tokenId,
    keyKind: its.keyKind,
    missing: its.missing,
    site: its.site,
    clientId: its.clientId,
    requestId: its.requestId,
  };
}

/** No statement may name a row twice. */
function sumRows(counts: readonly Count[]): (Count & { spanSeconds: number })[] {
  const rows = new Map<string, Count & { spanSeconds: number }>();
  for (const { startMs, series, amount } of counts) {
    for (const spanSeconds of [minuteSeconds, hourSeconds]) {
      const rowStartMs = startMs - (startMs % (spanSeconds * 1000));
      const key = `${spanSeconds} ${String(rowStartMs).padStart(16, "0")} ${series}`;
      const known = rows.get(key)?.amount ?? 0;
      rows.set(key, { spanSeconds, startMs: rowStartMs, series, amount: known + amount });
    }
  }
  return [...rows].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row);
}
