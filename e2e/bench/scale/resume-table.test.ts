import { expect, test } from "vitest";
import { judgeResuming, summarizeResuming, toResumeTable } from "./resume-table";
import type { ResumeRound } from "./resume-table";

const round = (changes: Partial<ResumeRound>): ResumeRound => ({
  database: "SQLite",
  work: "20 words",
  isResumable: false,
  firstWordMs: [3, 1, 2],
  cpuMicrosAnAnswer: 1_000,
  ...changes,
});
const resumable = (changes: Partial<ResumeRound>) => round({ isResumable: true, ...changes });

test("a resumable answer stands beside the plain one of its round, and the figures are medians over the rounds", () => {
  const rounds = [
    ...[round({}), resumable({ cpuMicrosAnAnswer: 1_200, firstWordMs: [2, 2, 2] })],
    ...[round({ cpuMicrosAnAnswer: 4_000 }), resumable({ cpuMicrosAnAnswer: 4_400, firstWordMs: [3, 3, 9] })],
    ...[round({ cpuMicrosAnAnswer: 2_000 }), resumable({ cpuMicrosAnAnswer: 2_000, firstWordMs: [4, 1, 4] })],
    round({ database: "PostgreSQL" }),
    resumable({ database: "PostgreSQL", cpuMicrosAnAnswer: null }),
  ];
  const [ours, other] = summarizeResuming(rounds);
  expect(ours).toEqual({
    database: "SQLite",
    work: "20 words",
    plain: { firstWordMs: 2, cpuMicrosAnAnswer: 2_000 },
    resumable: { firstWordMs: 3, cpuMicrosAnAnswer: 2_000 },
    // Of the rounds 1.2, 1.1 and 1; 1, 1.5 and 2.
    ratios: { cpu: 1.1, firstWord: 1.5 },
  });
  expect(other).toMatchObject({ database: "PostgreSQL", ratios: { cpu: null, firstWord: 1 } });
  const table = toResumeTable({ answers: [ours!, other!], crowds: [] });
  expect(table).toMatch(
    /\| 20 words \| SQLite +\| +2\.00 \| +2\.0 \| +2\.00 \| +3\.0 \| +1\.10 \| +1\.50 \|/,
  );
});

test("the aims are met at 1.15 times a plain answer and missed beyond, and a machine without figures says so", () => {
  const judge = (cpu: number | null, firstWord: number) => {
    const [answer] = summarizeResuming([round({}), resumable({})]);
    return judgeResuming({ answers: [{ ...answer!, ratios: { cpu, firstWord } }] }).map(({ isMet }) => isMet);
  };
  expect(judge(1.15, 1.15)).toEqual([true, true]);
  expect(judge(1.16, 1.16)).toEqual([false, false]);
  expect(judge(null, 1)).toEqual([null, true]);
});

test("the table of many at once shows the database before, with their answers, and after the sweep", () => {
  const bytes = { bytesBefore: 1_024, bytesKept: 2_048_000, bytesAfterSweep: 3_072 };
  const crowd = { database: "SQLite", streams: 1_000, firstWordMs: 900.4, words: 40_000, ...bytes };
  expect(toResumeTable({ answers: [], crowds: [crowd] })).toMatch(
    /\| SQLite +\| +1,000 \| +900 \| +40,000 \| +1 \| +2,000 \| +3 \|/,
  );
});
