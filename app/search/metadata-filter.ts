import { z } from "zod";

const maxDepth = 5;
/** Of the whole filter, as all that follow: each passage that is looked at is measured against all of it. */
const maxGroups = 20;
const maxConditions = 20;
const maxValues = 100;
const maxTextChars = 4_000;

/** Names of fields go into paths of JSON: letters, digits, `_`, `-` and `.`, and never an operator's `$`. */
export const fieldNamePattern = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

export type FilterValue = string | number | boolean;
export type Comparison = "$eq" | "$ne" | "$gt" | "$gte" | "$lt" | "$lte" | "$in" | "$nin";

export type MetadataFilter = Record<string, unknown>;

/** A filter, read: all or any of its parts, or one field compared. */
export type FilterNode = { kind: "all" | "any"; parts: FilterNode[] } | ComparisonNode;
type ComparisonNode = { kind: "compare"; field: string; comparison: Comparison; values: FilterValue[] };

export class FilterError extends Error {
  override readonly name = "FilterError";
}

/** Checked when a question comes in, so that both stores only see filters they understand. */
export const metadataFilterSchema = z
  .record(z.string(), z.unknown())
  .superRefine((filter, context) => {
    try {
      parseFilter(filter);
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      context.addIssue({ code: "custom", message: error.message });
    }
  })
  .describe(
    'Which passages count, by their metadata: {"field": value} or {"field": {"$eq"|"$ne"|"$in"|"$nin"|"$gt"|"$gte"|"$lt"|"$lte": …}}, combined with "$and" and "$or"',
  );

/** Throws a FilterError that says what is wrong. */
export function parseFilter(filter: MetadataFilter): FilterNode {
  const budget = createBudget();

  function parseGroup(group: unknown, depth: number): FilterNode {
    if (!isObject(group)) throw new FilterError("A filter is an object.");
    if (depth > maxDepth) throw new FilterError(`A filter may be nested ${maxDepth} levels deep.`);
    budget.take("groups", 1);
    const parts = Object.entries(group).flatMap(([key, value]) => {
      if (key === "$and" || key === "$or") return [parseList(key, value, depth)];
      if (!fieldNamePattern.test(key)) throw new FilterError(`${quote(key)} is no operator or field name.`);
      return parseField(key, value);
    });
    return parts.length === 1 ? parts[0]! : { kind: "all", parts };
  }

  function parseList(key: "$and" | "$or", value: unknown, depth: number): FilterNode {
    if (!Array.isArray(value) || value.length === 0) throw new FilterError(`${key} takes a list of filters.`);
    const parts = value.map((group: unknown) => parseGroup(group, depth + 1));
    return { kind: key === "$and" ? "all" : "any", parts };
  }

  function parseField(field: string, value: unknown): FilterNode[] {
    const comparisons = isObject(value) ? Object.entries(value) : [["$eq", value] as const];
    if (comparisons.length === 0) throw new FilterError(`${field} is compared with nothing.`);
    return comparisons.map(([operator, operand]) => {
      budget.take("conditions", 1);
      const node = parseComparison({ field, operator, operand });
      budget.take("values", node.values.length);
      for (const text of node.values)
        if (typeof text === "string") budget.take("characters of text", text.length);
      return node;
    });
  }

  return parseGroup(filter, 1);
}

/** Counts over the whole filter; throws at the first thing too many, before anything more of it is read. */
function createBudget() {
  const left = {
    groups: maxGroups,
    conditions: maxConditions,
    values: maxValues,
    "characters of text": maxTextChars,
  };
  const whole = { ...left };
  return {
    take(what: keyof typeof left, count: number): void {
      left[what] -= count;
      if (left[what] < 0) throw new FilterError(`A filter may hold ${whole[what]} ${what} in all.`);
    },
  };
}

type ComparisonText = { field: string; operator: string; operand: unknown };

function parseComparison({ field, operator, operand }: ComparisonText): ComparisonNode {
  switch (operator) {
    case "$eq":
    case "$ne":
      if (!isValue(operand))
        throw new FilterError(`${operator} compares with text, a number, true or false.`);
      return { kind: "compare", field, comparison: operator, values: [operand] };
    case "$gt":
    case "$gte":
    case "$lt":
    case "$lte":
      if (typeof operand !== "number" || !Number.isFinite(operand))
        throw new FilterError(`${operator} compares with a number.`);
      return { kind: "compare", field, comparison: operator, values: [operand] };
    case "$in":
    case "$nin":
      if (
        !Array.isArray(operand) ||
        operand.length === 0 ||
        operand.length > maxValues ||
        !operand.every(isValue)
      )
        throw new FilterError(`${operator} takes a list of 1 to ${maxValues} texts, numbers, true or false.`);
      return { kind: "compare", field, comparison: operator, values: operand };
    default:
      throw new FilterError(`${quote(operator)} is no operator.`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isValue(value: unknown): value is FilterValue {
  return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
