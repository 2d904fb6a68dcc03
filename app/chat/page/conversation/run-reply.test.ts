import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import type { ChatEvent } from "~/chat/reply/chat-events";
import { emptyReply, question } from "~e2e/support/growing-reply";
import { textOfReply } from "./conversation";
import type { Reply } from "./conversation";
import { runReply } from "./run-reply";
import type { LeavingReason, RunReplyOptions } from "./run-reply";

type Told = Pick<IncomingMessage, "method" | "url" | "headers">;

const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closings.splice(0)) await close();
});

/** Gives these answers in turn, then 404. */
async function startServer(...answers: ((response: ServerResponse, request: Told) => void)[]) {
  const requests: Told[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    request.resume();
    const answer = answers[requests.length - 1];
    if (answer) answer(response, request);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closings.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { path: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/chat`, requests };
}

const toText = (event: ChatEvent, index: number) => `id: ${index + 1}\ndata: ${JSON.stringify(event)}\n\n`;
const words = Array.from({ length: 40 }, (_, index) => `wörd${index} `);
const events: ChatEvent[] = [
  { type: "start", messageId: "m" },
  { type: "start-step" },
  { type: "text-start", id: "t" },
  ...words.map((delta): ChatEvent => ({ type: "text-delta", id: "t", delta })),
  { type: "text-end", id: "t" },
  { type: "finish-step" },
  { type: "finish", messageMetadata: { finishReason: "stop" } },
];
const whole = words.join("");

const named = { "Content-Type": "text/event-stream", "X-Reply-Id": "reply-1" };

/** Streams the events after the client's last one up to `upTo`, and stops at `cutAtByte`. */
function telling(upTo: number, { cutAtByte = Infinity, headers = named as object } = {}) {
  return (response: ServerResponse, request: Told) => {
    const after = Number(request.headers["last-event-id"] ?? 0);
    const isWhole = upTo >= events.length;
    const text = events.map(toText).slice(after, upTo).join("") + (isWhole ? "data: [DONE]\n\n" : "");
    const bytes = Buffer.from(text).subarray(0, cutAtByte);
    response.writeHead(200, { ...headers });
    response.write(bytes, () => (isWhole && cutAtByte === Infinity ? response.end() : response.destroy()));
  };
}

const saying = (status: number, body?: object) => (response: ServerResponse) =>
  void response.writeHead(status, { "Content-Type": "application/json" }).end(body && JSON.stringify(body));

const empty: Reply = { ...emptyReply, replyId: "reply-1" };
const partial: Reply = {
  ...empty,
  lastEventId: 5,
  parts: [{ kind: "text", id: "t", text: words.slice(0, 2).join("") }],
};

async function run(path: string, given: Partial<RunReplyOptions> = {}) {
  vi.spyOn(Math, "random").mockReturnValue(0);
  const seen: Reply[] = [];
  const { reply, isGone } = await runReply({
    path,
    conversationId: "conversation-1",
    reply: empty,
    shown: [question],
    signal: new AbortController().signal,
    network: { isOnline: () => true, onChange: () => () => undefined },
    isEnding: () => false,
    onSent: () => undefined,
    onLost: () => undefined,
    onChange: (changed) => seen.push(changed),
    ...given,
  });
  return { reply, isGone, seen, text: textOfReply(reply) };
}

test("a question names its conversation, its answer and that its answer may go on without the page", async () => {
  let body = "";
  const server = createServer((request, response) => {
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => telling(events.length)(response, request));
    expect(request.headers).toMatchObject({ "x-chat-resumable": "1", "x-reply-id": "reply-1" });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closings.push(() => new Promise((resolve) => server.close(() => resolve())));
  const path = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/chat`;
  const { reply, text } = await run(path);
  expect(JSON.parse(body)).toMatchObject({ id: "conversation-1", messages: [{ role: "user" }] });
  expect([text, reply.status, reply.notice]).toEqual([whole, "done", null]);
});

test("an answer that is cut off anywhere, twice, is whole in the end, and nothing in it is doubled", async () => {
  const bytes = Buffer.byteLength(events.map(toText).join(""));
  for (let cut = 0; cut < bytes; cut += 631) {
    const { path, requests } = await startServer(
      telling(events.length, { cutAtByte: cut }),
      telling(events.length, { cutAtByte: (cut * 7) % 300 }),
      telling(events.length),
    );
    const { reply, text, seen } = await run(path);
    expect([text, reply.status, reply.lastEventId], `cut at ${cut}`).toEqual([whole, "done", events.length]);
    expect(seen.every((state) => whole.startsWith(textOfReply(state)))).toBe(true);
    expect(
      requests.slice(1).every(({ url }) => url === "/api/chat/conversation-1/stream?reply=reply-1"),
    ).toBe(true);
  }
}, 60_000);

test("an answer that is told again from its start is not doubled", async () => {
  const fromStart = (response: ServerResponse) => telling(events.length)(response, { headers: {} } as Told);
  const { path } = await startServer(fromStart);
  const { text, reply } = await run(path, { reply: partial, shown: null });
  expect([text, reply.status]).toEqual([whole, "done"]);
});

test("an answer whose writer has ended keeps all that came, also what was not stored, and says so", async () => {
  const errorText = "The answer broke off: the server that wrote it has ended. Ask again.";
  const ending = [
    { type: "error", errorText } as const,
    { type: "finish", messageMetadata: { finishReason: "error" } } as const,
  ];
  const { path, requests } = await startServer(telling(20), (response) => {
    const text = ending.map((event, index) => toText(event, index + 15)).join("");
    response.writeHead(200, named).end(`${text}data: [DONE]\n\n`);
  });
  const { reply, text } = await run(path);
  expect(requests[1]?.headers["last-event-id"]).toBe("20");
  expect(text).toBe(words.slice(0, 17).join(""));
  expect(reply).toMatchObject({
    status: "failed",
    finishReason: "error",
    notice: { kind: "again", title: errorText },
  });
});

test("after a reload, the rest comes from after what was kept", async () => {
  const { path, requests } = await startServer(telling(events.length));
  const { text, reply } = await run(path, { reply: partial, shown: null });
  expect(requests).toMatchObject([
    {
      method: "GET",
      url: "/api/chat/conversation-1/stream?reply=reply-1",
      headers: { "last-event-id": "5" },
    },
  ]);
  expect([text, reply.status]).toEqual([whole, "done"]);
});

test("what is gone after a reload stays as it was, cut off", async () => {
  for (const status of [204, 404]) {
    const { path } = await startServer(saying(status));
    const { reply, text, isGone } = await run(path, { reply: partial, shown: null });
    expect([text, reply.status, reply.notice, isGone]).toEqual(["wörd0 wörd1 ", "stopped", null, true]);
    expect(reply.isStoppedByUser).toBeUndefined();
  }
});

test("what is gone after a lost connection is a broken answer, with its text", async () => {
  const { path } = await startServer(telling(10), saying(204));
  const { reply, text } = await run(path);
  expect(text).toBe(words.slice(0, 7).join(""));
  expect(reply).toMatchObject({ status: "failed", notice: { title: "The answer broke off" } });
});

test("an answer without a name ends with its connection", async () => {
  const { path, requests } = await startServer(telling(10, { headers: {} }));
  const { reply } = await run(path, { reply: { ...empty, replyId: undefined } as never });
  expect(reply).toMatchObject({ status: "failed", notice: { title: "The answer broke off" } });
  expect(requests).toHaveLength(1);
});

test("an answer that is under way is taken up if it is this one, and otherwise waited for or refused", async () => {
  const underWay = (replyId: string) => saying(409, { error: "An answer is already under way", replyId });
  const taken = await startServer(underWay("reply-1"), telling(events.length));
  expect(await run(taken.path)).toMatchObject({ text: whole, reply: { status: "done", replyId: "reply-1" } });
  expect(taken.requests.map(({ method }) => method)).toEqual(["POST", "GET"]);

  const other = underWay("reply-0");
  const waited = await startServer(other, other, telling(events.length));
  expect(await run(waited.path, { isEnding: () => true })).toMatchObject({ text: whole });
  expect(waited.requests.map(({ method }) => method)).toEqual(["POST", "POST", "POST"]);

  const refused = await startServer(other);
  const { reply } = await run(refused.path);
  expect(reply).toMatchObject({ status: "failed", notice: { title: "An answer is already under way" } });
  // There is no reply to resume.
  expect(reply.replyId).toBeUndefined();
});

test.each<[LeavingReason, Reply["status"]]>([
  ["stopped", "stopped"],
  ["left", "streaming"],
  ["ended-elsewhere", "streaming"],
])("a page that has %s leaves an answer that is kept as %s", async (reason, status) => {
  const leaving = new AbortController();
  const { path, requests } = await startServer((response) => {
    response.writeHead(200, named).write(events.map(toText).slice(0, 10).join(""));
  });
  const onChange = (changed: Reply) => changed.lastEventId === 10 && leaving.abort(reason);
  const { reply } = await run(path, { signal: leaving.signal, onChange });
  expect([reply.status, reply.lastEventId, requests.length]).toEqual([status, 10, 1]);
  expect(reply.isStoppedByUser).toBe(reason === "stopped" ? true : undefined);
});

test.each<[LeavingReason, Reply["status"]]>([
  ["stopped", "stopped"],
  ["left", "streaming"],
])("a page that has %s before its answer began leaves it as %s", async (reason, status) => {
  const leaving = new AbortController();
  let isCutOff = false;
  const { path, requests } = await startServer((response) => response.on("close", () => (isCutOff = true)));
  const running = run(path, { signal: leaving.signal });
  await vi.waitFor(() => expect(requests).toHaveLength(1));
  leaving.abort(reason);
  expect((await running).reply).toMatchObject({ status, replyId: "reply-1" });
  await vi.waitFor(() => expect(isCutOff).toBe(true));
});
