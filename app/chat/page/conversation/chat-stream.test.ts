import { expect, test } from "vitest";
import type { z } from "zod";
import { chatEventSchema } from "~/chat/reply/chat-events";
import { eventMembers, readChatEvent, readChatStream, UnreadableStreamError } from "./chat-stream";

test("the page's events have the members that the server's schema gives them", () => {
  const shapes = Object.fromEntries(
    chatEventSchema.options.map(({ shape: { type, ...members } }) => [
      type.value,
      Object.keys(members).sort(),
    ]),
  );
  const own = Object.entries(eventMembers).map(([type, members]) => [type, Object.keys(members).sort()]);
  expect(Object.fromEntries(own)).toEqual(shapes);
});

test("an event member is checked as text exactly where the server's schema wants text", () => {
  for (const { shape } of chatEventSchema.options) {
    const { type, ...members } = shape as Record<string, z.ZodType> & { type: z.ZodLiteral<string> };
    for (const [name, schema] of Object.entries(members)) {
      const wantsText = !schema.safeParse(7).success;
      const kind = eventMembers[type.value as keyof typeof eventMembers][name];
      expect(kind !== "anything", `${type.value}.${name}`).toBe(wantsText);
    }
  }
});

test("unknown events of newer servers are skipped, malformed ones are errors", () => {
  expect(readChatEvent('{"type":"reasoning-delta","delta":"x"}')).toBeNull();
  expect(readChatEvent('{"type":"constructor"}')).toBeNull();
  for (const nonsense of [
    "",
    "7",
    "null",
    "{}",
    '{"type":"text-delta","id":"a"}',
    '{"type":"error"}',
    "<html>",
  ]) {
    expect(() => readChatEvent(nonsense), nonsense).toThrow(UnreadableStreamError);
  }
});

function streamOf(...chunks: Uint8Array[]) {
  let isCancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = chunks.shift();
      if (chunk) controller.enqueue(chunk);
      else controller.close();
    },
    cancel() {
      isCancelled = true;
    },
  });
  return { stream, isCancelled: () => isCancelled };
}

async function readAll(stream: ReadableStream<Uint8Array>) {
  const events = [];
  for await (const { event } of readChatStream(stream)) events.push(event);
  return events;
}

test("a stream is read the same wherever its pieces are cut, within characters too", async () => {
  const text =
    ': keep-alive\n\ndata: {"type":"text-delta","id":"a","delta":"Grüße 😀"}\r\n\r\ndata: {"type":"finish"}\n\ndata: [DONE]\n\n';
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 2, 3, 10, bytes.length]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.slice(at * size, (at + 1) * size),
    );
    expect(await readAll(streamOf(...chunks).stream)).toEqual([
      { type: "text-delta", id: "a", delta: "Grüße 😀" },
      { type: "finish" },
    ]);
  }
});

test("a reader that stops leaves no open connection", async () => {
  const event = new TextEncoder().encode('data: {"type":"start"}\n\n');
  const { stream, isCancelled } = streamOf(event, event, event);
  for await (const _event of readChatStream(stream)) break;
  expect(isCancelled()).toBe(true);
});
