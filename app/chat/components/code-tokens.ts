/** What a piece of code is, as far as its colour goes; null is plain. */
export type CodeKind = "comment" | "string" | "number" | "keyword" | "name" | "added" | "removed" | null;
export type CodeToken = { kind: CodeKind; text: string };
/** What a line leaves open for the next one: the mark that closes it. */
export type CodeState = string | null;

type Grammar = {
  lineComment: RegExp | null;
  /** Opening marks of what may run over several lines, with their closing marks. */
  multiLine: Record<string, { close: string; kind: CodeKind }>;
  quotes: string;
  keywords: ReadonlySet<string>;
  ignoresCase?: boolean;
};

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));
const slashComments = { "/*": { close: "*/", kind: "comment" } } as const;

const curly: Grammar = {
  lineComment: /\/\/.*/y,
  multiLine: { ...slashComments, "`": { close: "`", kind: "string" } },
  quotes: "\"'",
  keywords: words(
    "abstract address as async await bool boolean break byte bytes bytes32 case catch char class const constructor contract continue default defer delete do else emit enum error event export extends external false final finally fn for from func function get go if impl implements import in instanceof int int256 interface internal is let library long mapping match memory mod modifier mut namespace new nil null number of override package payable pragma private protected pub public pure range readonly return returns revert satisfies self set short solidity static storage str string struct super switch this throw trait true try type typeof uint uint256 undefined unknown unsafe use using var view virtual void where while yield",
  ),
};
const hash: Grammar = {
  lineComment: /#.*/y,
  multiLine: { '"""': { close: '"""', kind: "string" }, "'''": { close: "'''", kind: "string" } },
  quotes: "\"'",
  keywords: words(
    "and as assert async await break case class continue curl def del do done echo elif else end esac except exit export false False fi finally for from function global if import in is lambda local module None not null or pass raise return self sudo then true True try until while with yield",
  ),
};
const sql: Grammar = {
  lineComment: /--.*/y,
  multiLine: slashComments,
  quotes: "\"'`",
  ignoresCase: true,
  keywords: words(
    "add all alter and as asc begin between by case check column commit constraint create cross default delete desc distinct drop else end exists false foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then transaction true union unique update using values view when where with",
  ),
};
const markup: Grammar = {
  lineComment: null,
  multiLine: { "<!--": { close: "-->", kind: "comment" } },
  quotes: "\"'",
  keywords: words(""),
};
const data: Grammar = { lineComment: null, multiLine: {}, quotes: '"', keywords: words("true false null") };

const grammars: Record<string, Grammar> = {
  ...Object.fromEntries(
    "c cc cpp cs csharp css dart go java javascript js jsonc jsx kotlin mjs php rs rust scala scss sol solidity swift ts tsx typescript"
      .split(" ")
      .map((name) => [name, curly]),
  ),
  ...Object.fromEntries(
    "bash console docker dockerfile dotenv env ini make nix perl py python r rb ruby sh shell toml yaml yml zsh"
      .split(" ")
      .map((name) => [name, hash]),
  ),
  ...{ sql, html: markup, svg: markup, vue: markup, xml: markup, json: data, json5: curly },
};

const number = /(?:0[xX][\da-fA-F_]+n?|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?n?)\b/y;
const word = /[\p{L}_$@][\p{L}\p{N}_$]*/uy;
const tag = /<\/?[A-Za-z][\w:.-]*|\/?>/y;

/** A line and the state it begins in. */
export type CodeLine = { line: string; state: CodeState };

/** Reads growing code: lines known from the last time are not read again. */
export function createLineReader() {
  let known: CodeLine[] = [];
  let knownLanguage = "";

  return function readLines({ code, language }: { code: string; language: string }): CodeLine[] {
    const lines: CodeLine[] = [];
    let isKnown = language === knownLanguage;
    let state: CodeState = null;
    for (const [index, line] of code.split("\n").entries()) {
      lines.push({ line, state });
      const next = known[index + 1];
      isKnown &&= known[index]?.line === line && next !== undefined;
      state = isKnown && next ? next.state : tokenizeLine({ line, state, language }).state;
    }
    known = lines;
    knownLanguage = language;
    return lines;
  };
}

