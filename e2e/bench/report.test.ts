import { expect, test } from "vitest";
import { operations } from "./operations";
import { findMissed, toBudgetTable } from "./report";
import type { Row } from "./report";

const row: Row = { slug: "x", name: "x", unit: "ms of CPU", value: 0.5, atMost: 0.5, peers: [] };
const peer = { name: "peer", times: 1.5, atMost: 1.5, by: "cpu" } as const;

test("a budget is missed above its limit, beside any peer too", () => {
  expect(findMissed({ ...row, peers: [peer] })).toBe(false);
  expect(findMissed({ ...row, value: 0.51 })).toBe(true);
  expect(findMissed({ ...row, peers: [peer, { ...peer, times: 1.51 }] })).toBe(true);
  expect(findMissed({ ...row, value: 9, atMost: null })).toBe(false);
});

test("the table has a row for each figure, with its peers and its verdict", () => {
  const rows: Row[] = [
    { ...row, value: 0.512, peers: [{ ...peer, by: "rate" }] },
    { ...row, name: "y", atMost: null },
  ];
  const cells = toBudgetTable(rows)
    .split("\n")
    .slice(2)
    .map((line) => line.split("|").map((cell) => cell.trim()));
  expect(cells.map((line) => line.slice(1, -1))).toEqual([
    ["x", "1.50x peer, time a request (at most 1.50x)", "0.51 ms of CPU", "0.5", "over"],
    ["y", "", "0.5 ms of CPU", "", ""],
  ]);
});

test("every operation has a name of its own", () => {
  const slugs = operations.map(({ slug }) => slug);
  expect(new Set(slugs).size).toBe(slugs.length);
});
