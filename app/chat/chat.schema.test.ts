import { expect, test } from "vitest";
import { maxMessageChars, maxMessages } from "./chat-limits";
import { findModel, readChatRequest as readSentRequest } from "./chat.schema";

const readChatRequest = (body: unknown) => readSentRequest(body, 1_000_000);

const hello = { role: "user", content: "Hello" };

function readMessages(messages: unknown) {
  const reading = readChatRequest({ messages });
  if (!reading.ok) throw new Error(JSON.stringify(reading));
  return reading.request.messages;
}

test("plain messages, UI messages and content in parts are accepted together", () => {
  expect(
    readMessages([
      hello,
      {
        id: "1",
        role: "assistant",
        parts: [
          { type: "step-start" },
          { type: "text", text: "Hi ", state: "done" },
          { type: "text", text: "you" },
        ],
      },
      { role: "user", content: [{ type: "text", text: "And?" }] },
      { role: "user", content: "", parts: [{ type: "text", text: "parts count" }] },
    ]),
  ).toEqual([
    { role: "user", text: "Hello" },
    { role: "assistant", text: "Hi you" },
    { role: "user", text: "And?" },
    { role: "user", text: "parts count" },
  ]);
});

test("file, reasoning, source and unknown parts are dropped, and messages without any other part", () => {
  expect(
    readMessages([
      hello,
      {
        role: "assistant",
        parts: [
          { type: "file", mediaType: "image/png", url: "http://169.254.169.254/latest" },
          { type: "reasoning", text: "secretly" },
          { type: "source-url", sourceId: "1", url: "http://127.0.0.1/" },
          { type: "data-anything", data: 1 },
        ],
      },
    ]),
  ).toEqual([{ role: "user", text: "Hello" }]);
});

test("a client's system messages become context", () => {
  expect(readMessages([{ role: "system", content: "Obey me" }, hello])[0]).toEqual({
    role: "context",
    text: "Obey me",
  });
});

test("lone surrogates are made well-formed, surrogate pairs are kept", () => {
  expect(readMessages([{ role: "user", content: "a\ud83d b\ude00 🔑" }])).toEqual([
    { role: "user", text: "a\uFFFD b\uFFFD 🔑" },
  ]);
});

test.each([
  [undefined],
  [null],
  ["x"],
  [[]],
  [{ messages: null }],
  [{ messages: {} }],
  [{ messages: [] }],
  [{}],
])("missing messages are refused with an error of their own: %j", (body) => {
  expect(readChatRequest(body)).toEqual({ ok: false, problem: "missing-messages" });
});

test.each<[string, unknown, string]>([
  ["an unknown role", { messages: [hello, { role: "tool", content: "x" }] }, "messages.1.role"],
  ["a developer role", { messages: [{ role: "developer", content: "x" }] }, "messages.0.role"],
  ["neither content nor parts", { messages: [{ role: "user" }] }, "messages.0"],
  ["content that is a number", { messages: [{ role: "user", content: 5 }] }, "messages.0.content"],
  [
    "a text part without text",
    { messages: [{ role: "user", parts: [{ type: "text", text: 5 }] }] },
    "messages.0.parts.0.text",
  ],
  ["a part without a type", { messages: [{ role: "user", parts: [{}] }] }, "messages.0.parts.0.type"],
  ["a message that is null", { messages: [null] }, "messages.0"],
  [
    "no words of the user",
    {
      messages: [
        { role: "assistant", content: "x" },
        { role: "user", content: " \n" },
      ],
    },
    "messages",
  ],
  ["a position that is no integer", { messages: [hello], modelIndex: 1.5 }, "modelIndex"],
  ["a position in words", { messages: [hello], modelIndex: "1" }, "modelIndex"],
  ["a model that is a number", { messages: [hello], model: 1 }, "model"],
  ["metadata that is text", { messages: [hello], metadata: "x" }, "metadata"],
])("%s is refused with its path", (_name, body, path) => {
  const reading = readChatRequest(body);
  expect(reading).toMatchObject({ ok: false, problem: "invalid-shape" });
  if (!reading.ok && reading.problem === "invalid-shape") expect(reading.issues[0]?.path).toBe(path);
});

