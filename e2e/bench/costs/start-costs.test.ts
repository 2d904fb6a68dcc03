import { expect, test } from "vitest";
import { describeStarts, judgeStarts, summarizeStarts } from "./start-costs";
import type { StartRound } from "./start-costs";

const start = { ms: 900, cpuMs: 600, residentMB: 110 };
const round = (changes: Partial<StartRound>): StartRound => ({
  first: { ...start, ms: 1_000 },
  again: start,
  mostMB: 200,
  usedMB: 120,
  ...changes,
});

test("a start and a size just within the aims pass, just beyond are over, and unknown is neither", () => {
  const judge = (changes: Partial<StartRound>) =>
    judgeStarts(summarizeStarts([round(changes)])).map((line) => line.slice(0, 4));
  expect(judge({})).toEqual(["PASS", "PASS", "PASS"]);
  expect(judge({ again: { ...start, ms: 1_001 }, usedMB: 120.1 })).toEqual(["PASS", "over", "over"]);
  expect(judge({ usedMB: null })).toEqual(["PASS", "PASS", "n/a "]);
});

test("the table shows medians of the rounds, and says unknown where there is no /proc", () => {
  const rounds = [700, 900, 5_000].map((ms) => round({ again: { ...start, ms, cpuMs: null } }));
  const shown = describeStarts(summarizeStarts(rounds)).split("\n");
  expect(shown[3]!.split("|").map((cell) => cell.trim())).toEqual([
    ...["", "on what that left", "900", "unknown", "110", ""],
  ]);
  expect(shown[5]).toBe(
    "While 10 requests of each kind are answered: at most 200 MB. 15 s after them: 120 MB.",
  );
});
