import type { Database } from "~/platform/database/database.server";
import { momentDigits, toMoment } from "./hit-log";

/** One hit on one limit of one client. */
export type Hit = { key: string; points: number; windowMs: number; nowMs: number };

export type WindowTake = { isAdmitted: boolean; startedAtMs: number; points: number };
export type LogTake = { isAdmitted: boolean; hits: string };

export type CountingStore = ReturnType<typeof createRateLimitStore>;

/** What the library's Redis limiter needs of a client. */
export type WindowClient = {
  defineCommand: (name: string, script: { lua: string }) => void;
  /** The key, and the script's parameters. */
  rlflxIncr: (values: string[]) => Promise<unknown>;
};

export type RateLimitStore =
  CountingStore | (Pick<CountingStore, "takeFromLog"> & { windowClient: WindowClient });

/** One statement decides and counts, so that all processes together admit what the limit allows. A refusal writes nothing. */
export function createRateLimitStore(database: Database) {
  /** `points` in each window; a window begins with its first hit. */
  async function takeFromWindow(hit: Hit): Promise<WindowTake> {
    const rows = await upsertWindow(database, hit);
    const row = rows[0] ?? (await database.rateLimitWindow.findUnique({ where: { key: hit.key } }));
    // No row either way: it was swept in this very moment, because its window has expired.
    const startedAtMs = row === null ? hit.nowMs - hit.windowMs : Number(row.startedAtMs);
    return { isAdmitted: rows.length === 1, startedAtMs, points: Number(row?.points ?? hit.points) };
  }

  /** At most `points` in any `windowMs`, wherever it begins. */
  async function takeFromLog(hit: Hit): Promise<LogTake> {
    const rows = await upsertLog(database, hit);
    const row = rows[0] ?? (await database.rateLimitLog.findUnique({ where: { key: hit.key } }));
    return { isAdmitted: rows.length === 1, hits: row?.hits ?? "" };
  }

  return { takeFromWindow, takeFromLog };
}

function upsertWindow(database: Database, hit: Hit) {
  const now = BigInt(hit.nowMs);
  const expired = now - BigInt(hit.windowMs);
  // A window from the future was written before the clock was set back, and would otherwise stay for too long.
  const future = now + BigInt(hit.windowMs);
  return database.$queryRaw<{ startedAtMs: bigint; points: number }[]>`
    INSERT INTO "RateLimitWindow" AS w ("key", "startedAtMs", "points", "expiresAtMs")
    VALUES (${hit.key}, ${now}, 1, ${future})
    ON CONFLICT ("key") DO UPDATE SET
      "points" = CASE WHEN w."startedAtMs" > ${expired} AND w."startedAtMs" <= ${future}
        THEN w."points" + 1 ELSE 1 END,
      "startedAtMs" = CASE WHEN w."startedAtMs" > ${expired} AND w."startedAtMs" <= ${future}
        THEN w."startedAtMs" ELSE excluded."startedAtMs" END,
      "expiresAtMs" = CASE WHEN w."startedAtMs" > ${expired} AND w."startedAtMs" <= ${future}
        THEN w."expiresAtMs" ELSE excluded."expiresAtMs" END
    WHERE w."points" < ${hit.points} OR w."startedAtMs" <= ${expired} OR w."startedAtMs" > ${future}
    RETURNING "startedAtMs", "points"`;
}

/** A hit is admitted when there are fewer than `points` in the log, or the `points`-th last has left the window. */
function upsertLog(database: Database, hit: Hit) {
  const now = toMoment(hit.nowMs);
  const expired = toMoment(hit.nowMs - hit.windowMs);
  const future = toMoment(hit.nowMs + hit.windowMs);
  const fullLength = hit.points * momentDigits;
  return database.$queryRaw<{ hits: string }[]>`
    INSERT INTO "RateLimitLog" AS log ("key", "hits", "expiresAtMs")
    VALUES (${hit.key}, ${now}, ${BigInt(hit.nowMs + hit.windowMs)})
    ON CONFLICT ("key") DO UPDATE SET
      "hits" = CASE
        WHEN substr(log."hits", length(log."hits") - ${momentDigits - 1}) > ${future} THEN excluded."hits"
        WHEN length(log."hits") < ${fullLength} THEN log."hits" || excluded."hits"
        ELSE substr(log."hits", length(log."hits") - ${fullLength - momentDigits - 1}) || excluded."hits" END,
      "expiresAtMs" = excluded."expiresAtMs"
    WHERE length(log."hits") < ${fullLength}
      OR substr(log."hits", length(log."hits") - ${fullLength - 1}, ${momentDigits}) <= ${expired}
      OR substr(log."hits", length(log."hits") - ${momentDigits - 1}) > ${future}
    RETURNING "hits"`;
}
