import path from "node:path";
import { expect, test } from "vitest";
import { createTestDir } from "~e2e/support/databases/database";
import { makeQuestion, makeText } from "./made-up-text";
import { compareQuality, summarizeSpeed, toSearchTable } from "./search-costs";

test("the tables name every size, and both kinds of search on the labelled questions", () => {
  const round = (fused: number, plain: number, stallMs: number) => ({
    fused: { p50Ms: fused, stallMs },
    textOnly: { p50Ms: 3, stallMs: 99 },
    plain: { p50Ms: plain, stallMs: 99 },
  });
  const rounds = [round(12.34, 2, 5.55), round(10, 1, 1), round(50, 25, 2)];
  const table = toSearchTable({
    speeds: [summarizeSpeed(10_000, rounds)],
    quality: {
      fused: { recallAt5: 0.9, meanReciprocalRank: 0.8 },
      plain: { recallAt5: 0.7, meanReciprocalRank: 0.655 },
    },
  });
  expect(table).toContain("| 10,000 | 12.3 | 3.0 | 2.0 | 6.2 | 5.5 |");
  expect(table).toContain("| Latchkey | 0.90 | 0.80 |");
  expect(table).toContain("| plain full text | 0.70 | 0.66 |");
});

test("generated texts are the same in every run, and differ from each other", () => {
  expect(makeText(7)).toBe(makeText(7));
  expect(makeText(7)).not.toBe(makeText(8));
  expect(makeText(7).split(" ")).toHaveLength(90);
  expect(makeQuestion(7).split(" ")).toHaveLength(6);
});

test("fusing words and vectors finds as many labelled questions as plain full text, at about the same rank", async () => {
  const { fused, plain } = await compareQuality(path.join(await createTestDir(), "labelled.db"));
  // Plain full text is a real opponent here, or there would be nothing to hold the search against.
  expect(plain.recallAt5).toBeGreaterThan(0.5);
  expect(fused.recallAt5).toBeGreaterThanOrEqual(plain.recallAt5);
  // Built-in vectors know no meaning: what they add is found, and may cost another passage a place among the first.
  expect(fused.meanReciprocalRank).toBeGreaterThanOrEqual(plain.meanReciprocalRank - 0.05);
});
