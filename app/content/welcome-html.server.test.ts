import { Lexer } from "marked";
import { expect, onTestFinished, test, vi } from "vitest";
import { hostileMarkup } from "~e2e/support/hostile-markup";
import { renderWelcomeHtml } from "./welcome-html.server";

test("Markdown becomes the elements that it can express", () => {
  const html = renderWelcomeHtml(
    "# Hello\n\nWith **weight** and [a link](https://example.org/).\n\n> said\n\n1. one",
  );
  expect(html).toContain("<h1>Hello</h1>");
  expect(html).toContain("<strong>weight</strong>");
  expect(html).toContain(
    '<a href="https://example.org/" target="_blank" rel="noopener noreferrer">a link</a>',
  );
  expect(html).toContain("<blockquote>");
  expect(html).toContain("<ol>");
});

test("pictures of this site are kept, others are removed", () => {
  expect(renderWelcomeHtml("![ours](/media/1/images/a.svg?exp=1&sig=2)")).toContain(
    '<img src="/media/1/images/a.svg?exp=1&amp;sig=2" alt="ours" />',
  );
  for (const foreign of [
    "https://elsewhere.invalid/a.png",
    "//elsewhere.invalid/a.png",
    "data:image/png;base64,AAAA",
    "images/beside.png",
  ]) {
    expect(renderWelcomeHtml(`![x](${foreign})`), foreign).not.toContain("<img");
  }
  expect(renderWelcomeHtml('<img src="/\\elsewhere.invalid/a.png">')).not.toContain("<img");
});

test("hostile markup is removed, and every name, class and style", () => {
  for (const markup of [
    ...hostileMarkup,
    "[x](javascript:hit())",
    '<p id="a" class="b" style="c" onclick="hit()">d</p>',
  ]) {
    const html = renderWelcomeHtml(markup);
    expect(html, markup).not.toMatch(
      /<(?:script|style|iframe|svg|math|form|input|object|embed|base|meta|link)\b/i,
    );
    expect(html, markup).not.toMatch(/<[^>]+\s(?:on\w+|id|class|style|srcset)\s*=/i);
    expect(html, markup).not.toMatch(/<[^>]+=\s*"\s*(?:javascript|data|vbscript):/i);
  }
});

test("a text is rendered once, however large and for whichever key, and each key gets its own addresses", () => {
  const write = (tokenId: number | string, exp: number) =>
    `${"# Hi\n\n".repeat(10_000)}![a](/media/${tokenId}/images/a.svg?exp=${exp}&sig=a-b_c) ![b](/media/${tokenId}/b.png?exp=${exp}&sig=d)`;
  const show = (tokenId: number | string, exp: number) =>
    `<img src="/media/${tokenId}/images/a.svg?exp=${exp}&amp;sig=a-b_c" alt="a" /> <img src="/media/${tokenId}/b.png?exp=${exp}&amp;sig=d" alt="b" />`;
  const rendering = vi.spyOn(Lexer.prototype, "lex");
  onTestFinished(() => rendering.mockRestore());
  for (const tokenId of [1, 22, "patron-1", 1])
    expect(renderWelcomeHtml(write(tokenId, 60)).endsWith(`${show(tokenId, 60)}</p>`)).toBe(true);
  expect(renderWelcomeHtml(write(1, 120))).toContain(show(1, 120));
  expect(rendering).toHaveBeenCalledTimes(1);
});
