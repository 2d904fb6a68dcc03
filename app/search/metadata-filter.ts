import * as z from "zod";
import { isRecord } from "~/platform/json";

const maxDepth = 5;
/** For the whole filter, all of which is evaluated for each passage. */
const limits = { groups: 20, conditions: 20, values: 100, "characters of text": 4_000 };

/** Names of fields go into paths of JSON: letters, digits, `_`, `-` and `.`, and never an operator's `$`. */
export const fieldNamePattern = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

const orders = { $gt: ">", $gte: ">=", $lt: "<", $lte: "<=" };

type FilterValue = string | number | boolean;
export type MetadataFilter = Record<string, unknown>;
export type SqlCondition = { sql: string; args: (string | number)[] };

export class FilterError extends Error {
  override readonly name = "FilterError";
}

/** Checked when a question comes in, so that both stores only see filters they understand. */
export const metadataFilterSchema = z
  .record(z.string(), z.unknown())
  .superRefine((filter, context) => {
    try {
      toFilterSql(filter);
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      context.addIssue({ code: "custom", message: error.message });
    }
  })
  .describe(
    'Which passages count, by their metadata: {"field": value} or {"field": {"$eq"|"$ne"|"$in"|"$nin"|"$gt"|"$gte"|"$lt"|"$lte": …}}, combined with "$and" and "$or"',
  );

/**
 * A condition over a column `metadata` that holds JSON. A field that holds a list meets a comparison when one of its
 * entries does; one that is missing meets only `$ne` and `$nin`. Values meet values of their own type only.
 */
export function toFilterSql(filter: MetadataFilter): SqlCondition {
  const left = { ...limits };

  /** Throws at the first thing too many, before anything more of the filter is read. */
  function spend(what: keyof typeof limits, count: number): void {
    left[what] -= count;
    if (left[what] < 0) throw new FilterError(`A filter may hold ${limits[what]} ${what} in all.`);
  }

  function readGroup(group: unknown, depth: number): SqlCondition {
    if (!isRecord(group)) throw new FilterError("A filter is an object.");
    if (depth > maxDepth) throw new FilterError(`A filter may be nested ${maxDepth} levels deep.`);
    spend("groups", 1);
    const parts = Object.entries(group).map(([key, value]) => {
      if (key !== "$and" && key !== "$or") return readField(key, value);
      if (!Array.isArray(value) || value.length === 0)
        throw new FilterError(`${key} takes a list of filters.`);
      const groups = value.map((inner: unknown) => readGroup(inner, depth + 1));
      return join(groups, key === "$and" ? " AND " : " OR ");
    });
    return parts.length === 0 ? { sql: "1", args: [] } : join(parts, " AND ");
  }

  function readField(field: string, value: unknown): SqlCondition {
    if (!fieldNamePattern.test(field)) throw new FilterError(`${quote(field)} is no operator or field name.`);
    const comparisons = isRecord(value) ? Object.entries(value) : [["$eq", value] as const];
    if (comparisons.length === 0) throw new FilterError(`${field} is compared with nothing.`);
    const conditions = comparisons.map(([operator, operand]) => {
      spend("conditions", 1);
      const values = readOperand(operator, operand);
      spend("values", values.length);
      for (const text of values) if (typeof text === "string") spend("characters of text", text.length);
      return toCondition(field, operator, values);
    });
    return join(conditions, " AND ");
  }

  return readGroup(filter, 1);
}

function readOperand(operator: string, operand: unknown): FilterValue[] {
  switch (operator) {
    case "$eq":
    case "$ne":
      if (isValue(operand)) return [operand];
      throw new FilterError(`${operator} compares with text, a number, true or false.`);
    case "$gt":
    case "$gte":
    case "$lt":
    case "$lte":
      if (typeof operand === "number" && Number.isFinite(operand)) return [operand];
      throw new FilterError(`${operator} compares with a number.`);
    case "$in":
    case "$nin": {
      const isList = Array.isArray(operand) && operand.length > 0 && operand.length <= limits.values;
      if (isList && operand.every(isValue)) return operand;
      throw new FilterError(
        `${operator} takes a list of 1 to ${limits.values} texts, numbers, true or false.`,
      );
    }
    default:
      throw new FilterError(`${quote(operator)} is no operator.`);
  }
}

function toCondition(field: string, operator: string, values: readonly FilterValue[]): SqlCondition {
  const order = operator in orders ? orders[operator as keyof typeof orders] : "=";
  const tests = join(
    values.map((value) => toTest(value, order)),
    " OR ",
  );
  const isNegated = operator === "$ne" || operator === "$nin";
  return {
    sql: `${isNegated ? "NOT " : ""}EXISTS (SELECT 1 FROM json_each(metadata, ?) AS entry WHERE ${tests.sql})`,
    args: [`$."${field}"`, ...tests.args],
  };
}

function toTest(value: FilterValue, order: string): SqlCondition {
  if (typeof value === "boolean") return { sql: `entry.type = '${value}'`, args: [] };
  if (typeof value === "string") return { sql: "(entry.type = 'text' AND entry.value = ?)", args: [value] };
  return { sql: `(entry.type IN ('integer', 'real') AND entry.value ${order} ?)`, args: [value] };
}

function join(conditions: readonly SqlCondition[], operator: string): SqlCondition {
  return {
    sql: `(${conditions.map(({ sql }) => sql).join(operator)})`,
    args: conditions.flatMap(({ args }) => args),
  };
}

function isValue(value: unknown): value is FilterValue {
  return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
