import { expect, test } from "vitest";
import { maxMessages } from "~/chat/chat-limits";
import { toSentMessages } from "./chat-api";
import { createConversationArchive, createMemoryStore, readConversation } from "./conversation-archive";
import { exportConversation } from "./conversation-export";
import {
  addMessage,
  applyEvent,
  asInterrupted,
  createConversation,
  listShown,
  rootId,
  toTitle,
} from "./conversation";
import type { Conversation, Message, Question, Reply } from "./conversation";
import { noticeForRefusal } from "../chat-notice";
import { chooseCitations } from "./passages";

const question = (id: string, parentId: string, text = `text of ${id}`): Question => ({
  role: "user",
  id,
  parentId,
  createdAtMs: 1,
  text,
});
const reply = (id: string, parentId: string, text = `text of ${id}`): Reply => ({
  role: "assistant",
  id,
  parentId,
  createdAtMs: 2,
  status: "done",
  finishReason: "stop",
  parts: [{ kind: "text", id: "t", text }],
  notice: null,
  model: null,
});
const build = (...messages: Message[]): Conversation =>
  messages.reduce(addMessage, createConversation("c", 0));

test("the newest version of a message is shown, and any other can be chosen", () => {
  const tree = build(question("q1", rootId), reply("a1", "q1"), reply("a2", "q1"), question("q2", rootId));
  const ids = (conversation: Conversation) => listShown(conversation).map(({ id }) => id);
  expect(ids(tree)).toEqual(["q2"]);
  expect(ids({ ...tree, choices: { ...tree.choices, [rootId]: "q1" } })).toEqual(["q1", "a2"]);
  expect(ids({ ...tree, choices: { [rootId]: "q1", q1: "a1" } })).toEqual(["q1", "a1"]);
  expect(ids({ ...tree, choices: { [rootId]: "gone" } })).toEqual(["q2"]);
});

test("messages whose parents form a circle are shown once at most", () => {
  const circle = build(question("q1", "a1"), reply("a1", "q1"), question("q0", rootId));
  expect(listShown(circle).map(({ id }) => id)).toEqual(["q0"]);
  const self = { ...circle, messages: [question(rootId, rootId)] };
  expect(listShown(self).length).toBeLessThanOrEqual(1);
});

test("the events of a stream become text parts, and tools with their outcome and time", () => {
  const events = [
    { type: "tool-input-start", toolCallId: "a", toolName: "x_search" },
    { type: "tool-input-available", toolCallId: "a", toolName: "x_search", input: { query: "q" } },
    { type: "tool-output-available", toolCallId: "a", output: 7 },
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "Half " },
    { type: "text-delta", id: "t", delta: "done" },
    { type: "finish", messageMetadata: { finishReason: "length" } },
  ] as const;
  let nowMs = 0;
  const grown = events.reduce((sofar, event) => applyEvent(sofar, event, (nowMs += 10)), {
    ...reply("r", "q"),
    parts: [],
    finishReason: null,
  } as Reply);
  expect(grown.finishReason).toBe("length");
  expect(grown.parts).toMatchObject([
    {
      kind: "tool",
      name: "x_search",
      state: "done",
      input: { query: "q" },
      output: 7,
      startedAtMs: 20,
      endedAtMs: 30,
    },
    { kind: "text", text: "Half done" },
  ]);
});

test("a request holds the newest messages that the server takes", () => {
  const many = Array.from({ length: 150 }, (_, index) => question(`q${index}`, rootId));
  const { messages, isWhole } = toSentMessages(many);
  expect(messages).toHaveLength(maxMessages);
  expect(messages.at(-1)?.parts[0].text).toBe("text of q149");
  expect(isWhole).toBe(false);
  const heavy = Array.from({ length: 20 }, (_, index) => question(`q${index}`, rootId, "ü".repeat(32_000)));
  const long = [question("q", rootId, "🔑".repeat(32_001))];
  expect(toSentMessages(long).messages[0]?.parts[0].text).toBe("🔑".repeat(32_000));
  const sent = toSentMessages(heavy);
  expect(sent.isWhole).toBe(false);
  expect(new TextEncoder().encode(JSON.stringify({ messages: sent.messages })).length).toBeLessThan(
    256 * 1024,
  );
  expect(sent.messages.length).toBeGreaterThan(2);
  expect(toSentMessages([question("q", rootId), reply("a", "q", " ")]).messages).toHaveLength(1);
});

