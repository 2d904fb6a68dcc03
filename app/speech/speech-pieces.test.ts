import { expect, test } from "vitest";
import { createSpeechPieces } from "./speech-pieces";

function piecesOf({ text, size, maxChars }: { text: string; size: number; maxChars?: number }): string[] {
  const stream = createSpeechPieces({ maxChars });
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += size) pieces.push(...stream.push(text.slice(at, at + size)));
  return [...pieces, ...stream.flush()];
}

const answer = `Sure! Here is **how** you do it.

## Steps

1. Open [the page](https://example.com/a.b).
2. Sign the message,
   which costs nothing.

\`\`\`ts
const x = "Not. For. Ears.";
\`\`\`

| Key | Owner |
|---|---|
| 1 | Ada |

That is all. Enjoy!`;

test("an answer is spoken in its order, without code, with tables whole, however its deltas are cut", () => {
  const whole = piecesOf({ text: answer, size: answer.length }).join(" ");
  expect(whole).toBe(
    "Sure! Here is how you do it. Steps. Open the page. Sign the message, which costs nothing. Key: 1, Owner: Ada. That is all. Enjoy!",
  );
  for (let size = 1; size < 40; size += 1)
    expect(piecesOf({ text: answer, size }).join(" "), String(size)).toBe(whole);
});

test("the first piece is short and later ones longer, none beyond the limit", () => {
  const stream = createSpeechPieces({ maxChars: 120 });
  expect(stream.push("The first sentence is long enough. The se")).toEqual([
    "The first sentence is long enough.",
  ]);
  const pieces = piecesOf({ text: "Here is one more sentence of it. ".repeat(20), size: 7, maxChars: 120 });
  expect(pieces[0]!.length).toBeLessThan(40);
  expect(pieces[1]!.length).toBeGreaterThan(80);
  expect(pieces.every((piece) => piece.length <= 120)).toBe(true);
});

test("a code block without an end is not spoken, and a line break within a sentence does not end it", () => {
  expect(piecesOf({ text: "Look:\n~~~\nsecret code\n``` not the end\nmore", size: 3 })).toEqual(["Look:"]);
  expect(piecesOf({ text: "This goes\non here.\nAnd ends.", size: 4 })).toEqual([
    "This goes on here. And ends.",
  ]);
  expect(piecesOf({ text: "", size: 1 })).toEqual([]);
});
