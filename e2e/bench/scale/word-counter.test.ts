import { expect, test } from "vitest";
import { tellWords } from "./ask-for-words";
import { createWordCounter } from "./word-counter";

const words = `data: {"delta":"word "}\n\ndata: {"delta":"word word "}\n\n`;
const toStream = (told: number) => `${words}data: {"delta":"${tellWords(told)}"}\n\ndata: [DONE]\n\n`;

test("words are counted alike wherever the stream is cut", () => {
  const stream = toStream(3);
  for (let size = 1; size <= stream.length; size += 1) {
    const counter = createWordCounter();
    for (let at = 0; at < stream.length; at += size) counter.take(stream.slice(at, at + size));
    expect({ size, words: counter.words(), isWhole: counter.isWhole() }).toEqual({
      size,
      words: 3,
      isWhole: true,
    });
  }
});

test.each([
  { stream: toStream(4), description: "3 words of 4, with its end" },
  { stream: toStream(2), description: "3 words of 2, with its end" },
  { stream: toStream(3).slice(0, -5), description: "3 words of 3, without its end" },
  { stream: words, description: "3 words of an unknown number, without its end" },
])("a stream with $description is incomplete", ({ stream, description }) => {
  const counter = createWordCounter();
  counter.take(stream);
  expect(counter.isWhole()).toBe(false);
  expect(counter.describe()).toBe(description);
});
