import { expect, test } from "vitest";
import { createSseReader, SseOverflow } from "./sse-reader";

const encoder = new TextEncoder();

function readAll(chunks: Uint8Array[], maxEventChars: number = 1_000): string[] {
  const reader = createSseReader(maxEventChars);
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.flush()];
}

test.each([
  ["LF", "\n"],
  ["CRLF", "\r\n"],
  ["CR", "\r"],
])("lines that end in %s are read, wherever the bytes are cut", (_name, end) => {
  const stream = `\uFEFF: comment\nevent: x\ndata: ü🔑\ndata:two\ndata\nretry: 5\n\n\n\ndata:  spaced\n\ndata: [DONE]\n\n`;
  const bytes = encoder.encode(stream.replaceAll("\n", end));
  const expected = ["ü🔑\ntwo", " spaced", "[DONE]"];
  expect(readAll([bytes])).toEqual(expected);
  expect(readAll(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    expect(readAll([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(expected);
  }
});

test("complete events of a closing connection are kept, and a line that was cut is dropped", () => {
  expect(readAll([encoder.encode("data: whole\n")])).toEqual(["whole"]);
  expect(readAll([encoder.encode("data: [DONE]")])).toEqual(["[DONE]"]);
  expect(readAll([encoder.encode('data: {"cut":')])).toEqual([]);
});

test("a line and an event of the greatest size are read, one character more is refused", () => {
  const fits = `data:${"x".repeat(95)}\n\n`;
  expect(readAll([encoder.encode(fits)], 100)).toEqual(["x".repeat(95)]);
  const long = encoder.encode(`data:${"x".repeat(96)}`);
  expect(() => readAll([long.subarray(0, 60), long.subarray(60)], 100)).toThrow(SseOverflow);
  const many = encoder.encode(`data:${"x".repeat(50)}\n`.repeat(2));
  expect(() => readAll([many], 100)).toThrow(SseOverflow);
});
