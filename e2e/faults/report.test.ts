import { expect, test } from "vitest";
import { play } from "./play";
import { countVerdicts, judge, toTable } from "./report";
import type { Outcome } from "./report";
import { isKept, scaled } from "./scenario";
import type { Bound, Figure } from "./scenario";

const run = { scale: 1, seed: 1, say: () => undefined };
const lost = (measured: number): Figure => ({ what: "unlocks lost", measured, bound: { equals: 0 } });
const outcome = (rest: Partial<Outcome>): Outcome => ({
  slug: "a-fault",
  promise: "All is kept.",
  seconds: 1,
  figures: [lost(0)],
  error: null,
  skipped: null,
  ...rest,
});

test.each<[Bound, number, boolean]>([
  [{ equals: 0 }, 0, true],
  [{ equals: 0 }, 1, false],
  [{ atMost: 5 }, 5, true],
  [{ atMost: 5 }, 5.01, false],
  [{ atLeast: 5 }, 5, true],
  [{ atLeast: 5 }, 4.99, false],
  [{ atMost: 5 }, NaN, false],
])("a figure that must be %j and is %d is judged within its bound: %s", (bound, measured, kept) => {
  expect(isKept({ what: "figure", measured, bound })).toBe(kept);
});

test("one figure out of bounds breaks the fault, and so does measuring nothing or ending early", () => {
  expect(judge(outcome({}))).toBe("held");
  expect(judge(outcome({ figures: [lost(0), lost(1)] }))).toBe("broken");
  expect(judge(outcome({ figures: [] }))).toBe("broken");
  expect(judge(outcome({ error: "It fell over." }))).toBe("broken");
});

test("a fault that could not be played here neither passed nor failed, and is counted", () => {
  const skipped = outcome({ figures: [], skipped: "There is no Redis here." });
  expect(judge(skipped)).toBe("skipped");
  expect(countVerdicts([outcome({}), skipped, outcome({ error: "no" })])).toBe(
    "1 passed, 1 failed, 1 skipped",
  );
  expect(countVerdicts([outcome({})])).toBe("1 passed, 0 failed");
});

test("the table names the figure, its bound and whether it held", () => {
  const size: Figure = { what: "memory", measured: 1234.567, unit: "MiB", bound: { atMost: 2000 } };
  expect(toTable([outcome({ figures: [size] })])).toMatch(
    /memory +\| +1,234\.57 MiB \| ≤ 2,000 MiB \| +held \|$/,
  );
  expect(toTable([outcome({ error: "It fell over." })])).toContain("**BROKEN**");
});

test("a fault that throws is reported with its reason, and so is a skipped one", async () => {
  const scenario = { slug: "a-fault", promise: "All is kept.", inTests: false } as const;
  const played = await play({ ...scenario, run: async () => [lost(0)] }, run);
  expect(played).toMatchObject({ figures: [lost(0)], error: null, skipped: null });
  const skipped = await play({ ...scenario, run: async () => ({ skipped: "Not here." }) }, run);
  expect(skipped).toMatchObject({ figures: [], error: null, skipped: "Not here." });
  const failed = await play({ ...scenario, run: () => Promise.reject(new Error("Fell.")) }, run);
  expect(failed).toMatchObject({ figures: [], error: "Error: Fell.", skipped: null });
});

test("a fault at small scale still makes at least one attempt", () => {
  expect([1, 0.1, 0.001].map((scale) => scaled({ count: 200, scale }))).toEqual([200, 20, 1]);
  expect(scaled({ count: 200, scale: 0.001, least: 3 })).toBe(3);
});
