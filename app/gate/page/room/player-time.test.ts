import { expect, test } from "vitest";
import { jumpTo, playerTime, spokenTime } from "./room-audio";

test("times are written as on every player, and unknown ones omitted", () => {
  expect([0, 7.49, 59.99, 60, 3599, 3600, 36_061].map(playerTime)).toEqual([
    ...["0:00", "0:07", "0:59", "1:00", "59:59", "1:00:00", "10:01:01"],
  ]);
  expect([NaN, Infinity, -1].map(playerTime)).toEqual(["0:00", "0:00", "0:00"]);
});

test("times are spoken in words", () => {
  expect([0, 1, 61, 3600, 7322, NaN].map(spokenTime)).toEqual([
    ...["0 seconds", "1 second", "1 minute 1 second", "1 hour", "2 hours 2 minutes 2 seconds", "0 seconds"],
  ]);
});

test("a jump stays within the sound", () => {
  expect(jumpTo({ at: 3, by: -10, duration: 60 })).toBe(0);
  expect(jumpTo({ at: 30, by: 10, duration: 60 })).toBe(40);
  expect(jumpTo({ at: 55, by: 10, duration: 60 })).toBe(60);
  expect(jumpTo({ at: 55, by: 10, duration: NaN })).toBe(65);
});
