import type { z } from "zod";

/** A path of member names and array indexes. */
export type Place = readonly (string | number)[];

export function createMistakes() {
  const mistakes: string[] = [];
  return {
    /** `words` continue a sentence that begins with the place. */
    add: (place: Place, words: string) => void mistakes.push(`${describePlace(place)}: ${words}`),
    list: mistakes as readonly string[],
  };
}

export type Mistakes = ReturnType<typeof createMistakes>;

const maxNameChars = 40;

/** `keys[1].also.any[0].atLeast` */
function describePlace(place: Place): string {
  if (place.length === 0) return "the file";
  const [first, ...rest] = place.map((step) => {
    if (typeof step === "number") return `[${step}]`;
    if (/^[A-Za-z_][A-Za-z0-9_-]{0,39}$/.test(step)) return `.${step}`;
    return `[${JSON.stringify(step.length > maxNameChars ? `${step.slice(0, maxNameChars)}…` : step)}]`;
  });
  return [first!.replace(/^\./, ""), ...rest].join("");
}

/** Hints for members that belong elsewhere. */
const strays: ReadonlyMap<string, string> = new Map([
  ["also", "is for keys with a token; a membership says it in `requires`."],
  ["requires", "is for the standard membership; keys with a token say it in `also`."],
  ["contract", "is not for memberships, which have no token of their own."],
]);

/** Null after adding mistakes. */
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

/** Strings, with the colon after a member's name, and punctuation. */
const tokens = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[[\]{},]/g;

type Open = { names: Set<string> | null; step: string | number };

/** Members that occur twice in one object, which `JSON.parse` doesn't report. The text must be JSON. */
export function findRepeatedMembers(text: string): Place[] {
  const repeated: Place[] = [];
  const open: Open[] = [];
  for (const [token, string, colon] of text.matchAll(tokens)) {
    const inner = open.at(-1);
    if (token === "{") open.push({ names: new Set(), step: "" });
    else if (token === "[") open.push({ names: null, step: 0 });
    else if (token === "}" || token === "]") open.pop();
    else if (token === "," && typeof inner?.step === "number") inner.step += 1;
    else if (string !== undefined && colon !== undefined && inner?.names) {
      inner.step = JSON.parse(string) as string;
      if (inner.names.has(inner.step)) repeated.push(open.map(({ step }) => step));
      inner.names.add(inner.step);
    }
  }
  return repeated;
}
