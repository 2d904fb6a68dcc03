import { expect, test } from "vitest";
import { hostileMarkup } from "~/testing/hostile-markup";
import { renderMarkdown } from "./render-markdown.server";

test("prose, lists, tables, code and links are rendered", () => {
  const html = renderMarkdown(
    "# Title\n\nA *word* and a [link](https://example.org/).\n\n- one\n- two\n\n| a |\n|--|\n| b |\n\n```js\nlet a = 1 < 2;\n```\n",
  );
  expect(html).toContain("<h1>Title</h1>");
  expect(html).toContain('<a href="https://example.org/" rel="noopener noreferrer nofollow">link</a>');
  expect(html).toContain("<li>one</li>");
  expect(html).toContain("<td>b</td>");
  expect(html).toContain('<code class="language-js">let a = 1 &lt; 2;\n</code>');
});

test("pictures come from the media route only; of others the description is left", () => {
  expect(renderMarkdown("![a lamp](/media/1/lamp.svg?exp=1&sig=x)")).toBe(
    '<p><img src="/media/1/lamp.svg?exp=1&amp;sig=x" alt="a lamp" loading="lazy" decoding="async" /></p>\n',
  );
  for (const src of [
    "https://evil.example/a.png",
    "http://own.invalid.evil.example/media/a.png",
    "//evil.example/media/a.png",
    "/\\evil.example/media/a.png",
    "/media/../operator",
    "/media/%2e%2e/operator",
    "images/lamp.svg",
    "data:image/png;base64,AAAA",
    "javascript:alert(1)",
  ]) {
    expect(renderMarkdown(`![a lamp](${src})`), src).toBe("<p><span>a lamp</span></p>\n");
  }
});

test("a description cannot become markup", () => {
  expect(renderMarkdown('<img src="x" alt="<script>alert(1)</script>">')).not.toContain("<script");
});

test.each(
  [
    ...hostileMarkup,
    "[x](javascript:hit())",
    "[x](javascript&colon;hit())",
    "<javascript:hit()>",
    '![x](x"onerror="hit())',
    "[x]: javascript:hit()\n\n[x]",
    "`<img src=x onerror=hit()>`",
    '[a](<https://example.org/" onclick="hit()>)',
    '```"><img src=x onerror=hit()>\ncode\n```',
  ].map((markup) => [markup]),
)("nothing dangerous is left of %s", (markup) => {
  for (const tag of renderMarkdown(`before\n\n${markup}`).match(/<[^>]*>/g) ?? []) {
    expect(tag).toMatch(/^<\/?[a-z][a-z0-9]*(?: [a-z-]+(?:="[^"<>]*")?)*(?: \/)?>$/);
    expect(tag).not.toMatch(
      /^<\/?(?:script|style|iframe|object|embed|svg|math|form|input|textarea|button|select|link|meta|base)\b/,
    );
    expect(tag).not.toMatch(/ (?:on[a-z]+|style|srcset|id|name)\b/);
    expect(tag).not.toMatch(/(?:javascript|vbscript|data)\s*:/i);
    expect(tag).not.toMatch(/^<img (?!src="\/media\/)/);
  }
});
