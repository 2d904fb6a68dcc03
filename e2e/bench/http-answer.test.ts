import { expect, test } from "vitest";
import { findAnswer, isExpected } from "./http-answer";

const head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";

test("an answer with a length is whole with its last byte, and malformed beyond it", () => {
  const start = `${head}Content-Length: 5\r\n\r\n`;
  expect(findAnswer(head)).toBe("incomplete");
  expect(findAnswer(`${start}hell`)).toBe("incomplete");
  expect(findAnswer(`${start}hello`)).toEqual({ status: 200, body: "hello" });
  expect(findAnswer(`${start}hello!`)).toBe("malformed");
});

test("an answer in chunks is whole with its last chunk, and not when a chunk only looks like that", () => {
  const start = `${head}Transfer-Encoding: chunked\r\n\r\n`;
  expect(findAnswer(`${start}5\r\nhello\r\n`)).toBe("incomplete");
  expect(findAnswer(`${start}5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n`)).toEqual({ status: 200, body: "hello!" });
  expect(findAnswer(`${start}0\r\n\r\n`)).toEqual({ status: 200, body: "" });
  const deceiving = `${start}a\r\nabc\r\n0\r\n\r\n`;
  expect(findAnswer(deceiving)).toBe("incomplete");
  expect(findAnswer(`${deceiving}\r\n0\r\n\r\n`)).toEqual({ status: 200, body: "abc\r\n0\r\n\r\n" });
});

test("an answer with neither length nor chunks, and one that is not HTTP, is malformed", () => {
  expect(findAnswer(`${head}\r\nhello`)).toBe("malformed");
  expect(findAnswer("SSH-2.0-x\r\n\r\n")).toBe("malformed");
});

test.each([
  { answer: { status: 200, body: "a nonce" }, expected: { holds: "nonce" }, is: true },
  { answer: { status: 201, body: "a nonce" }, expected: { holds: "nonce" }, is: false },
  { answer: { status: 206, body: "RIFF" }, expected: { status: 206, holds: "RIFF", bytes: 4 }, is: true },
  { answer: { status: 206, body: "RIFF" }, expected: { status: 206, holds: "RIFF", bytes: 5 }, is: false },
  { answer: { status: 200, body: "sorry" }, expected: { holds: "nonce" }, is: false },
])("$answer.status $answer.body against $expected is judged $is", ({ answer, expected, is }) => {
  expect(isExpected(answer, expected)).toBe(is);
});
