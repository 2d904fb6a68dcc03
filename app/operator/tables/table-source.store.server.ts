import type { Clock } from "~/platform/time/clock";
import type { TableQuery } from "./table-query";
import type { SortOrder, TableFilter, TableRow, TableSpec, TableValue } from "./table-spec";

export type TableSource = {
  list: (query: TableQuery) => Promise<TableRow[]>;
  /** Counts no further than `limit`. */
  count: (query: TableQuery, limit: number) => Promise<number>;
  /** All filtered rows, the oldest first, one batch in memory at a time. */
  readAll: (query: TableQuery) => AsyncGenerator<TableRow[]>;
};

type FindRequest = { where: object; orderBy: object[]; take: number; skip?: number };

/** The parts of a Prisma model that a table needs. */
type Model<Row> = {
  findMany: (request: FindRequest) => PromiseLike<Row[]>;
  count: (request: { where: object; take: number }) => PromiseLike<number>;
};

type SourceOptions<Row> = {
  model: Model<Row>;
  clock: Clock;
  /** Together they identify a row, and order all rows. */
  keyColumns: readonly string[];
  /** A condition on every row. */
  always?: () => object;
  /** For filters, and the time column, that are no column of the table itself. */
  conditionOf?: Readonly<Record<string, (value: never) => object>>;
  orderOf?: Readonly<Record<string, (order: SortOrder) => object>>;
  toRow: (row: Row) => TableRow;
};

const batchSize = 500;

export function createSource<Row extends object>(
  spec: TableSpec,
  { model, clock, keyColumns, always, conditionOf, orderOf, toRow }: SourceOptions<Row>,
): TableSource {
  const conditions = conditionOf as Readonly<Record<string, (value: unknown) => object>> | undefined;

  function toWhere({ filters, withinSeconds }: TableQuery): object {
    const wanted = spec.filters.flatMap((filter) => {
      const text = filters[filter.name];
      if (text === undefined) return [];
      return [conditions?.[filter.name]?.(text) ?? { [filter.name]: toCondition(filter, text) }];
    });
    if (withinSeconds !== null) {
      const since = { gte: BigInt(clock() - withinSeconds * 1000) };
      wanted.push(conditions?.[spec.sortedBy]?.(since) ?? { [spec.sortedBy]: since });
    }
    return { AND: [...wanted, ...(always ? [always()] : [])] };
  }

  return {
    async list(query) {
      const { sort, order, page, size } = query;
      const first = orderOf?.[sort]?.(order) ?? { [sort]: order };
      // The key decides between equals, so that no page shows a row twice.
      const rest = keyColumns.filter((column) => column !== sort).map((column) => ({ [column]: order }));
      const orderBy = [first, ...rest];
      return (
        await model.findMany({ where: toWhere(query), orderBy, skip: (page - 1) * size, take: size })
      ).map(toRow);
    },
    count: async (query, limit) => await model.count({ where: toWhere(query), take: limit }),
    async *readAll(query) {
      const where = toWhere(query);
      const orderBy = keyColumns.map((column) => ({ [column]: "asc" }));
      let last: Row | undefined;
      do {
        const beyond = last ? [rowsAfter(keyColumns, last as Record<string, unknown>)] : [];
        const rows: Row[] = await model.findMany({
          where: { AND: [where, ...beyond] },
          orderBy,
          take: batchSize,
        });
        if (rows.length > 0) yield rows.map(toRow);
        last = rows.length === batchSize ? rows.at(-1) : undefined;
      } while (last);
    },
  };
}

function toCondition(filter: TableFilter, text: string): unknown {
  // Only addresses have prefix filters, and they are stored in lower case.
  if (filter.kind === "prefix") return { startsWith: text.toLowerCase() };
  return filter.kind === "contains" ? { contains: text } : text;
}

/** Rows after this one, in the order of these columns. */
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

/** Timestamps become numbers. Other large integers become text, which keeps all digits. */
export function toTableRow(row: Readonly<Record<string, TableValue | bigint>>): TableRow {
  const entries = Object.entries(row).map(([column, value]) => {
    if (typeof value !== "bigint") return [column, value];
    return [column, /atMs$/i.test(column) ? Number(value) : String(value)];
  });
  return Object.fromEntries(entries) as TableRow;
}
