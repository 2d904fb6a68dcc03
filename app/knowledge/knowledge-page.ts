import { toSearchWords } from "./search-words";

const audiences = ["everyone", "holders", "operators"] as const;
export type Audience = (typeof audiences)[number];
/** Nobody finds pages for operators. */
export type Reader = Exclude<Audience, "operators">;

/** Small enough to be quoted. */
export type Passage = { id: string; heading: string; anchor: string; text: string };
type MetadataValue = string | number | boolean | (string | number | boolean)[];
export type KnowledgePage = {
  /** The path within the knowledge folder, with forward slashes. */
  source: string;
  title: string;
  namespace: string;
  /** Null for the operator's default. */
  audience: Audience | null;
  metadata: Record<string, MetadataValue>;
  passages: Passage[];
  /** Other words for the words of a passage. */
  findSynonyms: (held: ReadonlySet<string>) => string;
};

/** Letters, digits, `_`, `-` and `.`: an operator of a filter begins with `$`. */
export const fieldNamePattern = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;
export const defaultNamespace = "__default__";
export const maxNamespaceChars = 100;
export const namespacePattern = /^[^\p{C}\p{Zl}\p{Zp}]+$/u;

/** Longer sections are split between paragraphs. */
const maxPassageChars = 1_000;

/** The message is for the page's author. */
export class PageFault extends Error {
  override readonly name = "PageFault";
}

/** `toMarkdown` is for bodies of another kind, such as HTML. */
export function parseKnowledgePage(
  source: string,
  text: string,
  toMarkdown: (body: string) => { body: string; title?: string } = (body) => ({ body }),
): KnowledgePage {
  const { fields, rest } = splitFrontMatter(text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n"));
  const { title: titleField, namespace = "", audience = null, synonyms = [], ...metadata } = fields;
  const { body, title: givenTitle } = toMarkdown(rest);
  const sections = splitSections(body);
  const firstHeading = sections.find(({ level }) => level === 1)?.heading;
  const fileName = source.replace(/^.*\//, "").replace(/\.[a-z]+$/, "");
  const title = String(titleField ?? "") || givenTitle || firstHeading || fileName;
  const name = String(namespace) || defaultNamespace;
  if (name.length > maxNamespaceChars || !namespacePattern.test(name)) {
    throw new PageFault(`its namespace is longer than ${maxNamespaceChars} characters or not printable`);
  }
  if (audience !== null && !(audiences as readonly unknown[]).includes(audience)) {
    throw new PageFault(`its audience is none of ${audiences.join(", ")}`);
  }
  const toAnchor = createAnchors();
  const passages = sections.flatMap(({ heading, lines }) => {
    const anchor = heading === "" ? "" : toAnchor(heading);
    const texts = splitParagraphs(lines.join("\n"));
    return texts.map((passage) => ({ heading: heading || title, anchor, text: passage }));
  });
  return {
    source,
    title,
    namespace: name,
    audience: audience as Audience | null,
    metadata,
    passages: passages.map((passage, index) => ({ id: `${source}#${index + 1}`, ...passage })),
    findSynonyms: createSynonyms([synonyms].flat().map(String)),
  };
}

function splitFrontMatter(text: string): { fields: Record<string, MetadataValue>; rest: string } {
  const match = /^\s*---[ \t]*\n([\s\S]*?\n)?---[ \t]*(?:\n|$)/.exec(text);
  // It may say who can read the page.
  if (!match && /^\s*---[ \t]*\n(?:[ \t]*(?:#.*)?\n)*[\w.-]+[ \t]*:/.test(text))
    throw new PageFault("its front matter has no end");
  const [whole = "", lines = ""] = match ?? [];
  const fields = lines.split("\n").filter((line) => !/^\s*(?:#|$)/.test(line));
  return { fields: Object.fromEntries(fields.map(readField)), rest: text.slice(whole.length) };
}

function readField(line: string): [string, MetadataValue] {
  const [, name = "", written = ""] = /^([^:\s]+)[ \t]*:(.*)$/.exec(line) ?? [];
  if (!fieldNamePattern.test(name)) {
    throw new PageFault("its front matter has a line that is not `name: value`");
  }
  const text = written.trim();
  if (/^audience$/i.test(name)) return ["audience", unquote(text)];
  if (name === "title" || name === "namespace") return [name, unquote(text)];
  const entries = /^\[(.*)\]$/.exec(text)?.[1]?.split(",");
  return [name, entries?.filter((entry) => entry.trim()).map(readScalar) ?? readScalar(text)];
}

function readScalar(written: string): string | number | boolean {
  const text = written.trim();
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : unquote(text);
}

function unquote(text: string): string {
  return text.replace(/^(["'])(.*)\1$/, "$2");
}

/** Entries such as `back-up = copy dump` add the right side to passages with the left one. Others belong to every passage. */
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

/** The usual anchors of Markdown headings, unique in a page. */
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
    const [, marks, words = ""] = (fence === null && /^(#{1,6})[ \t](.*)$/.exec(line)) || [];
    // Without closing marks.
    const heading = words.trim().replace(/ #+$/, "").trim();
    if (marks) sections.push({ level: marks.length, heading, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections;
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
    // Keeps surrogate pairs together.
    if (/[\uD800-\uDBFF]/.test(rest.charAt(cut - 1))) cut -= 1;
    parts.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut).trimStart();
  }
  return rest === "" ? parts : [...parts, rest];
}
