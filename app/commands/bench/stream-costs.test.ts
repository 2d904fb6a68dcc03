import { expect, test } from "vitest";
import { judgeStreams, toStreamTable } from "./stream-costs";

const direct = { firstTokenMs: 0.5, microsecondsAToken: 5, kilobytesAStream: 2, coreShare: 0.2 };
const reply = { firstTokenMs: 2, microsecondsAToken: 15, kilobytesAStream: 60, coreShare: 1 };
const sdk = { firstTokenMs: 6, microsecondsAToken: 90, kilobytesAStream: 190, coreShare: 1.5 };

test("what is just within the aims passes, and what is just beyond is over", () => {
  expect(judgeStreams({ direct, reply, sdk }).map((line) => line.slice(0, 4))).toEqual(Array(4).fill("PASS"));
  const beyond = { firstTokenMs: 2.1, microsecondsAToken: 15.1, kilobytesAStream: 60.1, coreShare: 1.1 };
  expect(judgeStreams({ direct, reply: beyond, sdk }).map((line) => line.slice(0, 4))).toEqual(
    Array(4).fill("over"),
  );
});

test("the table has a column for each path", () => {
  const table = toStreamTable({ direct, reply, sdk });
  expect(table.split("\n")[3]).toBe("| CPU a token, µs | 5.0 | 15.0 | 90.0 |");
});
