import * as z from "zod";
import { fieldNamePattern } from "~/knowledge/knowledge-page";
import { isRecord } from "~/platform/text/json";

const maxDepth = 5;
/** For the whole filter. */
const limits = { groups: 20, conditions: 20, values: 100, "characters of text": 4_000 };

export type MetadataFilter = Record<string, unknown>;
type Test = (metadata: Record<string, unknown>) => boolean;

const value = z.union([z.string(), z.number(), z.boolean()]);
const one = value.describe("compares with text, a number, true or false");
const bound = z.number().describe("compares with a number");
const several = z
  .array(value)
  .min(1)
  .max(limits.values)
  .describe(`takes a list of 1 to ${limits.values} texts, numbers, true or false`);

/** Its operand, and whether an entry of a field meets a value. */
const operators: Readonly<Record<string, [z.ZodType, (entry: unknown, value: unknown) => boolean]>> = {
  $eq: [one, (entry, wanted) => entry === wanted],
  $ne: [one, (entry, wanted) => entry === wanted],
  $in: [several, (entry, wanted) => entry === wanted],
  $nin: [several, (entry, wanted) => entry === wanted],
  $gt: [bound, (entry, least) => typeof entry === "number" && entry > Number(least)],
  $gte: [bound, (entry, least) => typeof entry === "number" && entry >= Number(least)],
  $lt: [bound, (entry, most) => typeof entry === "number" && entry < Number(most)],
  $lte: [bound, (entry, most) => typeof entry === "number" && entry <= Number(most)],
};

class FilterError extends Error {
  override readonly name = "FilterError";
}

/** Both stores get valid filters only. */
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

/** One entry of a list has to meet a comparison. A missing field meets only `$ne` and `$nin`. */
export function toFilter(filter: MetadataFilter): Test {
  const left = { ...limits };

  function spend(what: keyof typeof limits, count: number): void {
    left[what] -= count;
    demand(left[what] >= 0, `A filter may hold ${limits[what]} ${what} in all.`);
  }

  function readGroup(group: unknown, depth: number): Test {
    demand(isRecord(group), "A filter is an object.");
    demand(depth <= maxDepth, `A filter may be nested ${maxDepth} levels deep.`);
    spend("groups", 1);
    return meetsAll(
      Object.entries(group).map(([key, value]) => {
        if (key !== "$and" && key !== "$or") return readField(key, value);
        demand(Array.isArray(value) && value.length > 0, `${key} takes a list of filters.`);
        const groups = value.map((inner: unknown) => readGroup(inner, depth + 1));
        return key === "$and" ? meetsAll(groups) : (metadata) => groups.some((isMet) => isMet(metadata));
      }),
    );
  }

  function readField(field: string, value: unknown): Test {
    demand(fieldNamePattern.test(field), `${quote(field)} is no operator or field name.`);
    const comparisons = isRecord(value) ? Object.entries(value) : [["$eq", value] as const];
    demand(comparisons.length > 0, `${field} is compared with nothing.`);
    return meetsAll(
      comparisons.map(([operator, operand]) => {
        spend("conditions", 1);
        demand(Object.hasOwn(operators, operator), `${quote(operator)} is no operator.`);
        const [taken, isMet] = operators[operator]!;
        demand(taken.safeParse(operand).success, `${operator} ${taken.description}.`);
        const values = [operand].flat() as unknown[];
        spend("values", values.length);
        for (const text of values) if (typeof text === "string") spend("characters of text", text.length);
        const isNegated = operator === "$ne" || operator === "$nin";
        return (metadata) => {
          const entries = Object.hasOwn(metadata, field) ? [metadata[field]].flat() : [];
          return entries.some((entry) => values.some((wanted) => isMet(entry, wanted))) !== isNegated;
        };
      }),
    );
  }

  return readGroup(filter, 1);
}

function meetsAll(tests: readonly Test[]): Test {
  return (metadata) => tests.every((isMet) => isMet(metadata));
}

function demand(isMet: boolean, message: string): asserts isMet {
  if (!isMet) throw new FilterError(message);
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
