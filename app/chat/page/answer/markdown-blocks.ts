import { Lexer } from "marked";
import type { Token } from "marked";
import { decodeReferences } from "~/platform/text/character-references";

/** `depth` is that of a heading, null for everything else. */
export type MarkdownBlock = { source: string; depth: number | null };
type Source = MarkdownBlock & { isDefinition: boolean };

/** Splits growing Markdown: only its last two blocks are lexed again, and the others stay the same objects. */
export function createBlockSplitter() {
  let text = "";
  let settled: Source[] = [];
  let settledChars = 0;

  return function split(received: string): { blocks: MarkdownBlock[]; definitions: string } {
    const grown = received.replace(/\r\n?/g, "\n");
    if (!grown.startsWith(text)) {
      settled = [];
      settledChars = 0;
    }
    text = grown;
    const sources = lexSources(grown.slice(settledChars));
    // What follows a block may still join it, as an item joins the list before it; a block after that cannot.
    const open = sources.splice(Math.max(0, sources.length - 2));
    for (const { source } of sources) settledChars += source.length;
    settled.push(...sources);
    const all = [...settled, ...open];
    return {
      blocks: all.filter(({ isDefinition }) => !isDefinition),
      definitions: all.map(({ source, isDefinition }) => (isDefinition ? `${source.trim()}\n` : "")).join(""),
    };
  };
}

/** One entry for each block, the empty lines after it included: together they are the text again. */
function lexSources(text: string): Source[] {
  const sources: Source[] = [];
  for (const token of new Lexer({ gfm: true }).blockTokens(text)) {
    const last = sources.at(-1);
    if (token.type === "space" && last) last.source += token.raw;
    else {
      const depth = token.type === "heading" ? (token.depth as number) : null;
      sources.push({ source: token.raw, depth, isDefinition: token.type === "def" });
    }
  }
  return sources;
}

/** The tokens of one block. `definitions` are the link addresses that stand elsewhere in the answer. */
export function lexBlock({ source, definitions }: { source: string; definitions: string }): Token[] {
  const tokens = new Lexer({ gfm: true }).lex(definitions ? `${source}\n\n${definitions}` : source);
  return tokens.filter(({ type }) => type !== "space" && type !== "def");
}

/** Closes what is half written, so that it is drawn as what it will be: `**bol` as bold, half a link as its words. */
export function closeOpenMarkup(source: string): string {
  if (/^ {0,3}(?:```|~~~)/m.test(source)) return source;
  let closed = source.replace(/!?\[([^\]\n]*)(?:\](?:\([^)\s]*)?)?$/, "$1");
  const outsideCode = closed.replace(/`[^`]*`/g, "");
  if (count(outsideCode, "`") % 2 === 1)
    return /`\s*$/.test(closed) ? closed.replace(/`\s*$/, "") : `${closed}\``;
  closed = closed.replace(/(?:\*\*|~~|\*|_)$/, (mark) => (count(outsideCode, mark) % 2 === 1 ? "" : mark));
  const open = closed.replace(/`[^`]*`/g, "");
  for (const mark of ["**", "~~"]) {
    if (count(open, mark) % 2 === 1) closed = `${closed.trimEnd()}${mark}`;
  }
  return closed;
}

function count(text: string, mark: string): number {
  return text.split(mark).length - 1;
}

/** Addresses that a link in an answer may lead to; null for everything that would run or read something here. */
export function toSafeHref(href: string): string | null {
  // eslint-disable-next-line no-control-regex -- What browsers drop from addresses would otherwise hide a scheme.
  const address = decodeEntities(href).replace(/[\u0000-\u0020\u007f]+/g, "");
  if (/^(?:https?:\/\/|mailto:)/i.test(address)) return address;
  // A second slash or a backslash would lead to another host.
  return /^(?:#|\/(?![/\\]))/.test(address) ? address : null;
}

/** What names nothing stays as it is written; a number without a character becomes the sign for that. */
export function decodeEntities(text: string): string {
  return decodeReferences(text, (reference) => (reference.startsWith("&#") ? "\ufffd" : reference));
}
