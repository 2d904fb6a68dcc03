import { expect, test } from "vitest";
import { createSseReader, SseOverflow } from "./sse-reader";

const encoder = new TextEncoder();

function readAll({
  chunks,
  maxEventChars = 1_000,
}: {
  chunks: Uint8Array[];
  maxEventChars?: number;
}): string[] {
  const reader = createSseReader({ maxEventChars });
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.flush()];
}

test.each([
  ["LF", "\n"],
  ["CRLF", "\r\n"],
  ["CR", "\r"],
])("reads lines that end in %s, wherever the bytes are cut", (_name, end) => {
  const stream = `\uFEFF: comment\nevent: x\ndata: ü🔑\ndata:two\ndata\nretry: 5\n\n\n\ndata:  spaced\n\ndata: [DONE]\n\n`;
  const bytes = encoder.encode(stream.replaceAll("\n", end));
  const expected = ["ü🔑\ntwo", " spaced", "[DONE]"];
  expect(readAll({ chunks: [bytes] })).toEqual(expected);
  expect(readAll({ chunks: Array.from(bytes, (byte) => Uint8Array.of(byte)) })).toEqual(expected);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    expect(readAll({ chunks: [bytes.subarray(0, cut), bytes.subarray(cut)] })).toEqual(expected);
  }
});

test("keeps what a closing connection had finished saying, and drops a line that was cut", () => {
  expect(readAll({ chunks: [encoder.encode("data: whole\n")] })).toEqual(["whole"]);
  expect(readAll({ chunks: [encoder.encode("data: [DONE]")] })).toEqual(["[DONE]"]);
  expect(readAll({ chunks: [encoder.encode('data: {"cut":')] })).toEqual([]);
});

test("holds a line and an event of the greatest size, and refuses one character more", () => {
  const fits = `data:${"x".repeat(95)}\n\n`;
  expect(readAll({ chunks: [encoder.encode(fits)], maxEventChars: 100 })).toEqual(["x".repeat(95)]);
  const long = encoder.encode(`data:${"x".repeat(96)}`);
  expect(() => readAll({ chunks: [long.subarray(0, 60), long.subarray(60)], maxEventChars: 100 })).toThrow(
    SseOverflow,
  );
  const many = encoder.encode(`data:${"x".repeat(50)}\n`.repeat(2));
  expect(() => readAll({ chunks: [many], maxEventChars: 100 })).toThrow(SseOverflow);
});
