import { Lexer } from "marked";
import type { Token, Tokens } from "marked";

/** Nesting beyond this is no writing; the lexer's own recursion would become slow on it. */
const maxNesting = 20;

/**
 * What a person would read aloud of a Markdown text: no markup, addresses, code blocks, emoji or table rules. Empty
 * where nothing of the text is for the ear. Each block ends as a sentence, so that a voice pauses there.
 */
export function toSpeakableText(markdown: string): string {
  const blocks = isDeeplyNested(markdown) ? [speakWords(markdown)] : speakBlocks(lex(markdown));
  return blocks
    .map((block) =>
      block
        .replace(/\s+/g, " ")
        .replace(/ (?=[.,;:!?…](?:\s|$))/g, "")
        .trim(),
    )
    .filter((block) => /[\p{L}\p{N}]/u.test(block))
    .map(endAsSentence)
    .join("\n");
}

function lex(markdown: string): Token[] {
  return new Lexer({ gfm: true }).lex(markdown.replaceAll("\0", " "));
}

function isDeeplyNested(markdown: string): boolean {
  return markdown.split("\n").some((line) => {
    const marks = /^[\s>*+\-\d.)]*/.exec(line)?.[0].replace(/[\s\d]/g, "") ?? "";
    return marks.length > maxNesting || /[[(*_~`!]{20}/.test(line);
  });
}

/** One text for each block that holds words. */
function speakBlocks(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token): string[] => {
    switch (token.type) {
      case "code":
      case "hr":
      case "space":
      case "def":
        return [];
      case "table":
        return speakTable(token as Tokens.Table);
      case "list":
        return (token as Tokens.List).items.flatMap(({ tokens: inner }) => speakBlocks(inner));
      case "blockquote":
        return speakBlocks((token as Tokens.Blockquote).tokens);
      case "html":
        return [speakWords(withoutTags((token as Tokens.HTML).text))];
      default:
        return [speakInline(token)];
    }
  });
}

/** Row by row, each cell after the name of its column. */
function speakTable({ header, rows }: Tokens.Table): string[] {
  const names = header.map(({ tokens }) => speakAll(tokens).trim());
  if (rows.length === 0) return [names.filter(Boolean).join(", ")];
  return rows.map((row) =>
    row
      .map(({ tokens }, column) => ({ name: names[column] ?? "", value: speakAll(tokens).trim() }))
      .filter(({ value }) => value !== "")
      .map(({ name, value }) => (name === "" ? value : `${name}: ${value}`))
      .join(", "),
  );
}

function speakAll(tokens: readonly Token[]): string {
  return tokens.map(speakInline).join("");
}

function speakInline(token: Token): string {
  switch (token.type) {
    case "br":
      return " ";
    case "html":
      return withoutTags((token as Tokens.HTML).text);
    case "image":
      return speakWords((token as Tokens.Image).text);
    case "codespan":
      return speakWords((token as Tokens.Codespan).text);
    case "link": {
      const { text, href, tokens } = token as Tokens.Link;
      return text === href || text === href.replace(/^mailto:/, "") ? speakWords(text) : speakAll(tokens);
    }
    case "checkbox":
      return "";
    case "escape":
      return (token as Tokens.Escape).text;
    default: {
      const { tokens, text } = token as { tokens?: Token[]; text?: string };
      return tokens ? speakAll(tokens) : speakWords(text ?? "");
    }
  }
}

function withoutTags(html: string): string {
  return html.replace(/<!--[\s\S]*?(?:-->|$)/g, " ").replace(/<[^<>]*>/g, " ");
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " };
const pictures =
  /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200d|\u20e3|\ufe0e|\ufe0f|[\u{e0020}-\u{e007f}]/gu;

/** Words without what only the eye can use. */
function speakWords(text: string): string {
  return text
    .replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_whole, name: string) => entities[name] ?? " ")
    .replace(/\bhttps?:\/\/(?:[^\s/@]*@)?([^\s/?#:<>]+)[^\s<>]*/gi, (_whole, host: string) => `${host} `)
    .replace(/\b0x([0-9a-f]{4})[0-9a-f]{8,}\b/gi, "0x$1")
    .replace(pictures, " ")
    .replace(/\[\^?\d{1,3}\]/g, " ")
    .replace(/[-=]+>|<[-=]+/g, " ")
    .replace(/[*_`~|\\^{}<>[\]\u2190-\u21ff\u2500-\u25ff\u2022]+/g, " ")
    .replace(/(?<![\p{L}\p{N}])#+|-{2,}|={2,}/gu, " ")
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}]+/gu, " ");
}

function endAsSentence(block: string): string {
  return /[.!?…:;,。！？]["'”’»)\]]*$/u.test(block) ? block : `${block}.`;
}
