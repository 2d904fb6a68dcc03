import { expect, test } from "vitest";
import { readChatStream } from "./chat-stream";

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
