import { expect, test } from "vitest";
import { CompletionFault, createCompletionReader } from "./completion-reader";

function readAll(...chunks: unknown[]) {
  const reader = createCompletionReader(1_000);
  return chunks.flatMap((chunk) => reader.read(typeof chunk === "string" ? chunk : JSON.stringify(chunk)));
}

const choice = (delta: unknown, finish_reason: string | null = null) => ({
  choices: [{ delta, finish_reason }],
});
const callDelta = (call: object) => choice({ tool_calls: [call] });
const calls = (events: ReturnType<typeof readAll>) =>
  events.flatMap((event) =>
    event.type === "tool-call" ? [[event.toolCallId, event.toolName, event.inputText]] : [],
  );

test("chunks without text are skipped: roles, empty and null content, thoughts, usage, no choice", () => {
  expect(
    readAll(
      choice({ role: "assistant", content: "" }),
      choice({ content: null, reasoning_content: "hm" }),
      choice(null),
      { choices: [], usage: { total_tokens: 5 } },
      { choices: [null] },
      {},
    ),
  ).toEqual([]);
});

test.each([
  ["stop", "stop"],
  ["length", "length"],
  ["content_filter", "content-filter"],
  ["something_new", "other"],
])("the finish reason %s is read as %s", (reason, told) => {
  expect(readAll(choice({ content: "last" }, reason))).toEqual([
    { type: "text", text: "last" },
    { type: "finish", reason: told },
  ]);
});

test("an end mark alone ends an answer properly, and tool calls count even where the server says stop", () => {
  expect(readAll("[DONE]")).toEqual([{ type: "finish", reason: "stop" }]);
  const events = readAll(
    callDelta({ index: 0, id: "a", function: { name: "t", arguments: "{}" } }),
    choice({}, "stop"),
  );
  expect(events.at(-1)).toEqual({ type: "finish", reason: "tool-calls" });
});

test("calls are told apart by index, by id where the index is missing or repeated, and by order without either", () => {
  const whole = (id: string, more: object = {}) =>
    callDelta({ id, ...more, function: { name: "t", arguments: "{}" } });
  expect(calls(readAll(whole("a", { index: 0 }), whole("b", { index: 0 }), "[DONE]"))).toEqual([
    ["a", "t", "{}"],
    ["b", "t", "{}"],
  ]);
  expect(calls(readAll(whole("a"), whole("b"), "[DONE]"))).toHaveLength(2);
  expect(
    calls(
      readAll(
        callDelta({ index: 0, id: "a", function: { name: "t", arguments: '{"n"' } }),
        callDelta({ index: 0, id: "a", function: { arguments: ":1}" } }),
        "[DONE]",
      ),
    ),
  ).toEqual([["a", "t", '{"n":1}']]);
  expect(calls(readAll(callDelta({ function: { name: "t", arguments: { n: 1 } } }), "[DONE]"))).toEqual([
    ["call-1", "t", '{"n":1}'],
  ]);
});

test("names and ids are reduced to harmless characters", () => {
  const [start] = readAll(callDelta({ index: 0, id: "a\nb", function: { name: "<script>".repeat(20) } }));
  expect(start).toMatchObject({
    toolCallId: "call-1",
    toolName: expect.stringMatching(/^[\w-]{64}$/) as string,
  });
});

test("a call that never gets a name is dropped after its progress was reported", () => {
  expect(readAll(callDelta({ index: 0, function: { arguments: "{}" } }), "[DONE]")).toEqual([
    { type: "tool-call-progress", toolCallId: "call-1", inputChars: 2 },
    { type: "finish", reason: "stop" },
  ]);
});

test("progress of arguments is counted in characters, not in UTF-16 units", () => {
  const [, progress] = readAll(
    callDelta({ index: 0, id: "a", function: { name: "t", arguments: '{"a":"🔑"}' } }),
  );
  expect(progress).toEqual({ type: "tool-call-progress", toolCallId: "a", inputChars: 9 });
});

test("arguments beyond the maximum finish the step", () => {
  const more = callDelta({ index: 0, function: { arguments: "x".repeat(600) } });
  const events = readAll(
    callDelta({ index: 0, id: "a", function: { name: "t", arguments: "" } }),
    more,
    more,
  );
  expect(events.at(-1)).toEqual({ type: "finish", reason: "length" });
});

test("too many calls, wrong JSON, other values than objects and reported errors are faults", () => {
  const many = Array.from({ length: 33 }, (_, index) =>
    callDelta({ index, id: `c${index}`, function: { name: "t" } }),
  );
  expect(readAll(...many.slice(0, 32))).toHaveLength(32);
  expect(() => readAll(...many)).toThrow("more than 32 tools");
  expect(() => readAll("{")).toThrow(CompletionFault);
  expect(() => readAll("null")).toThrow(CompletionFault);
  expect(() => readAll("5")).toThrow(CompletionFault);
  expect(() => readAll({ error: "busy" })).toThrow("reported: busy");
  expect(() => readAll({ error: { code: 5 } })).toThrow("reported an error");
});
