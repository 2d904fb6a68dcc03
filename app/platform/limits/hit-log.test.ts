import { expect, test } from "vitest";
import { momentDigits, readHits, toMoment } from "./hit-log";

test("timestamps of one width compare as text as they do as numbers", () => {
  const moments = [-5, 0, 999_999_999_999, 1_000_000_000_000, 1_700_000_000_000.7];
  const texts = moments.map(toMoment);
  expect(texts.every((text) => text.length === momentDigits)).toBe(true);
  expect([...texts].sort()).toEqual(texts);
  expect(readHits(texts.join(""))).toEqual([0, 0, 999_999_999_999, 1_000_000_000_000, 1_700_000_000_000]);
  expect(readHits("")).toEqual([]);
});
