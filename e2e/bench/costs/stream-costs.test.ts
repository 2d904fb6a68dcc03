import { expect, test } from "vitest";
import { judgeStreams, summarizeStreams, toStreamTable } from "./stream-costs";

const direct = { firstTokenMs: 0.5, microsecondsAToken: 5, kilobytesAStream: 2, coreShare: 0.2 };
const reply = { firstTokenMs: 1.5, microsecondsAToken: 15, kilobytesAStream: 60, coreShare: 1 };
const sdk = { firstTokenMs: 6, microsecondsAToken: 90, kilobytesAStream: 190, coreShare: 1.5 };

test("a value just within the aims passes, and one just beyond is over", () => {
  expect(judgeStreams({ direct, reply }).map((line) => line.slice(0, 4))).toEqual(Array(4).fill("PASS"));
  const beyond = { firstTokenMs: 1.6, microsecondsAToken: 15.1, kilobytesAStream: 60.1, coreShare: 1.1 };
  expect(judgeStreams({ direct, reply: beyond }).map((line) => line.slice(0, 4))).toEqual(
    Array(4).fill("over"),
  );
});

test("the table has a column for each path, and the median of the rounds' own ratios", () => {
  const rounds = [15, 45, 90].map((microsecondsAToken) => ({
    direct,
    sdk: { ...sdk, microsecondsAToken: 90 },
    reply: { ...reply, microsecondsAToken },
  }));
  rounds[2]!.sdk.microsecondsAToken = 900;
  const figures = summarizeStreams(rounds);
  expect(figures.reply.microsecondsAToken).toBe(45);
  expect(toStreamTable(figures).split("\n")[3]).toBe("| CPU a token, µs | 5.0 | 45.0 | 90.0 | 0.17 |");
  expect(toStreamTable(figures).split("\n")[5]).toBe(
    "| 200 streams at once, % of a core | 20 | 100 | 150 | 0.67 |",
  );
});
