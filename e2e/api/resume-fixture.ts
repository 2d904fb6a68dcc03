import type { IncomingMessage } from "node:http";
import { request } from "node:http";
import { expect } from "vitest";
import { chatEventSchema } from "~/chat/reply/chat-events";
import type { ChatEvent } from "~/chat/reply/chat-events";
import type { Behaviour } from "~e2e/support/providers/openai-server";
import { hello, openChat, readRest } from "./chat-fixture";
import type { ChatQuestion } from "./chat-fixture";

export const resumable = { "X-Chat-Resumable": "1" };

let conversations = 0;
export function newConversationId(): string {
  return `conversation-of-the-tests-${++conversations}`;
}

/** Sends `words` words, one every `everyMs` milliseconds. */
export function talking(words: number, everyMs: number): Behaviour {
  return async (call) => {
    for (let word = 1; word <= words && !call.isClosed(); word += 1) {
      await call.text(`word${word} `);
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
    await call.finish();
  };
}

export type ConversationAt = Pick<ChatQuestion, "port" | "headers"> & { id: string; path?: string };

/** Begins a resumable reply. Its body is unread. */
export async function beginAnswer({ port, id, headers, path }: ConversationAt) {
  const begun = await openChat({ port, path, json: { ...hello, id }, headers: { ...headers, ...resumable } });
  return { ...begun, replyId: String(begun.incoming.headers["x-reply-id"]) };
}

type Resuming = ConversationAt & { query?: string; method?: string; leaves?: "stream" | "stop" };

export async function callConversation({ port, id, headers, query = "", method = "GET", ...at }: Resuming) {
  const { path = "/api/chat", leaves = "stream" } = at;
  const outgoing = request({
    host: "127.0.0.1",
    port,
    method,
    headers,
    agent: false,
    path: `${path}/${id}/${leaves}${query}`,
  });
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once("response", resolve).once("error", reject);
    outgoing.end();
  });
  incoming.on("error", () => undefined);
  return { outgoing, incoming, status: incoming.statusCode };
}

/** Reads the whole stream. */
export async function resume(at: Resuming) {
  const { incoming, status } = await callConversation(at);
  return { status, headers: incoming.headers, text: await readRest(incoming) };
}

export async function stopAnswer(at: ConversationAt) {
  return (await resume({ ...at, method: "POST", leaves: "stop" })).status;
}

export type NumberedEvent = { id: number; event: ChatEvent };

/** Parses a stream of numbered events line by line, and says whether it is complete. */
export function parseNumbered(text: string): { events: NumberedEvent[]; isWhole: boolean } {
  const blocks = text.split("\n\n").filter((block) => block !== "" && !block.startsWith(":"));
  const isWhole = blocks.at(-1) === "data: [DONE]";
  const numbered = isWhole ? blocks.slice(0, -1) : blocks;
  return {
    isWhole,
    events: numbered.map((block) => {
      const [, id, json] = /^id: (\d+)\ndata: (\{.*\})$/.exec(block) ?? [];
      expect(json, block).toBeDefined();
      return { id: Number(id), event: chatEventSchema.parse(JSON.parse(json!)) };
    }),
  };
}

/** The complete events of a stream that was cut anywhere. */
export function wholeEventsOf(text: string): string {
  return text.includes("\n\n") ? text.slice(0, text.lastIndexOf("\n\n") + 2) : "";
}

/** Ids count from `first` without gaps. */
export function expectCounted(events: readonly NumberedEvent[], first = 1): void {
  expect(events.map(({ id }) => id)).toEqual(events.map((_event, index) => first + index));
}

export function sayingOf(events: readonly NumberedEvent[]) {
  const all = events.map(({ event }) => event);
  const last = all.at(-1);
  return {
    text: all.map((event) => (event.type === "text-delta" ? event.delta : "")).join(""),
    errors: all.flatMap((event) => (event.type === "error" ? [event.errorText] : [])),
    reason: last?.type === "finish" ? last.messageMetadata?.finishReason : null,
  };
}
