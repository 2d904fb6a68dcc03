/** A passage of a page: small enough to be quoted, with the words that lead to it. */
export type Passage = { id: string; heading: string; text: string };
export type KnowledgePage = { source: string; title: string; namespace: string; passages: Passage[] };

export const defaultNamespace = "__default__";

/** In UTF-16 units. Longer sections are split between paragraphs. */
const maxPassageChars = 1_000;

/** Reads a Markdown page: front matter (`title`, `namespace`), then one passage or more a heading. */
export function parseKnowledgePage({ source, text }: { source: string; text: string }): KnowledgePage {
  const { fields, body } = splitFrontMatter(text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n"));
  const sections = splitSections(body);
  const firstHeading = sections.find(({ level }) => level === 1)?.heading;
  const title = fields.title || firstHeading || source.replace(/\.md$/, "");
  const passages = sections.flatMap(({ heading, lines }) =>
    splitParagraphs(lines.join("\n")).map((passage) => ({ heading: heading || title, text: passage })),
  );
  return {
    source,
    title,
    namespace: fields.namespace || defaultNamespace,
    passages: passages.map((passage, index) => ({ id: `${source}#${index + 1}`, ...passage })),
  };
}

function splitFrontMatter(text: string): { fields: { title?: string; namespace?: string }; body: string } {
  const match = /^---\n([\s\S]*?)\n---[ \t]*(?:\n|$)/.exec(text);
  if (!match) return { fields: {}, body: text };
  const fields: Record<string, string> = {};
  for (const line of (match[1] ?? "").split("\n")) {
    const field = /^(\w+):(.*)$/.exec(line);
    if (field?.[1]) fields[field[1]] = (field[2] ?? "").trim().replace(/^(["'])(.*)\1$/, "$2");
  }
  return { fields, body: text.slice(match[0].length) };
}

type Section = { level: number; heading: string; lines: string[] };

function splitSections(body: string): Section[] {
  const sections: Section[] = [{ level: 0, heading: "", lines: [] }];
  let fence: string | null = null;
  for (const line of body.split("\n")) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1];
    if (mark) fence = fence === null ? mark : fence === mark ? null : fence;
    const heading = fence === null ? /^(#{1,6})[ \t](.*)$/.exec(line) : null;
    if (heading)
      sections.push({ level: heading[1]?.length ?? 1, heading: toHeading(heading[2] ?? ""), lines: [] });
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
  if (paragraph.length <= maxPassageChars) return [paragraph];
  const at = paragraph.lastIndexOf(" ", maxPassageChars);
  const cut = at > maxPassageChars / 2 ? at : maxPassageChars;
  return [paragraph.slice(0, cut).trimEnd(), ...splitLong(paragraph.slice(cut).trimStart())];
}