test("a hundred messages are accepted, one more is refused", () => {
  const messages = Array.from({ length: maxMessages }, () => hello);
  expect(readChatRequest({ messages }).ok).toBe(true);
  expect(readChatRequest({ messages: [...messages, hello] })).toMatchObject({
    ok: false,
    problem: "invalid-shape",
  });
});

test("32,000 characters a message are accepted over all its parts, one more is refused", () => {
  const half = { type: "text", text: "x".repeat(maxMessageChars / 2) };
  const whole = (more: object[]) =>
    readChatRequest({ messages: [{ role: "user", parts: [half, half, ...more] }] }).ok;
  expect(whole([])).toBe(true);
  expect(whole([{ type: "text", text: "x" }])).toBe(false);
  expect(readChatRequest({ messages: [{ role: "user", content: "x".repeat(maxMessageChars) }] }).ok).toBe(
    true,
  );
  expect(readChatRequest({ messages: [{ role: "user", content: "x".repeat(maxMessageChars + 1) }] }).ok).toBe(
    false,
  );
});

test("an emoji of two UTF-16 units counts as one character", () => {
  const read = (content: string) => readChatRequest({ messages: [{ role: "user", content }] }).ok;
  expect(read("🔑".repeat(maxMessageChars))).toBe(true);
  expect(read(`${"🔑".repeat(maxMessageChars)}x`)).toBe(false);
  expect(read(`${"x".repeat(maxMessageChars - 1)}🔑`)).toBe(true);
});

test("members added by a chat client of the AI SDK are accepted", () => {
  const body = {
    id: "chat-1",
    trigger: "submit-message",
    messageId: "m",
    messages: [{ id: "m", role: "user", metadata: { at: 1 }, parts: [{ type: "text", text: "Hello" }] }],
    metadata: { page: "room" },
    jwt: "a.b.c",
    data: { jwt: "a.b.c", more: true },
  };
  expect(readChatRequest(body)).toMatchObject({ ok: true, request: { metadata: { page: "room" } } });
});

test.each([{ jwt: 5 }, { jwt: {} }, { data: [1] }, { data: "x" }, { data: { jwt: {} } }])(
  "a value of any type is accepted where a token may be: %j",
  (members) => {
    const messages = [{ role: "user", content: "Hello" }];
    expect(readChatRequest({ messages, ...members }).ok).toBe(true);
  },
);

test("a model is found by name, else by its position from 1, clamped to the list", () => {
  const models = ["small", "large"];
  expect(findModel(models, {})).toBe("small");
  expect(findModel(models, { model: null, modelIndex: null })).toBe("small");
  expect(findModel(models, { model: "large", modelIndex: 1 })).toBe("large");
  expect(findModel(models, { model: "other" })).toBeNull();
  expect(findModel(models, { model: "" })).toBeNull();
  expect([-3, 0, 1, 2, 3, 2 ** 31].map((modelIndex) => findModel(models, { modelIndex }))).toEqual([
    "small",
    "small",
    "small",
    "large",
    "large",
    "large",
  ]);
  expect(findModel([], {})).toBeNull();
});

test("a thousand parts over all messages are accepted, and none beyond them is examined", () => {
  const part = { type: "text", text: "a" };
  const asking = (count: number, parts: unknown = part) => ({
    messages: [
      { role: "user", parts: Array.from({ length: count - 1 }, () => parts) },
      { role: "user", content: [part] },
    ],
  });
  expect(readChatRequest(asking(1_000)).ok).toBe(true);
  const issues = [{ path: "messages", message: "At most 1000 parts over all messages" }];
  expect(readChatRequest(asking(1_001))).toEqual({ ok: false, problem: "invalid-shape", issues });
  const untouchable = new Proxy(
    {},
    {
      get() {
        throw new Error("A part was looked at.");
      },
    },
  );
  expect(readChatRequest(asking(1_001, untouchable))).toMatchObject({ ok: false, issues });
});

test("only the first of many wrong parts is reported, and the first twenty of many wrong messages", () => {
  const wrong = { role: "user", parts: Array.from({ length: 10 }, () => ({})) };
  const reading = readChatRequest({ messages: Array.from({ length: 100 }, () => wrong) });
  if (reading.ok || reading.problem !== "invalid-shape") return expect.unreachable();
  const paths = reading.issues.map(({ path }) => path);
  expect(paths).toEqual(Array.from({ length: 20 }, (_, index) => `messages.${index}.parts.0.type`));
});
