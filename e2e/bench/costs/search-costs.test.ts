import { expect, test } from "vitest";
import { createTestDir } from "~e2e/support/databases/database";
import { makeQuestion, makeText } from "./made-up-text";
import { compareQuality, judgeSearch, summarizeSpeed, toSearchTable } from "./search-costs";

const quality = [
  {
    questions: "labelled",
    latchkey: { recallAt5: 1, meanReciprocalRank: 0.955 },
    plain: { recallAt5: 0.7, meanReciprocalRank: 0.655 },
  },
  {
    questions: "further",
    latchkey: { recallAt5: 0.95, meanReciprocalRank: 0.89 },
    plain: { recallAt5: 0.7, meanReciprocalRank: 0.6 },
  },
];
const round = (latchkey: number, plain: number, stallMs: number) => ({
  latchkey: { p50Ms: latchkey, stallMs },
  plain: { p50Ms: plain, stallMs: 99 },
});
const rounds = [round(12.34, 2, 5.55), round(10, 1, 1), round(50, 25, 2)];
const speeds = [summarizeSpeed(10_000, rounds)];

test("the tables name every size, and both kinds of search on each file of questions", () => {
  const table = toSearchTable({ speeds, quality });
  expect(table).toContain("| 10,000 | 12.3 | 2.0 | 6.2 | 5.5 |");
  expect(table).toContain("| labelled | 1.00 | 0.95 | 0.70 | 0.66 |");
  expect(table).toContain("| further | 0.95 | 0.89 | 0.70 | 0.60 |");
});

test("a search is judged by its time beside plain full text, and by what it finds of each file of questions", () => {
  expect(judgeSearch({ speeds, quality })).toEqual([
    "over  search of 10,000 passages within 2x of plain full text: 6.2x",
    "PASS  labelled questions, recall@5 at least 0.95: 1.00",
    "PASS  labelled questions, MRR at least 0.9: 0.95",
    "PASS  further questions, recall@5 at least 0.95: 0.95",
    "over  further questions, MRR at least 0.9: 0.89",
  ]);
});

test("generated texts are the same in every run, and differ from each other", () => {
  expect(makeText(7)).toBe(makeText(7));
  expect(makeText(7)).not.toBe(makeText(8));
  expect(makeText(7).split(" ")).toHaveLength(90);
  expect(makeQuestion(7).split(" ")).toHaveLength(6);
});

test("the search finds more of the questions than plain full text, and puts the answers further up", async () => {
  const compared = await compareQuality(await createTestDir());
  expect(compared).toHaveLength(3);
  for (const { latchkey, plain } of compared) {
    // Plain full text is a real opponent here, or there would be nothing to hold the search against.
    expect(plain.recallAt5).toBeGreaterThan(0.5);
    expect(latchkey.recallAt5).toBeGreaterThanOrEqual(plain.recallAt5);
    expect(latchkey.meanReciprocalRank).toBeGreaterThan(plain.meanReciprocalRank);
  }
});