/** The tokens of one line, which begins in the state that the line before it left. */
export function tokenizeLine({
  line,
  state,
  language,
}: {
  line: string;
  state: CodeState;
  language: string;
}): { tokens: CodeToken[]; state: CodeState } {
  if (language === "diff" || language === "patch") return { tokens: [toDiffToken(line)], state: null };
  const grammar = Object.hasOwn(grammars, language) ? grammars[language] : undefined;
  if (!grammar) return { tokens: [{ kind: null, text: line }], state: null };
  const tokens: CodeToken[] = [];
  const add = (kind: CodeKind, text: string) => {
    const last = tokens.at(-1);
    if (last && last.kind === kind) last.text += text;
    else if (text) tokens.push({ kind, text });
  };
  let at = 0;
  let open = state;
  while (at < line.length) {
    if (open !== null) {
      const { length, isClosed } = findClose({ line, at, close: open });
      add(kindOfClose({ grammar, close: open }), line.slice(at, at + length));
      at += length;
      if (!isClosed) return { tokens, state: open };
      open = null;
      continue;
    }
    const opening = Object.keys(grammar.multiLine).find((mark) => line.startsWith(mark, at));
    if (opening) {
      const { close, kind } = grammar.multiLine[opening]!;
      add(kind, opening);
      at += opening.length;
      open = close;
      continue;
    }
    const { kind, text } = readPiece({ line, at, grammar });
    add(kind, text);
    at += text.length;
  }
  return { tokens, state: open };
}

function readPiece({ line, at, grammar }: { line: string; at: number; grammar: Grammar }): CodeToken {
  const comment =
    grammar.lineComment && isCommentPlace(line, at) ? matchAt(grammar.lineComment, line, at) : null;
  if (comment) return { kind: "comment", text: comment };
  const character = line[at]!;
  if (grammar.quotes.includes(character)) {
    return {
      kind: "string",
      text: line.slice(at, at + 1 + findClose({ line, at: at + 1, close: character }).length),
    };
  }
  const figures = matchAt(number, line, at);
  if (figures) return { kind: "number", text: figures };
  if (grammar === markup) {
    const name = matchAt(tag, line, at);
    if (name) return { kind: "keyword", text: name };
  }
  const name = matchAt(word, line, at);
  if (!name)
    return { kind: null, text: line.slice(at, at + String.fromCodePoint(line.codePointAt(at)!).length) };
  if (grammar.keywords.has(grammar.ignoresCase ? name.toLowerCase() : name))
    return { kind: "keyword", text: name };
  return { kind: line[at + name.length] === "(" ? "name" : null, text: name };
}

/** Shells and addresses hold marks of comments in the middle of words. */
function isCommentPlace(line: string, at: number): boolean {
  return at === 0 || !/[\w:$"'#/]/.test(line[at - 1]!);
}

function findClose({ line, at, close }: { line: string; at: number; close: string }) {
  const escapes = close.length === 1;
  for (let index = at; index < line.length; index += 1) {
    if (escapes && line[index] === "\\") index += 1;
    else if (line.startsWith(close, index)) return { length: index + close.length - at, isClosed: true };
  }
  return { length: line.length - at, isClosed: false };
}

function kindOfClose({ grammar, close }: { grammar: Grammar; close: string }): CodeKind {
  return Object.values(grammar.multiLine).find((candidate) => candidate.close === close)?.kind ?? "string";
}

function matchAt(pattern: RegExp, line: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(line)?.[0] ?? null;
}

function toDiffToken(line: string): CodeToken {
  if (/^\+(?!\+\+)/.test(line)) return { kind: "added", text: line };
  if (/^-(?!--)/.test(line)) return { kind: "removed", text: line };
  return { kind: /^(?:@@|\+\+\+|---|diff |index )/.test(line) ? "comment" : null, text: line };
}
