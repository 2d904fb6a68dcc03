import { expect, test } from "vitest";
import { fuseRanks } from "./find-passages.server";

const order = (first: string[], second: string[]) => fuseRanks(first, second).map(({ id }) => id);

test("the first in both lists scores 1, the first in one and missing from the other 0.5", () => {
  expect(fuseRanks(["a"], ["a"])).toEqual([{ id: "a", score: 1 }]);
  expect(fuseRanks(["a"], [])).toEqual([{ id: "a", score: 0.5 }]);
  expect(fuseRanks([], ["a"])).toEqual([{ id: "a", score: 0.5 }]);
  expect(fuseRanks([], [])).toEqual([]);
});

test("scores are those of reciprocal ranks with the constant 60", () => {
  // a: 61/61 and 61/63, b: 61/62 and 61/61, c: 61/62, each halved.
  expect(fuseRanks(["a", "b"], ["b", "c", "a"])).toEqual([
    { id: "b", score: 0.9919 },
    { id: "a", score: 0.9841 },
    { id: "c", score: 0.4919 },
  ]);
});

test("an id on both lists precedes one that only one list ranks first", () => {
  expect(order(["a", "x"], ["b", "x"])).toEqual(["x", "a", "b"]);
});

test("ranks alone decide: every id comes once, from the higher to the lower score", () => {
  const first = Array.from({ length: 40 }, (_, index) => `p${index}`);
  const second = [...first].reverse();
  const fused = fuseRanks(first, second);
  expect(new Set(fused.map(({ id }) => id)).size).toBe(40);
  expect(fused).toHaveLength(40);
  for (const [index, { score }] of fused.entries()) {
    expect(score).toBeLessThanOrEqual(fused[index - 1]?.score ?? 1);
  }
});

test("ties follow the order of the first list, then of the second", () => {
  expect(order(["b", "a"], ["a", "b"])).toEqual(["b", "a"]);
  expect(order(["z"], ["a"])).toEqual(["z", "a"]);
});
