import type { Clock } from "~/platform/clock";
import type { TableQuery } from "./table-query";
import type { SortOrder, TableFilter, TableRow, TableSpec } from "./table-spec";

export type TableSource = {
  /** One page of what the query asks for. */
  list: (request: { spec: TableSpec; query: TableQuery }) => Promise<TableRow[]>;
  /** How many rows the query finds, counted no further than `limit`. */
  count: (request: { spec: TableSpec; query: TableQuery; limit: number }) => Promise<number>;
  /** All of what the filters find, the oldest first, batch by batch: nothing but one batch is in memory. */
  readAll: (request: { spec: TableSpec; query: TableQuery }) => AsyncGenerator<TableRow[]>;
};

type FindRequest = { where: object; orderBy: object[]; take: number; skip?: number };

export type SourceOptions<Row> = {
  find: (request: FindRequest) => PromiseLike<Row[]>;
  count: (request: { where: object; take: number }) => PromiseLike<number>;
  clock: Clock;
  timeColumn: string | null;
  /** Together they name a row, and say which one comes after which. */
  keyColumns: readonly string[];
  /** What holds for every row that is shown. */
  always?: () => object;
  /** For filters, and the time column, that are no column of the table itself. */
  conditionOf?: Readonly<Record<string, (value: never) => object>>;
  orderOf?: Readonly<Record<string, (order: SortOrder) => object>>;
  toRow: (row: Row) => TableRow;
};

const batchSize = 500;

export function createSource<Row extends object>(options: SourceOptions<Row>): TableSource {
  const { find, keyColumns, orderOf = {}, toRow } = options;

  async function list({ spec, query }: { spec: TableSpec; query: TableQuery }): Promise<TableRow[]> {
    const { sort, order, page, size } = query;
    const first = orderOf[sort]?.(order) ?? { [sort]: order };
    // The rest of the order makes one row come before another in every case, so that no page shows a row twice.
    const rest = keyColumns.filter((column) => column !== sort).map((column) => ({ [column]: order }));
    const rows = await find({
      where: toWhere(options, spec, query),
      orderBy: [first, ...rest],
      skip: (page - 1) * size,
      take: size,
    });
    return rows.map(toRow);
  }

  async function* readAll({
    spec,
    query,
  }: {
    spec: TableSpec;
    query: TableQuery;
  }): AsyncGenerator<TableRow[]> {
    const where = toWhere(options, spec, query);
    let last: Row | undefined;
    do {
      const beyond = last ? [rowsAfter(keyColumns, last as Record<string, unknown>)] : [];
      const rows: Row[] = await find({
        where: { AND: [where, ...beyond] },
        orderBy: keyColumns.map((column) => ({ [column]: "asc" })),
        take: batchSize,
      });
      if (rows.length > 0) yield rows.map(toRow);
      last = rows.length === batchSize ? rows.at(-1) : undefined;
    } while (last);
  }

  return {
    list,
    count: async ({ spec, query, limit }) =>
      await options.count({ where: toWhere(options, spec, query), take: limit }),
    readAll,
  };
}

function toWhere<Row>(options: SourceOptions<Row>, spec: TableSpec, query: TableQuery): object {
  const { always, timeColumn, clock } = options;
  const conditionOf = options.conditionOf as Readonly<Record<string, (value: unknown) => object>> | undefined;
  const conditions = spec.filters.flatMap((filter) => {
    const text = query.filters[filter.name];
    if (text === undefined) return [];
    return [conditionOf?.[filter.name]?.(text) ?? { [filter.name]: toCondition(filter, text) }];
  });
  if (timeColumn !== null && query.withinSeconds !== null) {
    const since = { gte: BigInt(clock() - query.withinSeconds * 1000) };
    conditions.push(conditionOf?.[timeColumn]?.(since) ?? { [timeColumn]: since });
  }
  return { AND: [...conditions, ...(always ? [always()] : [])] };
}

function toCondition(filter: TableFilter, text: string): unknown {
  // Addresses are stored in lower case, and are all that is looked for by its beginning.
  if (filter.kind === "prefix") return { startsWith: text.toLowerCase() };
  return filter.kind === "contains" ? { contains: text } : text;
}

/** Rows that come later by these columns: later by the first, or as late by it and later by the rest. */
function rowsAfter(keyColumns: readonly string[], row: Readonly<Record<string, unknown>>): object {
  return {
    OR: keyColumns.map((column, index) => ({
      AND: [
        ...keyColumns.slice(0, index).map((earlier) => ({ [earlier]: row[earlier] })),
        { [column]: { gt: row[column] } },
      ],
    })),
  };
}

/** A row shows moments as numbers, which hold them for as long as anybody will ask. */
export function toMs(value: bigint): number {
  return Number(value);
}
