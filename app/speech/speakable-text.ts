import { Lexer, Tokenizer } from "marked";
import type { Token, Tokens } from "marked";
import { countCharacters } from "~/platform/text/well-formed-text";
import { cutAtSpaces, cutMarkdown, withoutFences } from "./markdown-parts";
import { toSpeakableWords } from "./speakable-words";

const tableStart = / {0,3}(?!\[|(?:[*+-]|\d{1,9}[.)])\s)[^\n ].*\n {0,3}[|:-][ |:-]*(?=\n|$)/y;

/** Linear where marked isn't. Emphasis isn't spoken, so its marks stay as symbols. Two lines decide whether a table begins. */
class PlainTokenizer extends Tokenizer {
  override emStrong(): undefined {
    return undefined;
  }

  override del(): undefined {
    return undefined;
  }

  /** Reads each depth once. */
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

  /** Doesn't fill rows up to the header's columns. */
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

  /** In a list, marked would try each line of a paragraph with all that follow. */
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

  /** The lines of a paragraph, or the rows of a table. */
  #readRun(src: string): string {
    return Lexer.rules.block.normal.paragraph.exec(src)?.[0] ?? "";
  }
}

/** Inline lexing is quadratic, so long lines are read in pieces. */
class PlainLexer extends Lexer {
  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    for (const piece of cutAtSpaces(src, maxInlineChars)) super.inlineTokens(piece, tokens);
    return tokens;
  }
}

const maxInlineChars = 1_024;
const silentTypes = new Set(["code", "hr", "space", "def"]);

/** Too deep for the lexer's recursion. */
const deepNesting = /^(?:\s*(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s))){7}/;

/** A table's header is read before each cell. */
const maxGrowth = 10;

/**
 * The text that a person would read aloud, without markup, addresses, code blocks, emoji and table rules. Each block ends
 * as a sentence, so that a voice pauses. Stops after `maxChars`.
 */
export function toSpeakableText(markdown: string, maxChars = markdown.length * maxGrowth): string {
  const blocks = listSpeakableBlocks(markdown, maxChars);
  return blocks.map(endAsSentence).join("\n");
}

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

function speakPart(markdown: string): Iterable<string> {
  const tokens = findTokens(markdown);
  if (tokens) return readBlocks(tokens);
  return withoutFences(markdown)
    .split(/\n[^\S\n]*\n/)
    .map(withoutTags);
}

/** Null for too deep nesting. */
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

/** Empty if nothing of the cell is spoken. */
function readCell(tokens: readonly Token[]): string {
  const words = tidy(toSpeakableWords(readAll(tokens)));
  return /[\p{L}\p{N}]/u.test(words) ? words : "";
}

/** A line without markup and scripts. */
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

/** The text of an HTML block, in one pass. Unclosed scripts and comments last to the end. */
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
