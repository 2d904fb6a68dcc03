import { expect, test } from "vitest";
import { createSseReader, SseOverflow } from "./sse-reader";

const encoder = new TextEncoder();

function readEvents(chunks: Uint8Array[], maxEventChars: number) {
  const reader = createSseReader(maxEventChars);
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.flush()];
}

const readAll = (chunks: Uint8Array[], maxEventChars = 1_000) =>
  readEvents(chunks, maxEventChars).map(({ data }) => data);

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

test("an event has the id that stands in it, and none of the event before", () => {
  const bytes = encoder.encode(
    "id: 1\ndata: a\n\nid:2\n: comment\ndata: b\n\ndata: [DONE]\n\nid: 3\ndata: c\nid: 4",
  );
  const expected = [
    { data: "a", id: "1" },
    { data: "b", id: "2" },
    { data: "[DONE]", id: null },
    { data: "c", id: "3" },
  ];
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    expect(readEvents([bytes.subarray(0, cut), bytes.subarray(cut)], 100)).toEqual(expected);
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
