import type { z } from "zod";
import type { Mistakes, Place } from "./mistakes";

/** Words for members that belong elsewhere; any other is simply not known. */
const strays: ReadonlyMap<string, string> = new Map([
  ["also", "is for keys with a token; a membership says it in `requires`."],
  ["requires", "is for the standard membership; keys with a token say it in `also`."],
  ["contract", "is not for memberships, which have no token of their own."],
]);

/** Null where it does not fit; what is wrong has been added then. */
export function readShape<Value>(
  schema: z.ZodType<Value>,
  value: unknown,
  { place, mistakes }: { place: Place; mistakes: Mistakes },
): Value | null {
  const { data, error } = schema.safeParse(value);
  for (const issue of error?.issues ?? []) {
    const at = [...place, ...issue.path.map((step) => (typeof step === "symbol" ? String(step) : step))];
    if (issue.code !== "unrecognized_keys") mistakes.add(at, issue.message);
    else for (const key of issue.keys) mistakes.add([...at, key], strays.get(key) ?? "is not known here.");
  }
  return data ?? null;
}
