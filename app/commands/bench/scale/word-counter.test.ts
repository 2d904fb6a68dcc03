import { expect, test } from "vitest";
import { createWordCounter } from "./word-counter";

const stream = `data: {"delta":"word "}\n\ndata: {"delta":"word word "}\n\ndata: [DONE]\n\n`;

test("words are counted alike wherever the stream is cut", () => {
  for (let size = 1; size <= stream.length; size += 1) {
    const counter = createWordCounter();
    for (let at = 0; at < stream.length; at += size) counter.take(stream.slice(at, at + size));
    expect({ size, words: counter.words(), ended: counter.hasEndMark() }).toEqual({
      size,
      words: 3,
      ended: true,
    });
  }
});

test("without its mark a stream has not ended", () => {
  const counter = createWordCounter();
  counter.take(stream.slice(0, -5));
  expect(counter.words()).toBe(3);
  expect(counter.hasEndMark()).toBe(false);
});
