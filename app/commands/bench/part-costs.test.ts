import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { toPartTable } from "./part-costs";

test("each part has a row, library first", () => {
  expect(toPartTable([{ part: "sign", libraryMicros: 136.7, ownMicros: 10.4 }]).split("\n")).toEqual([
    "| | Library, µs of CPU | Latchkey, µs of CPU |",
    "|---|---:|---:|",
    "| sign | 137 | 10 |",
  ]);
});

test("the decision has a place for the table", () => {
  const document = readFileSync("docs/decisions/025-what-a-sign-in-costs.md", "utf8");
  expect(document.indexOf("<!-- parts:begin -->")).toBeGreaterThan(0);
  expect(document.indexOf("<!-- parts:end -->")).toBeGreaterThan(document.indexOf("<!-- parts:begin -->"));
});
