import type { Place } from "./mistakes";

/** Strings, with the colon behind a member's name; what opens, closes and parts. */
const tokens = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[[\]{},]/g;

type Open = { names: Set<string> | null; step: string | number };

/** Members that stand twice in one object, of which `JSON.parse` would take the last. Needs a text that is JSON. */
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