test("stored conversations are restored, and broken ones are left alone", () => {
  const store = createMemoryStore();
  const archive = createConversationArchive(store);
  const growing = { ...reply("a", "q"), status: "streaming" } as const;
  const whole = build(question("q", rootId), growing);
  expect(archive.write(whole)).toBe(true);
  store.setItem("latchkey.chat.conversation.broken", "{");
  store.setItem("latchkey.chat.conversation.odd", '{"id":"odd","messages":[{}]}');
  store.setItem("somebody.else", "x");
  const [read, ...others] = archive.readAll();
  expect(others).toEqual([]);
  expect(read?.messages[1]).toMatchObject({ status: "streaming" });
  expect(asInterrupted(read!).messages[1]).toMatchObject({ status: "stopped" });
  const goesOn = build(question("q", rootId), { ...growing, replyId: "reply-1" });
  expect(asInterrupted(goesOn)).toEqual(goesOn);
  expect(store.getItem("latchkey.chat.conversation.broken")).toBe("{");
  for (const broken of [null, "null", "7", "[]", '{"messages":null}'])
    expect(readConversation(broken)).toBeNull();
  archive.remove("c");
  expect(archive.readAll()).toEqual([]);
});

test("a full store is noticed and throws nothing", () => {
  const full = {
    ...createMemoryStore(),
    setItem: () => {
      throw new DOMException("full", "QuotaExceededError");
    },
  };
  expect(createConversationArchive(full).write(build(question("q", rootId)))).toBe(false);
  expect(() => createConversationArchive(full).writeText("draft.c", "x")).not.toThrow();
});

test("an export holds the conversation as text in Markdown, and all of it in JSON", () => {
  const conversation = build(
    question("q", rootId, "What?\nWhy?"),
    reply("a", "q"),
    reply("b", "q", "**Because**"),
  );
  const markdown = exportConversation(conversation, "markdown");
  expect(markdown.fileName).toBe("what-why.md");
  expect(markdown.text).toBe("# What? Why?\n\n## You\n\nWhat?\nWhy?\n\n## Assistant\n\n**Because**\n");
  const json = JSON.parse(exportConversation(conversation, "json").text) as Conversation;
  expect(json.messages).toHaveLength(3);
  expect(exportConversation(build(), "json").fileName).toBe("conversation.json");
});

test("a conversation's title is one line, cut between words", () => {
  expect(toTitle("  a\n b ")).toBe("a b");
  expect(toTitle("word ".repeat(30))).toMatch(/^(?:word )+word …$/);
  expect(toTitle("x".repeat(100)).length).toBeLessThan(65);
});

test("a notice has the server's words for a refusal, and what to do on this page", () => {
  const refuse = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    noticeForRefusal({ status, body, headers: new Headers(headers) }, "asking", 1_000);
  const limited = { "X-Problem": "too-many-requests", "Retry-After": "30" };
  expect(refuse(429, { error: "Too many requests", remaining: 0 }, limited)).toMatchObject({
    kind: "wait",
    title: "Too many requests",
    retryAtMs: 31_000,
  });
  const unclear = { "X-Problem": "quota-exceeded", "Retry-After": "x" };
  expect(refuse(429, { error: "Quota exceeded" }, unclear)).toMatchObject({ kind: "wait", retryAtMs: null });
  expect(refuse(401, { error: "In other words" }, { "X-Problem": "invalid-jwt" }).kind).toBe("sign-in");
  const failed = { error: "Hosted-provider request failed", details: "timed out" };
  expect(refuse(500, failed, { "X-Problem": "provider-failed" })).toMatchObject({
    kind: "again",
    detail: "timed out",
    remedy: expect.stringContaining("Try again") as string,
  });
  expect(refuse(400, { error: "Invalid messages", errors: [{ message: "too long" }] }).detail).toBe(
    "too long",
  );
  expect(refuse(502, null)).toMatchObject({ kind: "again", title: "The server answered with status 502" });
});

test("the passages an answer quotes or names are its citations, all of them when it names none", () => {
  const passage = (id: string, text: string) => ({ id, text, source: `${id}.md`, title: id, heading: null });
  const long = "A passage that is long enough to be known by its beginning when it is quoted.";
  const passages = [passage("one", long), passage("two", "Another text."), passage("three", "A third.")];
  const cited = (text: string) => chooseCitations(passages, text).map(({ id }) => id);
  expect(cited(`As it says:\n\n> ${long}\n\nSources: two.md`)).toEqual(["one", "two"]);
  expect(cited("Nothing of it.")).toEqual(["one", "two", "three"]);
});
