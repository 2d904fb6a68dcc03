import { expect, test } from "vitest";
import { readMessage } from "./message";

const request = { jsonrpc: "2.0", id: 1, method: "tools/list" };

test("bare messages, MCP requests and notifications are read", () => {
  expect(readMessage({ method: "tools/list" })).toEqual({
    kind: "request",
    dialect: "bare",
    id: null,
    method: "tools/list",
    params: {},
  });
  expect(readMessage({ ...request, params: { a: 1 } })).toEqual({
    kind: "request",
    dialect: "mcp",
    id: 1,
    method: "tools/list",
    params: { a: 1 },
  });
  expect(readMessage({ jsonrpc: "2.0", method: "notifications/x" })).toMatchObject({ kind: "notification" });
  expect(readMessage({ method: "notifications/x" })).toMatchObject({ kind: "notification", dialect: "bare" });
  // A message with an id wants an answer.
  expect(readMessage({ ...request, method: "notifications/x" })).toMatchObject({ kind: "request", id: 1 });
});

test.each([
  ["nothing", undefined],
  ["null", null],
  ["a text", "tools/list"],
  ["a number", 5],
  ["an empty batch", []],
  ["a batch", [request, request]],
  ["a batch of nonsense", [1, null, "x"]],
  ["an empty object", {}],
  ["another version", { ...request, jsonrpc: "1.0" }],
  ["a version that is no text", { ...request, jsonrpc: 2 }],
  ["no method", { jsonrpc: "2.0", id: 1 }],
  ["a method that is no text", { ...request, method: {} }],
  ["an empty method", { ...request, method: "" }],
  ["a response", { jsonrpc: "2.0", id: 1, result: {} }],
  ["an error response", { jsonrpc: "2.0", id: 1, error: { code: 1, message: "x" } }],
  ["a request without an id", { jsonrpc: "2.0", method: "tools/call" }],
  ["members that are only inherited by name", JSON.parse('{"__proto__":{"method":"tools/list"}}')],
])("%s is refused as no message", (_name, body) => {
  expect(readMessage(body)).toMatchObject({ kind: "invalid", code: -32600 });
});

test.each([null, true, 1.5, 2 ** 53, -(2 ** 53), Number.POSITIVE_INFINITY, {}, [], [1]])(
  "the id %j is refused",
  (id) => {
    expect(readMessage({ ...request, id })).toMatchObject({ kind: "invalid", code: -32600, id: null });
  },
);

test.each(["", "a", 0, -0, -1, 2 ** 53 - 1, 1 - 2 ** 53])("the id %j is accepted unchanged", (id) => {
  expect(readMessage({ ...request, id })).toMatchObject({ kind: "request", id });
});

test("positional parameters are invalid parameters, and the id is kept for the answer", () => {
  for (const params of [[], [1], "x", null, 5]) {
    expect(readMessage({ ...request, params })).toMatchObject({ kind: "invalid", code: -32602, id: 1 });
  }
});

test("a batch is answered in the dialect of what is in it", () => {
  expect(readMessage([request])).toMatchObject({ dialect: "mcp", id: null });
  expect(readMessage([{ method: "tools/list" }])).toMatchObject({ dialect: "bare" });
});
