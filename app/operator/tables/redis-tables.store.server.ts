import type { Clock } from "~/platform/clock";
import { limitKeepMs, limitKeys } from "~/platform/limits/redis-rate-limits.store.server";
import { defineScript } from "~/platform/redis/redis-script.server";
import type { Redis } from "~/platform/redis/redis.server";
import { createListedTable } from "./listed-table.server";
import type { TableSource } from "./table-source.store.server";
import type { TableRow, TableSettings } from "./table-spec";

/** So many are looked at; a flood of clients must not fill the memory of whoever looks. */
const mostRows = 10_000;

type CreateRedisTablesOptions = {
  redis: Redis;
  listOpenWindows: (request: { count: number }) => Promise<TableRow[]>;
  findLimit: FindLimit;
  clock: Clock;
};

/** The tables of what lives in Redis where state does. */
export function createRedisTables({ redis, listOpenWindows, findLimit, clock }: CreateRedisTablesOptions): {
  quotas: TableSource;
  limits: TableSource;
} {
  return {
    quotas: createListedTable(() => listOpenWindows({ count: mostRows })),
    limits: createListedTable(() => readLimits({ redis, findLimit, nowMs: clock() })),
  };
}

type FindLimit = TableSettings["findLimit"];
type Reading = { redis: Redis; findLimit: FindLimit; nowMs: number };

async function readLimits({ redis, findLimit, nowMs }: Reading): Promise<TableRow[]> {
  const rows: TableRow[] = [];
  for (const start of [limitKeys.window(""), limitKeys.log("")]) {
    let cursor = "0";
    do {
      const answer = await redis.run({ script: scanScript, keys: [start], parameters: [cursor] });
      const [next, ...values] = answer as string[];
      for (let index = 0; index < values.length; index += 4) {
        const row = toRow(values.slice(index, index + 4), findLimit, nowMs);
        if (row) rows.push(row);
      }
      cursor = next ?? "0";
    } while (cursor !== "0" && rows.length < mostRows);
  }
  return rows;
}

/** Null for what has left its window, and for a limit that is not configured any more. */
function toRow(values: string[], findLimit: FindLimit, nowMs: number): TableRow | null {
  const [key = "", points, firstHitMs, leftMs] = values;
  const separator = key.indexOf(":");
  const limiter = key.slice(0, separator);
  const limit = findLimit(limiter);
  // A log is kept a little longer, for clocks that differ.
  const validMs = Number(leftMs) - (firstHitMs ? limitKeepMs : 0);
  if (!limit || validMs <= 0) return null;
  const expiresAtMs = nowMs + validMs;
  return {
    limiter,
    client: key.slice(separator + 1),
    // A window counts refused requests as well.
    points: Math.min(Number(points), limit.points),
    startedAtMs: firstHitMs ? Number(firstHitMs) : expiresAtMs - limit.windowSeconds * 1000,
    expiresAtMs,
  };
}

/** The next cursor, then four values a row: key, points, the first hit of a log, and how long Redis keeps it. */
const scanScript = defineScript({
  name: "operator-scan",
  lua: `
  local start, cursor = KEYS[1], ARGV[1]
  local found = redis.call('SCAN', cursor, 'MATCH', start .. '*', 'COUNT', 1000)
  local answer = {found[1]}
  for _, key in ipairs(found[2]) do
    local points, startedAtMs
    if redis.call('TYPE', key).ok == 'string' then
      points, startedAtMs = redis.call('GET', key), ''
    else
      points, startedAtMs = tostring(redis.call('LLEN', key)), redis.call('LINDEX', key, 0)
    end
    for _, value in ipairs({string.sub(key, #start + 1), points, startedAtMs, tostring(redis.call('PTTL', key))}) do
      table.insert(answer, value)
    end
  end
  return answer`,
});
