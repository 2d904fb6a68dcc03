import { expect, test } from "vitest";
import { endOfSentences, toPlainText } from "./announcer";
import { createSpeechCutter, cutIntoPieces } from "./speech-text";

test("only whole sentences are told", () => {
  const cut = (text: string) => text.slice(0, endOfSentences(text));
  expect(cut("One. Two! Thr")).toBe("One. Two!");
  expect(cut("Version 1.5 is")).toBe("");
  expect(cut("# Title\n\nand")).toBe("# Title\n\n");
});

test("marks are not read out, their words are", () => {
  expect(
    toPlainText("# Title\n\n- **bold** [link](https://x.example) `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |"),
  ).toBe("Title bold link code a b 1 2");
  expect(toPlainText("Before\n\n```ts\nconst x = 1;\n```\n\nafter")).toBe("Before (code) after");
});

test("speech is cut between sentences, and every word is spoken once whatever the pieces", () => {
  const text =
    "This is the first sentence of several. Here is one more, which is longer. ".repeat(8) + "The end";
  for (const size of [1, 5, 64, 1_000]) {
    const take = createSpeechCutter();
    const spoken: string[] = [];
    for (let end = size; end < text.length; end += size) {
      spoken.push(...take({ text: text.slice(0, end), isComplete: false }));
    }
    spoken.push(...take({ text, isComplete: true }));
    expect(spoken.join(" ")).toBe(text);
    expect(spoken.every((piece) => piece.length <= 700)).toBe(true);
  }
  expect(cutIntoPieces("... !!! ")).toEqual([]);
  expect(cutIntoPieces("x".repeat(1_300)).map(({ length }) => length)).toEqual([600, 600, 100]);
});

test("code that is still being written waits until it is known to be code", () => {
  const take = createSpeechCutter();
  const begun = `${"Words to begin with, enough of them for a piece. ".repeat(2)}\n\n\`\`\`\nlet x. Let y. `;
  expect(take({ text: begun, isComplete: false }).join(" ")).not.toContain("let");
  expect(take({ text: `${begun}\n\`\`\`\n\nDone.`, isComplete: true }).join(" ")).toMatch(
    /^\(code\) Done\.$/,
  );
});
