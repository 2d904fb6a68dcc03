import { expect, test } from "vitest";
import { createDeploylessCache } from "./deployless-cache.server";

const tenMinutesMs = 600_000;

test("a refusal is cached for ten minutes, and then one call of many tries again", () => {
  let nowMs = 5_000;
  const cache = createDeploylessCache(() => nowMs);
  expect([cache.shouldTry(), cache.shouldTry(), cache.wasRefused()]).toEqual([true, true, false]);

  cache.noteRefusal();
  nowMs += tenMinutesMs - 1;
  expect(cache.shouldTry()).toBe(false);
  nowMs += 1;
  expect([cache.shouldTry(), cache.shouldTry(), cache.wasRefused()]).toEqual([true, false, true]);
});

test("what is forgotten is tried again at once, and a clock that was set back does not lengthen a refusal", () => {
  let nowMs = 5_000;
  const cache = createDeploylessCache(() => nowMs);
  cache.noteRefusal();
  nowMs -= 1;
  expect(cache.shouldTry()).toBe(true);
  cache.noteRefusal();
  cache.forget();
  expect([cache.shouldTry(), cache.wasRefused()]).toEqual([true, false]);
});
