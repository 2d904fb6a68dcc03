import { expect, test } from "vitest";
import { growthOf, linearGrowth } from "~e2e/support/measure/growth";
import { toLatinSpeech } from "./latin-speech";

test.each([
  ["Hello there.", "Hello there."],
  ["Crème brûlée in Łódź – “naïve”…", 'Creme brulee in Lodz - "naive"...'],
  ["Straße, Æsir, Þor", "Strasse, AEsir, Thor"],
  ["It costs €5 at 20°", "It costs euros 5 at 20 degrees"],
  ["The word 漢字 means characters.", "The word means characters."],
  ["42", "42"],
  ["Привет, мир", null],
  ["漢字かな", null],
  ["مرحبا hi", null],
  ["…", null],
  ["", null],
])("%j is written for a Latin voice as %j", (text, spoken) => {
  expect(toLatinSpeech(text)).toBe(spoken);
});

test("a long run of marks takes time proportional to its length", () => {
  const read = (chars: number) => toLatinSpeech(`a${"\u0316\u0301".repeat(chars / 2)}`);
  expect(read(4)).toBe("a");
  expect(growthOf(read, 16_000)).toBeLessThan(linearGrowth);
});
