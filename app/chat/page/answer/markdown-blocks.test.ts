import { Lexer } from "marked";
import { expect, test } from "vitest";
import {
  closeOpenMarkup,
  createBlockSplitter,
  decodeEntities,
  lexBlock,
  toSafeHref,
} from "./markdown-blocks";

const answer = `# Title

A paragraph of *words*
that goes on.

- one

- two
  continued

      code in an item
- three

1. first
1. second

> quoted
lazily

| a | b |
|---|---|
| 1 | 2 |

\`\`\`sh
# no heading

echo hi
\`\`\`

Setext
======

***

<div>
markup
</div>

Last [words][there] of it.

[there]: https://example.org/there
`;

test("blocks are the same whether the text came at once or in pieces of any length", () => {
  const whole = createBlockSplitter()(answer);
  for (const pieceChars of [1, 2, 3, 7, 50]) {
    const split = createBlockSplitter();
    let last = split("");
    for (let end = 0; end < answer.length + pieceChars; end += pieceChars) last = split(answer.slice(0, end));
    expect(last, `${pieceChars} characters a piece`).toEqual(whole);
  }
});

test("blocks joined give the text, and the same as parsing it whole", () => {
  const { blocks, definitions } = createBlockSplitter()(answer);
  expect(blocks.map(({ source }) => source).join("") + definitions).toBe(answer);
  const types = blocks.map(({ source }) => lexBlock({ source, definitions })[0]!.type);
  const expected = new Lexer({ gfm: true }).lex(answer).map(({ type }) => type);
  expect(types).toEqual(expected.filter((type) => type !== "space" && type !== "def"));
});

test("finished blocks stay the same objects while the text grows", () => {
  const split = createBlockSplitter();
  const before = split("one\n\ntwo\n\nthree\n\nfour").blocks;
  const after = split("one\n\ntwo\n\nthree\n\nfour and more\n\nfive").blocks;
  expect(after[0]).toBe(before[0]);
  expect(after[1]).toBe(before[1]);
  expect(after).toHaveLength(5);
  expect(split("another text").blocks).toMatchObject([{ source: "another text", depth: null }]);
});

test("a link's address is found wherever in the answer it is defined", () => {
  const { blocks, definitions } = createBlockSplitter()(answer);
  const source = blocks.at(-1)!.source;
  const [paragraph] = lexBlock({ source, definitions });
  expect(JSON.stringify(paragraph)).toContain('"href":"https://example.org/there"');
});

test.each([
  ["some **bold", "some **bold**"],
  ["some **", "some "],
  ["some **bold**", "some **bold**"],
  ["a `piece", "a `piece`"],
  ["a `piece` and **more `x", "a `piece` and **more `x`"],
  ["see [the words", "see the words"],
  ["see [the words](https://exam", "see the words"],
  ["see ![a picture](https://exam", "see a picture"],
  ["see [the words](https://example.org)", "see [the words](https://example.org)"],
  ["~~gone", "~~gone~~"],
  ["```\nsome **code", "```\nsome **code"],
  ["plain", "plain"],
])("unfinished Markdown %j is drawn as %j", (half, whole) => {
  expect(closeOpenMarkup(half)).toBe(whole);
});

test.each([
  ["https://example.org/a?b=c#d", "https://example.org/a?b=c#d"],
  ["http://example.org", "http://example.org"],
  ["mailto:a@example.org", "mailto:a@example.org"],
  ["/docs", "/docs"],
  ["#part", "#part"],
  ["javascript:alert(1)", null],
  ["JavaScript:alert(1)", null],
  ["java\nscript:alert(1)", null],
  ["&#106;avascript:alert(1)", null],
  ["javascript&colon;alert(1)", null],
  ["data:text/html,x", null],
  ["vbscript:x", null],
  ["blob:https://example.org/x", null],
  ["//evil.example", null],
  ["/\\evil.example", null],
  ["/\t/evil.example", null],
  ["relative", null],
  ["", null],
])("a link to %j is drawn with the address %j", (href, address) => {
  expect(toSafeHref(href)).toBe(address);
});

test("entities are drawn as their characters, unknown ones as text", () => {
  expect(decodeEntities("&lt;a&gt; &amp;amp; &#65;&#x42; &nosuch; &constructor; &#0;&#xD800; &")).toBe(
    "<a> &amp; AB &nosuch; &constructor; \ufffd\ufffd &",
  );
});
