import type { Database } from "~/platform/database/database.server";
import { momentDigits, toMoment } from "./hit-log";

export type Hit = { key: string; points: number; windowMs: number; nowMs: number };

type LogTake = { isAdmitted: boolean; hits: string };

/** The parts of a model that `RateLimiterPrisma` calls. */
export type WindowModel = {
  deleteMany: (request: { where: { key: string; expire: { lte: Date } } }) => Promise<{ count: number }>;
  upsert: (request: {
    where: { key: string };
    create: { key: string; points: number; expire: Date };
    update: { points: { increment: number } };
  }) => Promise<{ points: number; expire: Date }>;
};

/** The parts of a client that `RateLimiterRedis` calls. */
export type WindowClient = {
  defineCommand: (name: string, script: { lua: string }) => void;
  rlflxIncr: (values: string[]) => Promise<unknown>;
};

export type RateLimitStore = {
  /** At most `points` in any `windowMs`. */
  takeFromLog: (hit: Hit) => Promise<LogTake>;
} & ({ openWindows: (windowMs: number) => WindowModel } | { windowClient: WindowClient });

export function createRateLimitStore(database: Database) {
  /** The library's model of a window, in our columns. */
  function openWindows(windowMs: number): WindowModel {
    return {
      /** Deletes windows from the future too: they were opened before the clock was set back. */
      async deleteMany({ where: { key, expire } }) {
        const now = BigInt(expire.lte.getTime());
        const isOver = {
          OR: [{ expiresAtMs: { lte: now } }, { expiresAtMs: { gt: now + 2n * BigInt(windowMs) } }],
        };
        return await database.rateLimitWindow.deleteMany({ where: { key, ...isOver } });
      },
      /** One statement, so that no hit is lost. */
      async upsert({ where, create: { key, points, expire }, update }) {
        const expiresAtMs = BigInt(expire.getTime());
        const startedAtMs = expiresAtMs - BigInt(windowMs);
        const create = { key, points, startedAtMs, expiresAtMs };
        const row = await database.rateLimitWindow.upsert({ where, create, update });
        return { points: row.points, expire: new Date(Number(row.expiresAtMs)) };
      },
    };
  }

  async function takeFromLog(hit: Hit): Promise<LogTake> {
    const rows = await upsertLog(database, hit);
    const row = rows[0] ?? (await database.rateLimitLog.findUnique({ where: { key: hit.key } }));
    return { isAdmitted: rows.length === 1, hits: row?.hits ?? "" };
  }

  return { openWindows, takeFromLog };
}

/**
 * One conditional statement decides and counts, so that all processes together admit what the limit allows. It admits a
 * hit if the log has fewer than `points`, or the `points`-th last has left the window. A refusal writes nothing.
 */
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
