import type { Clock } from "~/platform/clock";
import { limitKeepMs, limitKeys } from "~/platform/limits/redis-limit-keys";
import { defineScript } from "~/platform/redis/redis-script.server";
import type { Redis } from "~/platform/redis/redis.server";
import { createListedTable } from "./listed-table.server";
import type { TableSource } from "./table-source.store.server";
import type { TableRow } from "./table-spec";

/** So many are looked at; a flood of clients must not fill the memory of whoever looks. */
const mostRows = 10_000;

/** The tables of what lives in Redis where state does. */
export function createRedisTables({
  redis,
  listOpenWindows,
  clock,
}: {
  redis: Redis;
  listOpenWindows: (request: { count: number }) => Promise<TableRow[]>;
  clock: Clock;
}): { quotas: TableSource; limits: TableSource } {
  return {
    quotas: createListedTable({ read: () => listOpenWindows({ count: mostRows }) }),
    limits: createListedTable({ read: () => readLimits({ redis, nowMs: clock() }) }),
  };
}

async function readLimits({ redis, nowMs }: { redis: Redis; nowMs: number }): Promise<TableRow[]> {
  const rows: TableRow[] = [];
  for (const start of [limitKeys.window(""), limitKeys.log("")]) {
    let cursor = "0";
    do {
      const answer = await redis.run({ script: scanScript, keys: [start], parameters: [cursor] });
      const [next, ...values] = answer as string[];
      for (let index = 0; index < values.length; index += 4) {
        const row = toRow({ values: values.slice(index, index + 4), nowMs });
        if (row) rows.push(row);
      }
      cursor = next ?? "0";
    } while (cursor !== "0" && rows.length < mostRows);
  }
  return rows;
}

/** Null for what has left its window and is kept a little longer only for clocks that differ. */
function toRow({ values, nowMs }: { values: string[]; nowMs: number }): TableRow | null {
  const [key = "", points, startedAtMs, leftMs] = values;
  const validMs = Number(leftMs) - limitKeepMs;
  if (validMs <= 0) return null;
  const separator = key.indexOf(":");
  return {
    limiter: key.slice(0, separator),
    client: key.slice(separator + 1),
    points: Number(points),
    startedAtMs: Number(startedAtMs),
    expiresAtMs: nowMs + validMs,
  };
}

/** The next cursor, then four values a row: key, points, the first moment, and how long Redis keeps it. */
const scanScript = defineScript({
  name: "operator-scan",
  lua: `
  local start, cursor = KEYS[1], ARGV[1]
  local found = redis.call('SCAN', cursor, 'MATCH', start .. '*', 'COUNT', 1000)
  local answer = {found[1]}
  for _, key in ipairs(found[2]) do
    local points, startedAtMs
    if redis.call('TYPE', key).ok == 'hash' then
      local window = redis.call('HMGET', key, 'points', 'startedAtMs')
      points, startedAtMs = window[1], window[2]
    else
      points, startedAtMs = tostring(redis.call('LLEN', key)), redis.call('LINDEX', key, 0)
    end
    for _, value in ipairs({string.sub(key, #start + 1), points, startedAtMs, tostring(redis.call('PTTL', key))}) do
      table.insert(answer, value)
    end
  end
  return answer`,
});
