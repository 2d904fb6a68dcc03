import { expect, test } from "vitest";
import { maxMessageChars } from "./chat-limits";
import { toModelMessages } from "./model-messages";
import type { Part } from "./model-messages";

const manyBytes = 1_000_000;
const read = (...parts: Part[]) => toModelMessages([{ role: "assistant", parts }], manyBytes);
const text = (words: string): Part => ({ type: "text", text: words });
const stepStart: Part = { type: "step-start" };

function searched(changes: object = {}): Part {
  const call = { type: "tool-libsql_search", toolCallId: "a", input: { query: "keys" } };
  return { ...call, state: "output-available", output: { matches: [] }, ...changes };
}

const call = (changes: object = {}) => ({
  toolCallId: "a",
  toolName: "libsql_search",
  inputText: '{"query":"keys"}',
  ...changes,
});
const result = (outputText: string, changes: object = {}) => ({
  role: "tool",
  toolCallId: "a",
  toolName: "libsql_search",
  outputText,
  failed: false,
  isEarlier: true,
  ...changes,
});

test("each step of an earlier reply becomes its text with its calls, and then their results", () => {
  const other = { toolCallId: "b", toolName: "key_status" };
  const failed = { type: "dynamic-tool", ...other, state: "output-error", errorText: "No such key." };
  expect(
    read(stepStart, text("I will "), text("look."), searched(), failed, stepStart, text("Here it is.")),
  ).toEqual([
    { role: "assistant", text: "I will look.", toolCalls: [call(), { ...other, inputText: "{}" }] },
    result('{"matches":[]}'),
    result('{"error":"No such key."}', { ...other, failed: true }),
    { role: "assistant", text: "Here it is." },
  ]);
});

test("a call without a result gets one that says so: providers refuse calls without", () => {
  expect(read(searched({ state: "input-available", output: undefined }))).toEqual([
    { role: "assistant", text: "", toolCalls: [call()] },
    result('{"error":"Not run."}', { failed: true }),
  ]);
});

test.each<[string, object]>([
  ["that was still being written", { state: "input-streaming" }],
  ["in a state nobody knows", { state: "approval-requested" }],
  ["without a state", { state: undefined }],
  ["whose result is missing", { output: undefined }],
  ["whose failure is no text", { state: "output-error", errorText: 5 }],
  ["without a name", { type: "tool-" }],
  ["of a name that no provider takes", { type: "tool-a b" }],
  ["whose name is no text", { type: "dynamic-tool", toolName: 5 }],
])("a call %s is dropped", (_name, changes) => {
  expect(read(text("Hi."), searched(changes), text(" You."))).toEqual([
    { role: "assistant", text: "Hi. You." },
  ]);
});

test("tools are the assistant's: in a user's or system message they are dropped", () => {
  for (const role of ["user", "system"] as const)
    expect(toModelMessages([{ role, parts: [searched()] }], manyBytes)).toEqual([]);
});

test("ids that are unusable or come twice are replaced, and no other's is taken", () => {
  const ids = ["call00001", "a", "a", "a b", 5, undefined, "x".repeat(65), "call00003"];
  const [assistant, ...results] = read(...ids.map((toolCallId) => searched({ toolCallId })));
  const given = results.map((message) => message.role === "tool" && message.toolCallId);
  expect(given.slice(0, 3)).toEqual(["call00001", "a", "call00002"]);
  expect(new Set(given).size).toBe(ids.length);
  for (const id of given) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  const calls = assistant?.role === "assistant" ? assistant.toolCalls : [];
  expect(calls?.map(({ toolCallId }) => toolCallId)).toEqual(given);
});

test("arguments that are no object are none, and all that a message's calls hold is bounded", () => {
  for (const input of [undefined, null, "text", [1], 5])
    expect(read(searched({ input }))[0]).toMatchObject({ toolCalls: [{ inputText: "{}" }] });
  const large = { output: "x".repeat(20_000), input: { query: "y".repeat(10_000) } };
  const messages = read(
    ...Array.from({ length: 3 }, (_, index) => searched({ ...large, toolCallId: index })),
  );
  const chars = JSON.stringify(messages).length;
  expect(chars).toBeGreaterThan(maxMessageChars);
  expect(chars).toBeLessThan(maxMessageChars + 2_000);
  const [assistant] = messages;
  const calls = assistant?.role === "assistant" ? assistant.toolCalls! : [];
  // Cut arguments would not be JSON.
  for (const { inputText } of calls) expect(() => JSON.parse(inputText) as unknown).not.toThrow();
});

test.each<[string, Part]>([
  [
    "numbers that are sent shorter than they are written",
    searched({ output: Array.from({ length: 2_000 }, () => 1e20) }),
  ],
  ["calls that hold nothing", { type: "tool-a", state: "input-available" }],
])("the calls of a request take no more than twice what was sent: %s", (_name, part) => {
  const parts = Array.from({ length: part.output === undefined ? 900 : 1 }, () => part);
  const sentBytes = JSON.stringify(parts).replaceAll(String(1e20), "1e20").length;
  const chars = JSON.stringify(toModelMessages([{ role: "assistant", parts }], sentBytes)).length;
  expect(chars).toBeGreaterThan(sentBytes / 2);
  expect(chars).toBeLessThan(sentBytes * 2 + 500);
});
