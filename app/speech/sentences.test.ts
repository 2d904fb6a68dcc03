import { expect, test } from "vitest";
import { countCharacters } from "~/platform/text/well-formed-text";
import { growthOf, linearGrowth } from "~e2e/support/measure/growth";
import { cutAtSentence, splitIntoSentences, takeSentences } from "./sentences";

const split = (text: string, maxChars = 200) => splitIntoSentences(text, maxChars);

test.each([
  ["One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]],
  ["It is 3.14 or v2.0.1 exactly. Yes.", ["It is 3.14 or v2.0.1 exactly.", "Yes."]],
  ["Dr. Smith met J. Doe, i.e. him. Then left.", ["Dr. Smith met J. Doe, i.e. him.", "Then left."]],
  ['He said "Go." Then "Stop!" loudly.', ['He said "Go."', 'Then "Stop!"', "loudly."]],
  ["Wait... What?! No…  Yes", ["Wait...", "What?!", "No…", "Yes"]],
  ["A line\nanother line\n\nlast", ["A line", "another line", "last"]],
  ["これは文です。次の文！", ["これは文です。", "次の文！"]],
  ["1. First. 2. Second.", ["1. First.", "2. Second."]],
  ["I know. So do I. Good.", ["I know.", "So do I.", "Good."]],
  ["See [a. b](x) and `c. d` here. End", ["See [a. b](x) and `c. d` here.", "End"]],
  ["", []],
  [" \n ", []],
])("%j is cut into its sentences", (text, sentences) => {
  expect(split(text)).toEqual(sentences);
});

test("long sentences are cut at a clause, else at a word, else in the middle, and never inside a character", () => {
  expect(split("the first clause is here, the second one follows", 30)).toEqual([
    "the first clause is here,",
    "the second one follows",
  ]);
  expect(split("aaaa bbbb cccc dddd", 10)).toEqual(["aaaa bbbb", "cccc dddd"]);
  expect(split("x".repeat(25), 10).map((part) => part.length)).toEqual([10, 10, 5]);
  const keys = split("🔑".repeat(20), 7);
  expect(keys.join("")).toBe("🔑".repeat(20));
  expect(keys.map(countCharacters)).toEqual([7, 7, 6]);
});

test("no text is lost, however it is cut", () => {
  const text = 'Well, 3.5 of them. "Really?" Yes! See e.g. this.\nNew line here… and 日本語です。 Done';
  const bare = (parts: readonly string[]) => parts.join("").replace(/\s/g, "");
  for (const maxChars of [5, 12, 40, 500]) expect(bare(split(text, maxChars))).toBe(bare([text]));
});

test("a sentence is taken as soon as it is certain, and not before", () => {
  expect(takeSentences("It is 3.")).toEqual({ sentences: [], rest: "It is 3." });
  expect(takeSentences("It is 3.14 now. And")).toEqual({ sentences: ["It is 3.14 now."], rest: " And" });
});

test.each([
  ["One. Two. Three.", 16, "One. Two. Three."],
  ["One. Two. Three.", 15, "One. Two."],
  ["One. Two. Three.", 9, "One. Two."],
  ["One. Two. Three.", 8, "One."],
  ["One\nTwo\nThree", 7, "One\nTwo"],
  ["これ。次の文。", 6, "これ。"],
  ["これ。次", 3, "これ。"],
  ["No end of it is near, as it seems to be", 30, "No end of it is near,"],
  ["x".repeat(50), 10, "x".repeat(10)],
  ["🔑".repeat(50), 10, "🔑".repeat(10)],
  ["Short", 10, "Short"],
])("%j is cut at a sentence within %i characters", (text, maxChars, cut) => {
  expect(cutAtSentence(text, maxChars)).toBe(cut);
});

test.each(["é. ", "[. ", "`a. ", "mr. ", ".", '."', ". a", "1. ", "a", "a.b"])(
  "%j again and again is cut in time proportional to its length",
  (piece) => {
    const cut = (chars: number) => split(`${piece.repeat(chars / piece.length)}x`, 240);
    expect(growthOf(cut, 4_000)).toBeLessThan(linearGrowth);
  },
);
