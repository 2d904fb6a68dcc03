import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { QuotaMeter } from "./chat-bars";

const resetAtMs = Date.UTC(2031, 4, 6, 10, 0);
const draw = (remaining: number, limit = 10_000) =>
  renderToStaticMarkup(
    createElement(QuotaMeter, { quota: { limit, used: limit - remaining, remaining, resetAtMs } }),
  );

test("the meter shows what is left, without a warning, below eighty percent used", () => {
  const markup = draw(2_001);
  expect(markup).toContain('role="meter"');
  expect(markup).toContain('aria-valuenow="7999"');
  expect(markup).toContain('aria-valuetext="7999 of 10000 tokens used"');
  expect(markup).toContain("2,001 of 10,000 tokens left");
  expect(markup).not.toContain("quota-low");
  expect(markup).not.toContain("<strong>");
});

test("the meter warns at eighty percent used, in words and not in colour alone", () => {
  const markup = draw(2_000);
  expect(markup).toContain('class="row quota quota-low"');
  expect(markup).toContain("<strong>Running low: </strong>");
  expect(markup).toContain("width:80%");
});

test("the meter says when nothing is left, and never shows more than all of it", () => {
  expect(draw(0)).toContain("<strong>Nothing left: </strong>");
  expect(draw(-50)).toContain('aria-valuenow="10000"');
  expect(draw(0, 0)).toContain("quota-low");
});

test("the meter shows the renewal in the reader's own time, and omits it when it is unknown", () => {
  // Ten a.m. in Greenwich is a quarter to eleven p.m. on the Chatham Islands, the time zone of these tests.
  expect(draw(5_000)).toMatch(/tokens left, renewed at [^<]*(?:10:45\sPM|22:45)/);
  const markup = renderToStaticMarkup(
    createElement(QuotaMeter, { quota: { limit: 10, used: 5, remaining: 5, resetAtMs: null } }),
  );
  expect(markup).toContain("5 of 10 tokens left");
  expect(markup).not.toContain("renewed");
});
