import { fieldNamePattern } from "./metadata-filter";
import { toSearchWords } from "./search-words";

const audiences = ["everyone", "holders", "operators"] as const;
/** A page is for these readers. */
export type Audience = (typeof audiences)[number];
/** An answer is for a holder, or for everyone else. Pages for operators are in no answer. */
export type Reader = Exclude<Audience, "operators">;

/** A passage of a page: small enough to be quoted. */
export type Passage = { id: string; heading: string; anchor: string; text: string };
type MetadataValue = string | number | boolean | (string | number | boolean)[];
export type KnowledgePage = {
  /** The file's path within the knowledge folder, with forward slashes. */
  source: string;
  title: string;
  namespace: string;
  /** null: the operator's default. */
  audience: Audience | null;
  metadata: Record<string, MetadataValue>;
  passages: Passage[];
  /** Other words for those of a passage. */
  findSynonyms: (held: ReadonlySet<string>) => string;
};

export const defaultNamespace = "__default__";
export const maxNamespaceChars = 100;
/** Printable characters only. */
export const namespacePattern = /^[^\p{C}\p{Zl}\p{Zp}]+$/u;

/** In UTF-16 units. Longer sections are split between paragraphs. */
const maxPassageChars = 1_000;

/** A page that cannot be used; the message is for its author. */
export class PageFault extends Error {
  override readonly name = "PageFault";
}

/** Front matter, then one passage or more for each heading. `givenTitle`: for pages whose front matter has none. */
export function parseKnowledgePage(source: string, text: string, givenTitle?: string): KnowledgePage {
  const { fields, body } = splitFrontMatter(normalizeText(text));
  const {
    title: titleField,
    namespace: namespaceField,
    audience = null,
    synonyms = [],
    ...metadata
  } = fields;
  const sections = splitSections(body);
  const firstHeading = sections.find(({ level }) => level === 1)?.heading;
  const fileName = source.replace(/^.*\//, "").replace(/\.[a-z]+$/, "");
  const title = String(titleField ?? "") || givenTitle || firstHeading || fileName;
  const namespace = String(namespaceField ?? "") || defaultNamespace;
  if (namespace.length > maxNamespaceChars || !namespacePattern.test(namespace)) {
    throw new PageFault(`its namespace is longer than ${maxNamespaceChars} characters or not printable`);
  }
  if (audience !== null && !(audiences as readonly string[]).includes(String(audience))) {
    throw new PageFault(`its audience is none of ${audiences.join(", ")}`);
  }
  const toAnchor = createAnchors();
  const passages = sections.flatMap(({ heading, lines }) => {
    const anchor = heading === "" ? "" : toAnchor(heading);
    const texts = splitParagraphs(lines.join("\n"));
    return texts.map((passage) => ({ heading: heading || title, anchor, text: passage }));
  });
  const numbered = passages.map((passage, index) => ({ id: `${source}#${index + 1}`, ...passage }));
  return {
    source,
    title,
    namespace,
    audience: audience as Audience | null,
    metadata,
    passages: numbered,
    findSynonyms: createSynonyms([synonyms].flat().map(String)),
  };
}

export function normalizeText(text: string): string {
  return text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
}

/** A page of its own kind, such as HTML, has its front matter split off before its body is turned into Markdown. */
export function splitFrontMatter(text: string): { fields: Record<string, MetadataValue>; body: string } {
  const match = /^\s*---[ \t]*\n([\s\S]*?\n)?---[ \t]*(?:\n|$)/.exec(text);
  if (!match) {
    // One of its fields may say who can read the page.
    if (/^\s*---[ \t]*\n[\w.-]+[ \t]*:/.test(text)) throw new PageFault("its front matter has no end");
    return { fields: {}, body: text };
  }
  const fields = new Map<string, MetadataValue>();
  for (const line of (match[1] ?? "").split("\n")) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const [, name = "", value = ""] = /^([^:\s]+)[ \t]*:(.*)$/.exec(line) ?? [];
    if (!fieldNamePattern.test(name))
      throw new PageFault(`its front matter has a line that is not \`name: value\``);
    const field = /^audience$/i.test(name) ? "audience" : name;
    fields.set(field, readFieldValue(field, value.trim()));
  }
  return { fields: Object.fromEntries(fields), body: text.slice(match[0].length) };
}

function readFieldValue(name: string, text: string): MetadataValue {
  if (["title", "namespace", "audience"].includes(name)) return unquote(text);
  const list = /^\[(.*)\]$/.exec(text)?.[1];
  if (list === undefined) return readScalar(text);
  const entries = list.split(",").map((entry) => entry.trim());
  return entries.filter(Boolean).map(readScalar);
}

function readScalar(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : unquote(text);
}

function unquote(text: string): string {
  return text.replace(/^(["'])(.*)\1$/, "$2");
}

/**
 * Of entries such as `back-up = copy dump`: what stands behind the sign, where a text holds what stands before it. An
 * entry without a sign goes with every text.
 */
function createSynonyms(entries: readonly string[]): KnowledgePage["findSynonyms"] {
  const read = entries.map((entry) => {
    const [word = "", others] = entry.split("=");
    return others === undefined ? { words: [], others: word } : { words: toSearchWords(word), others };
  });
  return (held) =>
    read
      .filter(({ words }) => words.every((word) => held.has(word)))
      .map(({ others }) => others)
      .join(" ");
}

/** The anchors that Markdown pages commonly give their headings; each only once in a page. */
function createAnchors(): (heading: string) => string {
  const taken = new Map<string, number>();
  return (heading) => {
    const base = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-");
    const times = taken.get(base) ?? 0;
    taken.set(base, times + 1);
    return times === 0 ? base : `${base}-${times}`;
  };
}

type Section = { level: number; heading: string; lines: string[] };

function splitSections(body: string): Section[] {
  const sections: Section[] = [{ level: 0, heading: "", lines: [] }];
  let fence: string | null = null;
  for (const line of body.split("\n")) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1];
    if (mark) fence = fence === null ? mark : fence === mark ? null : fence;
    const heading = fence === null ? /^(#{1,6})[ \t](.*)$/.exec(line) : null;
    const [, marks = "", words = ""] = heading ?? [];
    if (heading) sections.push({ level: marks.length, heading: toHeading(words), lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections;
}

/** Without the closing marks that some write after a heading. */
function toHeading(words: string): string {
  const trimmed = words.trim();
  return (/^(.*) #+$/.exec(trimmed)?.[1] ?? trimmed).trim();
}

function splitParagraphs(text: string): string[] {
  const passages: string[] = [];
  for (const paragraph of text.split(/\n{2,}/).map((part) => part.trim())) {
    if (paragraph === "") continue;
    const last = passages.at(-1);
    if (last !== undefined && last.length + paragraph.length + 2 <= maxPassageChars) {
      passages[passages.length - 1] = `${last}\n\n${paragraph}`;
    } else passages.push(...splitLong(paragraph));
  }
  return passages;
}

function splitLong(paragraph: string): string[] {
  const parts: string[] = [];
  let rest = paragraph;
  while (rest.length > maxPassageChars) {
    const space = rest.lastIndexOf(" ", maxPassageChars);
    let cut = space > maxPassageChars / 2 ? space : maxPassageChars;
    // A pair of surrogates is one character and stays together.
    if (/[\uD800-\uDBFF]/.test(rest.charAt(cut - 1))) cut -= 1;
    parts.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut).trimStart();
  }
  return rest === "" ? parts : [...parts, rest];
}
