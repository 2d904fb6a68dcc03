import { expect, test } from "vitest";
import { closeOpenMarkup, decodeEntities, lexMarkdown, toSafeHref } from "./markdown-blocks";

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

test("a finished block has the same text while the reply grows", () => {
  const whole = lexMarkdown(answer, false).blocks;
  for (let end = 0; end < answer.length; end += 7) {
    const { blocks } = lexMarkdown(answer.slice(0, end), true);
    // The last block may still grow: a new item joins the list before it.
    for (const [index, { raw }] of blocks.slice(0, -2).entries()) expect(raw).toBe(whole[index]!.raw);
  }
});

test("a link's address is found wherever in the reply it is defined", () => {
  for (const [text, isGrowing] of [
    [answer, false],
    ["[there]: https://example.org/there\n\nLast [words][there] of **it", true],
  ] as const) {
    const { blocks } = lexMarkdown(text, isGrowing);
    expect(JSON.stringify(blocks.at(-1))).toContain('"href":"https://example.org/there"');
  }
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
