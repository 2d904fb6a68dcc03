import { Lexer, Tokenizer } from "marked";
import type { Token, Tokens } from "marked";
import { countCharacters } from "~/platform/text/well-formed-text";
import { cutAtSpaces, cutMarkdown, withoutFences } from "./markdown-parts";
import { toSpeakableWords } from "./speakable-words";

/** Two lines within a paragraph, the first of which begins nothing else. */
const tableStart = / {0,3}(?!\[|(?:[*+-]|\d{1,9}[.)])\s)[^\n ].*\n {0,3}[|:-][ |:-]*(?=\n|$)/y;

/**
 * Emphasis is not spoken, and pairing its marks is what takes long in a text made for it: they stay, as symbols. Whether
 * a table begins is decided by two lines: a rule that is tried with all that follow them takes long where it fails at each.
 */
class PlainTokenizer extends Tokenizer {
  override emStrong(): undefined {
    return undefined;
  }

  override del(): undefined {
    return undefined;
  }

  /** Read once at each depth: the lexer's own way reads quotes within it again for each that ends before it does. */
  override blockquote(src: string): Tokens.Blockquote | undefined {
    const [raw] = this.rules.block.blockquote.exec(src) ?? [];
    if (raw === undefined) return undefined;
    const text = raw.replace(/^ {0,3}> ?/gm, "");
    const { state } = this.lexer;
    const { top } = state;
    state.top = true;
    const tokens = this.lexer.blockTokens(text, []);
    state.top = top;
    return { type: "blockquote", raw, text, tokens };
  }

  /** Rows are not filled up to the header's columns: in a table of mostly missing cells that takes long. */
  override table(src: string): Tokens.Table | undefined {
    const start = /^[^\n]*\n[^\n]*/.exec(src)?.[0] ?? "";
    const table = super.table(start);
    if (!table) return undefined;
    const header = start.slice(0, start.indexOf("\n") + 1);
    const body = this.#readRun(src.slice(header.length));
    const rows = body.split("\n").slice(1);
    return { ...table, raw: header + body, rows: rows.map((row) => this.#readRow(row, table.header.length)) };
  }

  #readRow(row: string, columns: number): Tokens.TableCell[] {
    const cells = row
      .trim()
      .replace(/^\|/, "")
      .split(/(?<!\\)\|/, columns);
    return cells.map((cell) => {
      const text = cell.trim().replaceAll("\\|", "|");
      return { text, tokens: this.lexer.inline(text), header: false, align: null };
    });
  }

  override paragraph(src: string): Tokens.Paragraph {
    return { ...this.text(src), type: "paragraph" };
  }

  /** In a list, a paragraph would come line by line, each of them tried with all that follow. */
  override text(src: string) {
    const text = this.#cutAtTable(src);
    return { type: "text", raw: text, text, tokens: this.lexer.inline(text) } satisfies Tokens.Text;
  }

  #cutAtTable(src: string): string {
    const { inlineQueue } = this.lexer;
    const queued = inlineQueue.length;
    const run = this.#readRun(src);
    let at = run.indexOf("\n") + 1;
    while (at > 0 && !this.#beginsTable(src, at)) at = run.indexOf("\n", at) + 1;
    inlineQueue.length = queued;
    return at > 0 ? run.slice(0, at - 1) : run;
  }

  #beginsTable(src: string, at: number): boolean {
    tableStart.lastIndex = at;
    const start = tableStart.exec(src)?.[0];
    return start !== undefined && super.table(start) !== undefined;
  }

  /** The lines up to what ends a paragraph, which are the rows of a table too. */
  #readRun(src: string): string {
    return Lexer.rules.block.normal.paragraph.exec(src)?.[0] ?? "";
  }
}

/** Within a line, time grows with the square of its length: long ones are read in pieces. */
class PlainLexer extends Lexer {
  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    for (const piece of cutAtSpaces(src, maxInlineChars)) super.inlineTokens(piece, tokens);
    return tokens;
  }
}

const maxInlineChars = 1_024;
const silentTypes = new Set(["code", "hr", "space", "def"]);

/** Nesting beyond this is no writing, and would be too deep for the lexer's own recursion. */
const deepNesting = /^(?:\s*(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s))){7}/;

/** A table is read with its header before each cell. What it adds has a limit, by default for readers in a browser. */
const maxGrowth = 10;

/**
 * What a person would read aloud of a Markdown text: no markup, addresses, code blocks, emoji or table rules. Empty
 * where nothing of the text is for the ear. Each block ends as a sentence, so that a voice pauses there. Of a text that
 * is longer than `maxChars` so much comes that it can be cut there.
 */
export function toSpeakableText(markdown: string, maxChars = markdown.length * maxGrowth): string {
  const blocks = listSpeakableBlocks(markdown, maxChars);
  return blocks.map(endAsSentence).join("\n");
}

/** The same block by block, each as it was written. */
export function listSpeakableBlocks(markdown: string, maxChars: number): string[] {
  const blocks: string[] = [];
  let chars = 0;
  for (const part of cutMarkdown(markdown.replaceAll("\0", " ").replace(/\r\n?/g, "\n"))) {
    for (const text of speakPart(part)) {
      const block = tidy(toSpeakableWords(text));
      if (!/[\p{L}\p{N}]/u.test(block)) continue;
      blocks.push(block);
      chars += countCharacters(block);
      if (chars > maxChars) return blocks;
    }
  }
  return blocks;
}

/** One text for each block. */
function speakPart(markdown: string): Iterable<string> {
  const tokens = findTokens(markdown);
  if (tokens) return readBlocks(tokens);
  return withoutFences(markdown)
    .split(/\n[^\S\n]*\n/)
    .map(withoutTags);
}

/** Null where the text is nested deeper than anybody writes. */
function findTokens(markdown: string): Token[] | null {
  if (markdown.split("\n").some((line) => deepNesting.test(line))) return null;
  try {
    return new PlainLexer({ gfm: true, tokenizer: new PlainTokenizer() }).lex(markdown);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function* readBlocks(tokens: readonly Token[]): Generator<string> {
  for (const token of tokens) {
    if (token.type === "table") yield* readTable(token as Tokens.Table);
    else if (token.type === "list") yield* readBlocks((token as Tokens.List).items);
    else if (token.type === "list_item") yield* readBlocks((token as Tokens.ListItem).tokens);
    else if (token.type === "blockquote") yield* readBlocks((token as Tokens.Blockquote).tokens);
    else if (token.type === "html") yield withoutTags((token as Tokens.HTML).text);
    else if (!silentTypes.has(token.type)) yield readAll([token]);
  }
}

/** Row by row, each cell after the name of its column. */
function* readTable({ header, rows }: Tokens.Table): Generator<string> {
  const names = header.map(({ tokens }) => readCell(tokens));
  if (rows.length === 0) yield names.filter(Boolean).join(", ");
  for (const row of rows) {
    yield row
      .map(({ tokens }, column) => ({ name: names[column] ?? "", value: readCell(tokens) }))
      .filter(({ value }) => value !== "")
      .map(({ name, value }) => (name === "" ? value : `${name}: ${value}`))
      .join(", ");
  }
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

export function endAsSentence(block: string): string {
  return /[.!?…:;,。！？]["'”’»)\]]*$/u.test(block) ? block : `${block}.`;
}
