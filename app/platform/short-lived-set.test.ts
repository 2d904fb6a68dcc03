import { setFlagsFromString, getHeapSpaceStatistics } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { listenBriefly } from "./listen-briefly";
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

type Collect = (options: { type: "minor" | "major" }) => void;

/** Bytes of the old generation that come with 20,000 items of a kilobyte, of which eight are there at a time. */
function bytesLeftBy(hold: (item: object) => () => void): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as Collect;
  const oldBytes = () =>
    getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")!.space_used_size;
  const held: (() => void)[] = [];
  const pass = (count: number) => {
    for (let index = 1; index <= count; index += 1) {
      held.push(hold({ index, payload: new Array<number>(125).fill(0.5) }));
      if (held.length > 8) held.shift()!();
      if (index % 100 === 0) collect({ type: "minor" });
      // Whatever is there through two of them becomes old.
      if (index % 1_000 === 0) collect({ type: "minor" });
    }
  };
  pass(2_000);
  const before = oldBytes();
  pass(20_000);
  return oldBytes() - before;
}

test("what was taken out is gone with the next collections of what is young", () => {
  const set = new ShortLivedSet<object>();
  const { signal } = new AbortController();
  const left = [
    bytesLeftBy((item) => {
      set.add(item);
      return () => void set.delete(item);
    }),
    bytesLeftBy((item) => listenBriefly(signal, () => void item)),
  ];
  // A `Set`, and an `EventTarget`, leave most of 20 MB.
  for (const bytes of left) expect(bytes).toBeLessThan(2_000_000);
});
