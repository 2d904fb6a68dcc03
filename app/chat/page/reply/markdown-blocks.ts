import { Lexer } from "marked";
import type { Token } from "marked";
import { decodeReferences } from "~/platform/text/character-references";

/** The blocks of a text, and its link definitions. The last block of a growing text gets its open markup closed. */
export function lexMarkdown(
  text: string,
  isGrowing: boolean,
): { blocks: readonly Token[]; definitions: string } {
  const tokens = lex(text);
  const definitions = tokens.map(({ type, raw }) => (type === "def" ? `${raw.trim()}\n` : "")).join("");
  const blocks = tokens.filter(isShown);
  const last = blocks.at(-1);
  const closed = isGrowing && last ? closeOpenMarkup(last.raw) : last?.raw;
  if (closed === undefined || closed === last?.raw) return { blocks, definitions };
  return {
    blocks: [...blocks.slice(0, -1), ...lex(`${closed}\n\n${definitions}`).filter(isShown)],
    definitions,
  };
}

const lex = (text: string): Token[] => new Lexer({ gfm: true }).lex(text);
const isShown = ({ type }: Token) => type !== "space" && type !== "def";

/** Closes half-written markup: `**bol` is drawn as bold, half a link as its words. */
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

/** The address of a link in a reply; null if it isn't safe. */
export function toSafeHref(href: string): string | null {
  // eslint-disable-next-line no-control-regex -- Browsers drop these from addresses, so they could hide a scheme.
  const address = decodeEntities(href).replace(/[\u0000-\u0020\u007f]+/g, "");
  if (/^(?:https?:\/\/|mailto:)/i.test(address)) return address;
  // A second slash or a backslash would lead to another host.
  return /^(?:#|\/(?![/\\]))/.test(address) ? address : null;
}

/** Unknown names stay as written. A number without a character becomes U+FFFD. */
export function decodeEntities(text: string): string {
  return decodeReferences(text, (reference) => (reference.startsWith("&#") ? "\ufffd" : reference));
}
