import { expect, test } from "vitest";
import { createWordCounter, tellWords } from "./model-words";

const words = `data: {"delta":"word "}\n\ndata: {"delta":"word word "}\n\n`;
const toStream = (told: number) => `${words}data: {"delta":"${tellWords(told)}"}\n\ndata: [DONE]\n\n`;

test("words are counted alike wherever the stream is cut", () => {
  const stream = toStream(3);
  for (let size = 1; size <= stream.length; size += 1) {
    const counter = createWordCounter();
    for (let at = 0; at < stream.length; at += size) counter.take(stream.slice(at, at + size));
    expect([size, counter.words(), counter.isWhole()]).toEqual([size, 3, true]);
  }
});

test.each([toStream(4), toStream(2), toStream(3).slice(0, -5), words])(
  "a stream that lost a word or its end is incomplete",
  (stream) => {
    const counter = createWordCounter();
    counter.take(stream);
    expect(counter.isWhole()).toBe(false);
  },
);
