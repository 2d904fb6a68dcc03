import { expect, test } from "vitest";
import * as z from "zod";
import { countCharacters, cutText, isLongerThan, toWellFormedText } from "./well-formed-text";

const [high, low] = ["\ud83d", "\ude00"];
const texts = [
  "",
  "a",
  "ä",
  "a\u0308",
  "😀",
  "a😀b😀",
  "👍🏽",
  "👩‍👩‍👧",
  "🇩🇪",
  "漢字",
  "𝒳",
  high,
  low,
  `${low}${high}`,
  `${high}${high}${low}${low}`,
  `${high}a${low}`,
  "😀".repeat(500),
];

test.each(texts)("%j is counted and cut by code points, as request shapes count", (text) => {
  const walked = [...text];
  expect(countCharacters(text)).toBe(walked.length);
  for (let maxChars = 0; maxChars <= Math.min(walked.length + 2, 20); maxChars += 1) {
    expect(cutText(text, maxChars)).toBe(walked.slice(0, maxChars).join(""));
    const isTooLong = isLongerThan(text, maxChars);
    expect(isTooLong).toBe(walked.length > maxChars);
    expect(z.string().max(maxChars).safeParse(text).success).toBe(!isTooLong);
  }
});

test("lone surrogates are replaced, pairs stay", () => {
  expect(toWellFormedText(`a${high}b${low}😀`)).toBe("a\ufffdb\ufffd😀");
});
