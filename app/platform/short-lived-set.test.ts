import { expect, test } from "vitest";
import { ShortLivedSet } from "./short-lived-set";

test("each item is there once, in the order in which it came, until it is taken out", () => {
  const set = new ShortLivedSet<string>();
  for (const item of ["a", "b", "a", "c"]) set.add(item);
  expect([set.list(), set.size]).toEqual([["a", "b", "c"], 3]);
  const before = set.list();
  expect([set.delete("b"), set.delete("b"), set.delete("d")]).toEqual([true, false, false]);
  set.add("b");
  expect([set.list(), set.size, before]).toEqual([["a", "c", "b"], 3, ["a", "b", "c"]]);
  expect([set.find((item) => item > "a"), set.find((item) => item > "c")]).toEqual(["c", undefined]);
});
