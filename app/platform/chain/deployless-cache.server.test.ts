import { expect, test } from "vitest";
import { createDeploylessCache } from "./deployless-memory.server";

const tenMinutesMs = 600_000;

test("a refusal is remembered for ten minutes, and then one asker of many is to try", () => {
  let nowMs = 5_000;
  const memory = createDeploylessCache(() => nowMs);
  expect([memory.shouldTry(), memory.shouldTry(), memory.wasRefused()]).toEqual([true, true, false]);

  memory.noteRefusal();
  nowMs += tenMinutesMs - 1;
  expect(memory.shouldTry()).toBe(false);
  nowMs += 1;
  expect([memory.shouldTry(), memory.shouldTry(), memory.wasRefused()]).toEqual([true, false, true]);
});

test("what is forgotten is tried again at once, and a clock that was set back does not lengthen a refusal", () => {
  let nowMs = 5_000;
  const memory = createDeploylessCache(() => nowMs);
  memory.noteRefusal();
  nowMs -= 1;
  expect(memory.shouldTry()).toBe(true);
  memory.noteRefusal();
  memory.forget();
  expect([memory.shouldTry(), memory.wasRefused()]).toEqual([true, false]);
});
