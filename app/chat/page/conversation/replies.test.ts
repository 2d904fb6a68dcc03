import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { createAnnouncer } from "../announcer";
import type { SpeechPlayer } from "../speech/speech-player";
import { createChatState, createStateHolder } from "./chat-state";
import { emptyReply, question } from "~e2e/support/growing-reply";
import { addMessage, createConversation } from "./conversation";
import type { Reply } from "./conversation";
import { createConversationArchive, createMemoryStore } from "./conversation-archive";
import { ConversationKeeper } from "./conversation-keeper";
import type { Network } from "./network";
import { Replies } from "./replies";

const id = "conversation-0001";
const begunElsewhere: Reply = { ...emptyReply, replyId: "reply-of-another-window" };

/** Never waits, as if somebody always looks at the page. */
const network: Network = {
  isOnline: () => true,
  onChange(listener) {
    queueMicrotask(() => listener("seen"));
    return () => undefined;
  },
};

type Answer = (response: ServerResponse) => void;
const status = (code: number) => (response: ServerResponse) => void response.writeHead(code).end();
const refusing = (code: number, slug: string, error: string) => (response: ServerResponse) =>
  void response.writeHead(code, { "X-Problem": slug }).end(JSON.stringify({ error }));
const cutOff: Answer = (response) => void response.destroy();
const growing: Answer = (response) =>
  void response
    .writeHead(200, { "Content-Type": "text/event-stream", "X-Reply-Id": "reply-1" })
    .write('id: 1\ndata: {"type":"start"}\n\n');

/** A page and a server that responds to stops in turn. The last response repeats. */
async function openPage({ stops = [status(204)], stream = growing }: { stops?: Answer[]; stream?: Answer }) {
  const asked: string[] = [];
  /** The names of replies in the requests, in their order. */
  const named: unknown[] = [];
  const server = createServer((request, response) => {
    const name = request.url!.split("?")[0]!.split("/").at(-1)!;
    asked.push(name);
    named.push(request.headers["x-reply-id"]);
    const count = asked.filter((other) => other === "stop").length;
    request.resume();
    (name === "stop" ? (stops[count - 1] ?? stops.at(-1)!) : stream)(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  vi.stubGlobal("document", { hidden: true });
  vi.stubGlobal("window", globalThis);
  onTestFinished(() => void vi.unstubAllGlobals());
  const state = createStateHolder(createChatState([]));
  const conversations = new ConversationKeeper(state, createConversationArchive(createMemoryStore()));
  conversations.load();
  const said: string[] = [];
  const announcer = createAnnouncer((text) => said.push(text));
  const ended: Reply[] = [];
  const replies = new Replies({
    path: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/chat`,
    areKept: true,
    state,
    conversations,
    speech: { feed: () => undefined } as unknown as SpeechPlayer,
    announcer,
    network,
    onEnd: (reply) => void ended.push(reply),
  });
  onTestFinished(() => replies.leaveAll());
  const shown = () => conversations.find(id)?.messages.at(-1) as Reply;
  return { replies, asked, named, state, conversations, said, ended, shown };
}

async function stopInMidReply(page: Awaited<ReturnType<typeof openPage>>) {
  const { replies, conversations, shown } = page;
  conversations.open(createConversation(id, 1));
  void replies.ask(addMessage(createConversation(id, 1), question), question);
  await vi.waitFor(() => expect(shown().lastEventId).toBe(1));
  replies.stop(id);
}

test("a stop that the server has taken is a stop, and until then it is under way", async () => {
  const page = await openPage({ stops: [status(503), status(429), cutOff, status(204)] });
  await stopInMidReply(page);
  expect(page.state.get().stoppingIds).toEqual([page.shown().id]);
  await vi.waitFor(() => expect(page.state.get().stoppingIds).toEqual([]));
  expect(page.shown()).toMatchObject({ status: "stopped", notice: null });
  expect(page.asked).toEqual(["chat", "stop", "stop", "stop", "stop"]);
});

test.each([
  [refusing(401, "invalid-jwt", "Unauthorized: invalid JWT"), 1, "sign-in", "Your sign-in has ended"],
  [refusing(429, "too-many-requests", "Too many requests"), 5, "wait", "Too many requests"],
  [refusing(503, "state-unavailable", "State unavailable"), 5, "wait", "State unavailable"],
  [cutOff, 5, "offline", "The server did not answer"],
])(
  "a stop that failed says in a notice that the answer may go on and why, and can be tried again (%#)",
  async (refused, attempts, kind, why) => {
    const stops = [...Array<Answer>(attempts).fill(refused), status(204)];
    const page = await openPage({ stops });
    const { shown, ended, said, replies, asked, state } = page;
    await stopInMidReply(page);
    await vi.waitFor(() => expect(shown().notice).not.toBeNull());
    const title = "The reply may continue on the server";
    const detail = expect.stringContaining(`The stop failed: ${why}.`) as string;
    expect(shown()).toMatchObject({ status: "stopped", notice: { kind, title, detail } });
    expect(asked.filter((name) => name === "stop")).toHaveLength(attempts);
    expect([said.at(-1), ended.at(-1)]).toEqual([title, shown()]);
    replies.stopAgain(id, shown());
    await vi.waitFor(() => expect(asked).toHaveLength(attempts + 2));
    await vi.waitFor(() => expect(state.get().stoppingIds).toEqual([]));
    expect(shown()).toMatchObject({ status: "stopped", notice: null });
  },
);

test("a reply that another window asked for is followed until it is gone, and stopped by its name", async () => {
  const page = await openPage({ stream: status(204) });
  const { replies, asked, conversations } = page;
  const follow = (given: Partial<Reply>) => {
    const reply: Reply = { ...begunElsewhere, createdAtMs: Date.now(), ...given };
    conversations.put(addMessage(addMessage(createConversation(id, 1), question), reply));
    conversations.open(conversations.find(id)!);
    replies.follow({ isReload: false });
  };
  follow({});
  expect(replies.isReading(id)).toBe(true);
  replies.stop(id);
  await vi.waitFor(() => expect(page.shown()).toMatchObject({ status: "stopped", isStoppedByUser: true }));
  await vi.waitFor(() => expect(asked.filter((name) => name === "stop")).toHaveLength(1));
  follow({ createdAtMs: Date.now() - 60_000 });
  await vi.waitFor(() => expect(page.shown().status).toBe("stopped"));
  expect(page.shown().isStoppedByUser).toBeUndefined();
});

test("a stop before the answer has begun names it, and the next question asks for another one", async () => {
  const page = await openPage({ stream: () => undefined });
  const { replies, asked, named, conversations } = page;
  const ask = () => void replies.ask(addMessage(createConversation(id, 1), question), question);
  conversations.open(createConversation(id, 1));
  ask();
  await vi.waitFor(() => expect(asked).toEqual(["chat"]));
  replies.stop(id);
  await vi.waitFor(() => expect(page.shown().status).toBe("stopped"));
  await vi.waitFor(() => expect(page.state.get().stoppingIds).toEqual([]));
  ask();
  await vi.waitFor(() => expect(asked).toEqual(["chat", "stop", "chat"]));
  expect(named[0]).toMatch(/^[\w-]{16,64}$/);
  expect(named[1]).toBe(named[0]);
  expect(named[2]).not.toBe(named[0]);
});
