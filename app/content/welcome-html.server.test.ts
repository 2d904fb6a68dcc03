import { expect, test } from "vitest";
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
