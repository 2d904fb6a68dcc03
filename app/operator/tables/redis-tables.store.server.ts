import type { Clock } from "~/platform/time/clock";
import { limitKeepMs, limitKeys } from "~/platform/limits/redis-rate-limits.store.server";
import { defineScript } from "~/platform/redis/redis-script.server";
import type { Redis } from "~/platform/redis/redis.server";
import { readLimitKey } from "./limit-table.store.server";
import type { TableQuery } from "./table-query";
import type { TableSource } from "./table-source.store.server";
import type { TableRow, TableSettings, TableSpec } from "./table-spec";
import { tableSpecs } from "./table-specs";

/** Bounds the memory that a flood of clients can take. */
const maxRows = 10_000;

type RedisTables = Pick<TableSettings, "findLimit"> & {
  redis: Redis;
  listOpenWindows: (request: { count: number }) => Promise<TableRow[]>;
  clock: Clock;
};

/** Tables of state in Redis. */
export function createRedisTables(options: RedisTables): { quotas: TableSource; limits: TableSource } {
  return {
    quotas: createListedTable(tableSpecs.quotas, () => options.listOpenWindows({ count: maxRows })),
    limits: createListedTable(tableSpecs.limits, () => readLimits(options)),
  };
}

/** For few rows: reads and filters all of them each time. */
function createListedTable({ filters }: TableSpec, read: () => Promise<TableRow[]>): TableSource {
  async function find(query: TableQuery): Promise<TableRow[]> {
    const { sort, order } = query;
    const rows = (await read()).filter((row) =>
      filters.every(({ name, kind }) => {
        const text = query.filters[name];
        if (text === undefined) return true;
        const value = String(row[name]);
        if (kind === "prefix") return value.startsWith(text.toLowerCase());
        return kind === "contains" ? value.includes(text) : value === text;
      }),
    );
    // The whole row decides between equals, so that no page shows a row twice.
    const compareRows = (one: TableRow, other: TableRow) =>
      compare(one[sort], other[sort]) || compare(JSON.stringify(one), JSON.stringify(other));
    return rows.sort((one, other) => (order === "asc" ? 1 : -1) * compareRows(one, other));
  }

  return {
    list: async (query) => (await find(query)).slice((query.page - 1) * query.size, query.page * query.size),
    count: async (query, limit) => Math.min(limit, (await find(query)).length),
    readAll: async function* (query) {
      yield await find(query);
    },
  };
}

function compare(one: TableRow[string] | undefined, other: TableRow[string] | undefined): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  const [left, right] = [String(one), String(other)];
  return left < right ? -1 : left > right ? 1 : 0;
}

async function readLimits({ redis, findLimit, clock }: RedisTables): Promise<TableRow[]> {
  const nowMs = clock();
  const rows: TableRow[] = [];
  for (const start of [limitKeys.window(""), limitKeys.log("")]) {
    let cursor = "0";
    do {
      const reply = await redis.run({ script: scanScript, keys: [start], parameters: [cursor] });
      const [next, ...values] = reply as string[];
      for (let index = 0; index < values.length; index += 4) {
        const row = toRow(values.slice(index, index + 4), findLimit, nowMs);
        if (row) rows.push(row);
      }
      cursor = next ?? "0";
    } while (cursor !== "0" && rows.length < maxRows);
  }
  return rows;
}

/** Null for an expired row, and for a limit that is no longer configured. */
function toRow(values: string[], findLimit: RedisTables["findLimit"], nowMs: number): TableRow | null {
  const [key = "", points, firstHitMs, leftMs] = values;
  const { limiter, client } = readLimitKey(key);
  const limit = findLimit(limiter);
  // Redis keeps a log a little longer, because clocks differ.
  const validMs = Number(leftMs) - (firstHitMs ? limitKeepMs : 0);
  if (!limit || validMs <= 0) return null;
  const expiresAtMs = nowMs + validMs;
  return {
    limiter,
    client,
    // A window counts refused requests as well.
    points: Math.min(Number(points), limit.points),
    startedAtMs: firstHitMs ? Number(firstHitMs) : expiresAtMs - limit.windowSeconds * 1000,
    expiresAtMs,
  };
}

/** The next cursor, then four values a row: key, points, the first hit of a log, and its TTL. */
const scanScript = defineScript({
  name: "operator-scan",
  lua: `
  local start, cursor = KEYS[1], ARGV[1]
  local found = redis.call('SCAN', cursor, 'MATCH', start .. '*', 'COUNT', 1000)
  local reply = {found[1]}
  for _, key in ipairs(found[2]) do
    local points, startedAtMs
    if redis.call('TYPE', key).ok == 'string' then
      points, startedAtMs = redis.call('GET', key), ''
    else
      points, startedAtMs = tostring(redis.call('LLEN', key)), redis.call('LINDEX', key, 0)
    end
    for _, value in ipairs({string.sub(key, #start + 1), points, startedAtMs, tostring(redis.call('PTTL', key))}) do
      table.insert(reply, value)
    end
  end
  return reply`,
});
