import type { Sql } from "@prisma/client/runtime/client";
import { join, sqltag } from "@prisma/client/runtime/client";
import type { Database } from "~/platform/database/database.server";

export const minuteSeconds = 60;
export const hourSeconds = 3_600;

/** `startMs` is the beginning of the minute in which it happened. */
export type Count = { startMs: number; series: string; amount: number };

export type ActivityStore = ReturnType<typeof createActivityStore>;

export function createActivityStore(database: Database) {
  /**
   * Adds to the minute's and the hour's row in one statement, so that all instances count together and none is lost. Rows
   * are taken in one order, for two statements that need each other's rows would undo one another.
   */
  async function addCounts(counts: readonly Count[]): Promise<void> {
    const rows = sumRows(counts).map(
      ({ spanSeconds, startMs, series, amount }) =>
        sqltag`(${spanSeconds}, ${BigInt(startMs)}, ${series}, ${BigInt(amount)})`,
    );
    if (rows.length > 0) await upsert(database, rows);
  }

  /** Sums by row, the oldest first. */
  async function readCounts({
    spanSeconds,
    sinceMs,
    untilMs,
  }: {
    spanSeconds: number;
    sinceMs: number;
    untilMs: number;
  }): Promise<Count[]> {
    const rows = await database.activityCount.findMany({
      where: { spanSeconds, startMs: { gte: BigInt(sinceMs), lt: BigInt(untilMs) } },
      orderBy: { startMs: "asc" },
    });
    return rows.map(({ startMs, series, amount }) => ({
      startMs: Number(startMs),
      series,
      amount: Number(amount),
    }));
  }

  return { addCounts, readCounts };
}

async function upsert(database: Database, rows: Sql[]): Promise<void> {
  await database.$executeRaw`
    INSERT INTO "ActivityCount" ("spanSeconds", "startMs", "series", "amount")
    VALUES ${join(rows)}
    ON CONFLICT ("spanSeconds", "startMs", "series")
    DO UPDATE SET "amount" = "ActivityCount"."amount" + excluded."amount"`;
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
