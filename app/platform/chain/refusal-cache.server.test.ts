import { expect, test } from "vitest";
import { createRefusalCache } from "./refusal-cache.server";

const tenMinutesMs = 600_000;

test("a refused call is not tried for ten minutes, and then by one caller of many", () => {
  let nowMs = 5_000;
  const memory = createRefusalCache(() => nowMs);
  expect([memory.shouldTry(), memory.shouldTry(), memory.wasRefused()]).toEqual([true, true, false]);

  memory.noteRefusal();
  nowMs += tenMinutesMs - 1;
  expect(memory.shouldTry()).toBe(false);
  nowMs += 1;
  expect([memory.shouldTry(), memory.shouldTry(), memory.wasRefused()]).toEqual([true, false, true]);
});

test("a forgotten refusal is retried at once, and a clock set back does not lengthen one", () => {
  let nowMs = 5_000;
  const memory = createRefusalCache(() => nowMs);
  memory.noteRefusal();
  nowMs -= 1;
  expect(memory.shouldTry()).toBe(true);
  memory.noteRefusal();
  memory.forget();
  expect([memory.shouldTry(), memory.wasRefused()]).toEqual([true, false]);
});
