import { expect, test } from "vitest";
import { createBlockRange } from "./block-range";

test("a range halves with each refusal, never below one block, and grows back to its first size", () => {
  const range = createBlockRange();
  const largest = range.size();

  range.noteRefusal();
  expect(range.size()).toBe(largest / 2n);
  for (let count = 0; count < 20; count++) range.noteRefusal();
  expect(range.size()).toBe(1n);
  range.noteSuccess();
  expect(range.size()).toBe(2n);
  for (let count = 0; count < 60; count++) range.noteSuccess();
  expect(range.size()).toBe(largest);
});
