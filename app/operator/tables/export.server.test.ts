import { expect, test } from "vitest";
import { csvLine, exportTable } from "./read-table.server";
import type { TableStore } from "./tables.store.server";

test.each([
  ["decisions", ["flushed", "audited", "read"]],
  ["keys", ["audited", "read"]],
])("an export of %s writes first what of it waits in memory", async (table, steps) => {
  const done: string[] = [];
  const note = (step: string) => () => Promise.resolve(void done.push(step));
  async function* readAll() {
    await note("read")();
    yield [];
  }
  const tables = { [table]: { readAll } } as unknown as TableStore;
  const sessions = { recordAudit: note("audited") };
  const request = { searchParams: new URLSearchParams(), signal: new AbortController().signal };
  const actor = { clientId: "198.51.100.1", requestId: "r" };
  const file = await exportTable({ table, actor, ...request }, { tables, flush: note("flushed"), sessions });
  await file.text();
  expect(done).toEqual(steps);
});

test("fields are quoted where RFC 4180 requires it, and lines end as it says", () => {
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
])("%j is exported so that no spreadsheet runs it as a formula", (text) => {
  const line = csvLine([text]);
  expect(line.replace(/^"/, "").startsWith("'")).toBe(true);
  expect(line.replaceAll('""', '"')).toContain(text);
});

test("text with such characters further on is exported unchanged", () => {
  expect(csvLine(["a=b", "2026-11-21", "0x1", "née", "1+1"])).toBe("a=b,2026-11-21,0x1,née,1+1\r\n");
});
