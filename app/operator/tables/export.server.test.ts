import { expect, test } from "vitest";
import { csvLine } from "./export.server";

test("fields are quoted where they have to be, and lines end as RFC 4180 has it", () => {
  expect(csvLine(["plain", 'with "quotes"', "a,b", "two\nlines", null, 5, -5])).toBe(
    'plain,"with ""quotes""","a,b","two\nlines",,5,-5\r\n',
  );
});

test.each([
  "=1+1",
  "+1",
  "-1",
  "@SUM(A1)",
  "\t=1",
  "\r=1",
  "\n=1",
  " =1",
  "  +cmd",
  "\u200b=1",
  "\ufeff=1",
  "\uff1d1",
  '=HYPERLINK("https://evil.example","x")',
  "=cmd|' /C calc'!A0",
])("%j is no formula to a spreadsheet", (text) => {
  const line = csvLine([text]);
  expect(line.replace(/^"/, "").startsWith("'")).toBe(true);
  expect(line.replaceAll('""', '"')).toContain(text);
});

test("text that only holds such characters further on is as it was", () => {
  expect(csvLine(["a=b", "2026-11-21", "0x1", "née", "1+1"])).toBe("a=b,2026-11-21,0x1,née,1+1\r\n");
});
