import { z } from "zod";
import { isRecord } from "~/platform/json";

const maxDepth = 5;
/** For the whole filter, all of which is evaluated for each passage. */
const limits = { groups: 20, conditions: 20, values: 100, "characters of text": 4_000 };

/** Letters, digits, `_`, `-` and `.`: an operator begins with `$`. */
export const fieldNamePattern = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

const orders: Readonly<Record<string, (entry: number, bound: number) => boolean>> = {
  $gt: (entry, bound) => entry > bound,
  $gte: (entry, bound) => entry >= bound,
  $lt: (entry, bound) => entry < bound,
  $lte: (entry, bound) => entry <= bound,
};

type FilterValue = string | number | boolean;
export type MetadataFilter = Record<string, unknown>;
type Test = (metadata: Record<string, unknown>) => boolean;

export class FilterError extends Error {
  override readonly name = "FilterError";
}

/** Checked when a question comes in, so that both stores only see filters they understand. */
export const metadataFilterSchema = z
  .record(z.string(), z.unknown())
  .superRefine((filter, context) => {
    try {
      toFilter(filter);
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      context.addIssue({ code: "custom", message: error.message });
    }
  })
  .describe(
    'Which passages count, by their metadata: {"field": value} or {"field": {"$eq"|"$ne"|"$in"|"$nin"|"$gt"|"$gte"|"$lt"|"$lte": …}}, combined with "$and" and "$or"',
  );

/**
 * A test of a passage's metadata. A field that holds a list meets a comparison when one of its entries does; one that is
 * missing meets only `$ne` and `$nin`. Values meet values of their own type only.
 */
export function toFilter(filter: MetadataFilter): Test {
  const left = { ...limits };

  /** Throws at the first thing too many, before anything more of the filter is read. */
  function spend(what: keyof typeof limits, count: number): void {
    left[what] -= count;
    if (left[what] < 0) throw new FilterError(`A filter may hold ${limits[what]} ${what} in all.`);
  }

  function readGroup(group: unknown, depth: number): Test {
    if (!isRecord(group)) throw new FilterError("A filter is an object.");
    if (depth > maxDepth) throw new FilterError(`A filter may be nested ${maxDepth} levels deep.`);
    spend("groups", 1);
    const parts = Object.entries(group).map(([key, value]) => {
      if (key !== "$and" && key !== "$or") return readField(key, value);
      if (!Array.isArray(value) || value.length === 0)
        throw new FilterError(`${key} takes a list of filters.`);
      const groups = value.map((inner: unknown) => readGroup(inner, depth + 1));
      return key === "$and"
        ? meetsAll(groups)
        : (metadata: Record<string, unknown>) => groups.some((isMet) => isMet(metadata));
    });
    return meetsAll(parts);
  }

  function readField(field: string, value: unknown): Test {
    if (!fieldNamePattern.test(field)) throw new FilterError(`${quote(field)} is no operator or field name.`);
    const comparisons = isRecord(value) ? Object.entries(value) : [["$eq", value] as const];
    if (comparisons.length === 0) throw new FilterError(`${field} is compared with nothing.`);
    const conditions = comparisons.map(([operator, operand]) => {
      spend("conditions", 1);
      const values = readOperand(operator, operand);
      spend("values", values.length);
      for (const text of values) if (typeof text === "string") spend("characters of text", text.length);
      return toTest(field, operator, values);
    });
    return meetsAll(conditions);
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

function toTest(field: string, operator: string, values: readonly FilterValue[]): Test {
  const order = orders[operator];
  const isNegated = operator === "$ne" || operator === "$nin";
  const isMet = (entry: unknown) =>
    order
      ? typeof entry === "number" && order(entry, values[0] as number)
      : values.includes(entry as FilterValue);
  return (metadata) => {
    const entries = Object.hasOwn(metadata, field) ? [metadata[field]].flat() : [];
    return entries.some(isMet) !== isNegated;
  };
}

function meetsAll(tests: readonly Test[]): Test {
  return (metadata) => tests.every((isMet) => isMet(metadata));
}

function isValue(value: unknown): value is FilterValue {
  return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
