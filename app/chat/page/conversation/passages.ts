import { asRecord } from "~/platform/refusals/notice";
import type { Reply, ToolPart } from "./conversation";

export type Passage = { id: string; title: string; heading: string | null; source: string; text: string };

/** The passages that tools of this reply found, best first, each once. */
export function listPassages({ parts }: Pick<Reply, "parts">): Passage[] {
  const found = parts.flatMap((part) =>
    part.kind === "tool" && part.state === "done" ? passagesOf(part) : [],
  );
  return found.filter(({ id }, index) => found.findIndex((other) => other.id === id) === index);
}

/** The passages that the reply names or quotes; all if there are none. */
export function chooseCitations(passages: readonly Passage[], text: string): readonly Passage[] {
  const said = flatten(text);
  const quoted = passages.filter((passage) => said.includes(flatten(passage.text).slice(0, minQuoteChars)));
  const named = passages.filter(({ source }) => text.includes(source));
  const missing = named.filter(({ source }) => !quoted.some((passage) => passage.source === source));
  const firstOfEach = [...new Map(missing.toReversed().map((passage) => [passage.source, passage])).values()];
  const chosen = [...quoted, ...firstOfEach.toReversed()];
  return chosen.length > 0 ? chosen : passages;
}

/** A passage is quoted if the reply has its beginning of this length. */
const minQuoteChars = 60;

function flatten(text: string): string {
  return text
    .replace(/^[>\s]+/gm, " ")
    .replace(/\s+/g, " ")
    .trim();
}

function passagesOf({ output }: ToolPart): Passage[] {
  const { matches } = asRecord(output);
  if (!Array.isArray(matches)) return [];
  return matches.flatMap((match: { id?: unknown; metadata?: Record<string, unknown> } | null) => {
    const id = match?.id;
    const { text, title, heading, source } = match?.metadata ?? {};
    if (typeof id !== "string" || typeof text !== "string" || text.trim() === "") return [];
    const shownTitle = typeof title === "string" && title !== "" ? title : id;
    return {
      id,
      text,
      title: shownTitle,
      heading: typeof heading === "string" && heading !== "" && heading !== shownTitle ? heading : null,
      source: typeof source === "string" && source !== "" ? source : id,
    };
  });
}
