import { Lexer, Tokenizer } from "marked";
import type { Token, Tokens } from "marked";
import { cutMarkdown, withoutFences } from "./markdown-parts";
import { toSpeakableWords } from "./speakable-words";

/** Emphasis is not spoken, and pairing its marks is what takes long in a text made for it: they stay, as symbols. */
class PlainTokenizer extends Tokenizer {
  override emStrong(): undefined {
    return undefined;
  }

  override del(): undefined {
    return undefined;
  }
}

/** Nesting beyond this is no writing, and would be too deep for the lexer's own recursion. */
const deepNesting = /^(?:\s*(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s))){21}/;

/**
 * What a person would read aloud of a Markdown text: no markup, addresses, code blocks, emoji or table rules. Empty
 * where nothing of the text is for the ear. Each block ends as a sentence, so that a voice pauses there.
 */
export function toSpeakableText(markdown: string): string {
  return cutMarkdown(markdown.replaceAll("\0", " "))
    .flatMap(speakPart)
    .map(tidy)
    .filter((block) => /[\p{L}\p{N}]/u.test(block))
    .map(endAsSentence)
    .join("\n");
}

/** One text for each block that holds words. */
function speakPart(markdown: string): string[] {
  const tokens = findTokens(markdown);
  return (
    tokens
      ? readBlocks(tokens)
      : withoutFences(markdown)
          .split(/\n[^\S\n]*\n/)
          .map(withoutTags)
  ).map(toSpeakableWords);
}

/** Null where the text is nested deeper than anybody writes. */
function findTokens(markdown: string): Token[] | null {
  if (markdown.split("\n").some((line) => deepNesting.test(line))) return null;
  try {
    return new Lexer({ gfm: true, tokenizer: new PlainTokenizer() }).lex(markdown);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function readBlocks(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token): string[] => {
    switch (token.type) {
      case "code":
      case "hr":
      case "space":
      case "def":
        return [];
      case "table":
        return readTable(token as Tokens.Table);
      case "list":
        return (token as Tokens.List).items.flatMap((item) => readBlocks(item.tokens));
      case "blockquote":
        return readBlocks((token as Tokens.Blockquote).tokens);
      case "html":
        return [withoutTags((token as Tokens.HTML).text)];
      default:
        return [readAll([token])];
    }
  });
}

/** Row by row, each cell after the name of its column. */
function readTable({ header, rows }: Tokens.Table): string[] {
  const names = header.map(({ tokens }) => readCell(tokens));
  if (rows.length === 0) return [names.filter(Boolean).join(", ")];
  return rows.map((row) =>
    row
      .map(({ tokens }, column) => ({ name: names[column] ?? "", value: readCell(tokens) }))
      .filter(({ value }) => value !== "")
      .map(({ name, value }) => (name === "" ? value : `${name}: ${value}`))
      .join(", "),
  );
}

/** Tidied here already: whether a cell says anything decides about its column's name. */
function readCell(tokens: readonly Token[]): string {
  const words = tidy(toSpeakableWords(readAll(tokens)));
  return /[\p{L}\p{N}]/u.test(words) ? words : "";
}

/** What stands in a line, its markup gone; what is between the tags of a script is none of it. */
function readAll(tokens: readonly Token[]): string {
  let text = "";
  let unheard: string | null = null;
  for (const token of tokens) {
    if (token.type === "html") {
      const [, slash, name] = /^<(\/?)([a-z]*)/i.exec((token as Tokens.HTML).text) ?? [];
      const tag = name?.toLowerCase() ?? "";
      if (slash === "" && ["script", "style", "template"].includes(tag)) unheard ??= tag;
      else if (slash === "/" && tag === unheard) unheard = null;
      text += " ";
    } else if (unheard === null) {
      text += readInline(token);
    }
  }
  return text;
}

function readInline(token: Token): string {
  if (token.type === "br") return " ";
  if (token.type === "checkbox") return "";
  const { tokens, text } = token as { tokens?: Token[]; text?: string };
  return tokens && token.type !== "image" ? readAll(tokens) : (text ?? "");
}

/** A block of HTML: what its tags hold, unless it is for machines. One pass; what is not closed lasts to the end. */
function withoutTags(html: string): string {
  let text = "";
  let at = 0;
  const lower = html.toLowerCase();
  for (const found of lower.matchAll(/<!--|<(script|style|template)\b[^<>]*>/g)) {
    if (found.index < at) continue;
    text += `${html.slice(at, found.index)} `;
    const [opening, name] = found;
    const close = name === undefined ? "-->" : `</${name}`;
    const end = lower.indexOf(close, found.index + opening.length);
    if (end < 0) return stripTags(text);
    at = end + (name === undefined ? close.length : 0);
  }
  return stripTags(text + html.slice(at));
}

function stripTags(html: string): string {
  return html.replace(/<[^<>]*>/g, " ");
}

function tidy(block: string): string {
  return block
    .replace(/\s+/g, " ")
    .replace(/ (?=[.,;:!?…](?:\s|$)|[)”»])/g, "")
    .replace(/\( /g, "(")
    .replaceAll("()", "")
    .trim();
}

function endAsSentence(block: string): string {
  return /[.!?…:;,。！？]["'”’»)\]]*$/u.test(block) ? block : `${block}.`;
}
