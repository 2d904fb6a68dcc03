import { expect, test } from "vitest";
import { summarizeChats, toChatTable } from "./chat-table";
import type { ChatRound } from "./chat-table";

const round = (changes: Partial<ChatRound>): ChatRound => ({
  side: "Latchkey",
  streams: 3,
  firstWordMs: [3, 1, 2],
  cpuMicrosAWord: 10,
  kilobytesAStream: 50,
  ...changes,
});

test("figures are medians over the rounds of one side and one number of streams", () => {
  const rounds = [
    round({}),
    round({ side: "AI SDK", firstWordMs: [1, 1, 1], cpuMicrosAWord: 100 }),
    round({ firstWordMs: [9, 9, 8], cpuMicrosAWord: 30 }),
    round({ side: "AI SDK", firstWordMs: [18, 18, 18], cpuMicrosAWord: 60 }),
    round({ firstWordMs: [4, 4, 5], cpuMicrosAWord: 20, kilobytesAStream: 70 }),
    round({ side: "AI SDK", firstWordMs: [4, 4, 4], cpuMicrosAWord: 50, kilobytesAStream: 0 }),
    round({ streams: 30 }),
  ];
  const figures = summarizeChats(rounds);
  const costs = { cpuMicrosAWord: 20, kilobytesAStream: 50 };
  expect(figures).toMatchObject([
    { side: "Latchkey", streams: 3, firstP50Ms: 4, firstP99Ms: 5, ...costs, ratios: null },
    // Of the rounds 2, 0.5 and 1; 0.1, 0.5 and 0.4; and no ratio to nothing.
    { side: "AI SDK", streams: 3, firstP50Ms: 4, ratios: { firstP50: 1, cpu: 0.4, memory: null } },
    { side: "Latchkey", streams: 30, firstP50Ms: 2, firstP99Ms: 3, cpuMicrosAWord: 10, ratios: null },
  ]);
  expect(toChatTable(figures).split("\n")[3]).toMatch(/\| +1\.00 \| +0\.40 \| +n\/a \|$/);
});

test("a figure missing from one round is omitted, and a round without first words is a fault", () => {
  const figures = summarizeChats([round({}), round({ cpuMicrosAWord: null })]);
  expect(figures[0]!.cpuMicrosAWord).toBeNull();
  expect(toChatTable(figures)).toContain(
    "| Latchkey |               3 |                 2.0 |     3.0 |             n/a |",
  );
  expect(() => summarizeChats([round({ firstWordMs: [] })])).toThrow("first word");
});
