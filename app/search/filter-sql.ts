import type { Comparison, FilterNode, FilterValue } from "./metadata-filter";

export type SqlCondition = { sql: string; args: (string | number)[] };

const orders = { $gt: ">", $gte: ">=", $lt: "<", $lte: "<=" } as const satisfies Partial<
  Record<Comparison, string>
>;

/**
 * A condition over a column `metadata` that holds JSON. A field that holds a list meets a comparison when one of its
 * entries does; one that is missing meets only `$ne` and `$nin`. Values meet values of their own type only.
 */
export function toFilterSql(node: FilterNode): SqlCondition {
  if (node.kind !== "compare") {
    const parts = node.parts.map(toFilterSql);
    if (parts.length === 0) return { sql: "1", args: [] };
    return {
      sql: `(${parts.map(({ sql }) => sql).join(node.kind === "all" ? " AND " : " OR ")})`,
      args: parts.flatMap(({ args }) => args),
    };
  }
  const { field, comparison, values } = node;
  const isNegated = comparison === "$ne" || comparison === "$nin";
  const order = comparison in orders ? orders[comparison as keyof typeof orders] : "=";
  const tests = values.map((value) => toTest(value, order));
  return {
    sql: `${isNegated ? "NOT " : ""}EXISTS (SELECT 1 FROM json_each(metadata, ?) AS entry WHERE ${tests.map(({ sql }) => sql).join(" OR ")})`,
    args: [`$."${field}"`, ...tests.flatMap(({ args }) => args)],
  };
}

function toTest(value: FilterValue, order: string): SqlCondition {
  if (typeof value === "boolean") return { sql: `entry.type = '${value}'`, args: [] };
  if (typeof value === "number")
    return { sql: `(entry.type IN ('integer', 'real') AND entry.value ${order} ?)`, args: [value] };
  return { sql: "(entry.type = 'text' AND entry.value = ?)", args: [value] };
}
