import { Prisma } from "~/generated/sqlite/client";
import type { Clock } from "~/platform/time/clock";
import type { Database } from "~/platform/database/database.server";
import { momentDigits } from "~/platform/limits/hit-log";
import type { TableSource } from "./table-source.store.server";
import type { TableQuery } from "./table-query";
import type { TableRow } from "./table-spec";

type LimitRow = { key: string; points: number | bigint; startedAtMs: bigint; expiresAtMs: bigint };

const sortColumns = new Map([
  ["points", Prisma.sql`"points"`],
  ["startedAtMs", Prisma.sql`"startedAtMs"`],
  ["expiresAtMs", Prisma.sql`"expiresAtMs"`],
]);

/** Windows, and logs of sliding limits. Both name a row `<limit>:<client>`. */
export function createLimitSource(database: Database, clock: Clock): TableSource {
  async function list(query: TableQuery): Promise<TableRow[]> {
    const { sort, order, page, size } = query;
    const direction = order === "asc" ? Prisma.sql`ASC` : Prisma.sql`DESC`;
    const column = sortColumns.get(sort ?? "") ?? Prisma.sql`"points"`;
    const rows = await database.$queryRaw<LimitRow[]>`
      SELECT * FROM (${selectRows(query, clock())}) AS held
      ORDER BY ${column} ${direction}, "key" ${direction} LIMIT ${size} OFFSET ${(page - 1) * size}`;
    return rows.map(toRow);
  }

  return {
    list,
    count: async (query, limit) => {
      const [row] = await database.$queryRaw<{ count: number | bigint }[]>`
        SELECT COUNT(*) AS "count"
        FROM (SELECT 1 AS "one" FROM (${selectRows(query, clock())}) AS held LIMIT ${limit}) AS counted`;
      return Number(row?.count ?? 0);
    },
    readAll: async function* (query) {
      yield await list(query);
    },
  };
}

/** A log's hits may have left their window. The limiter deletes them with the client's next request. */
function selectRows({ filters: { limiter, client } }: TableQuery, nowMs: number): Prisma.Sql {
  const patterns = [
    ...(limiter ? [`${limiter}:%`] : []),
    ...(client ? [`%:${client.replaceAll(/[!%_]/g, "!$&")}%`] : []),
  ];
  const held = Prisma.join(
    [
      Prisma.sql`"expiresAtMs" > ${BigInt(nowMs)}`,
      ...patterns.map((pattern) => Prisma.sql`"key" LIKE ${pattern} ESCAPE '!'`),
    ],
    " AND ",
  );
  const digits = Prisma.sql`CAST(${momentDigits} AS INTEGER)`;
  return Prisma.sql`
    SELECT "key", "points", "startedAtMs", "expiresAtMs" FROM "RateLimitWindow" WHERE ${held}
    UNION ALL
    SELECT "key", length("hits") / ${digits} AS "points",
      CAST(substr("hits", 1, ${digits}) AS BIGINT) AS "startedAtMs", "expiresAtMs"
    FROM "RateLimitLog" WHERE ${held}`;
}

function toRow({ key, points, startedAtMs, expiresAtMs }: LimitRow): TableRow {
  return {
    ...readLimitKey(key),
    points: Number(points),
    startedAtMs: Number(startedAtMs),
    expiresAtMs: Number(expiresAtMs),
  };
}

export function readLimitKey(key: string): { limiter: string; client: string } {
  const separator = key.indexOf(":");
  return { limiter: key.slice(0, separator), client: key.slice(separator + 1) };
}
