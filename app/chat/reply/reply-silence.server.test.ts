import { expect, onTestFinished, test, vi } from "vitest";
import { isTimeout } from "~/platform/providers/instrument";
import type { ProviderInstrument } from "~/platform/providers/instrument";
import { toEventStream } from "~/chat/event-stream.server";
import {
  callingTools,
  fallingSilentAfter,
  neverAnswering,
  refusing,
  saying,
  startOpenAiServer,
} from "~e2e/support/providers/openai-server";
import type { Behaviour } from "~e2e/support/providers/openai-server";
import type { ChatEvent } from "./chat-events";
import { instrumentChat } from "../providers/instrument-chat";
import { localProvider } from "../providers/local.gateway.server";
import { openReply } from "./reply.server";
import { ReplyCancelled } from "./reply-run.server";
import type { ReplyOptions } from "./reply.server";

async function prepare(behaviours: [Behaviour, ...Behaviour[]], changes: Partial<ReplyOptions> = {}) {
  const server = await startOpenAiServer(...behaviours);
  onTestFinished(() => server.close());
  const settled: number[] = [];
  const client = new AbortController();
  const shutdown = new AbortController();
  const options: ReplyOptions = {
    provider: localProvider.connect({ baseUrl: server.baseUrl, apiKey: null }),
    model: "small",
    system: "",
    messages: [{ role: "user", text: "Hello?" }],
    tools: [],
    caller: null,
    reservation: { maxOutputTokens: 100, settle: async ({ usedTokens }) => void settled.push(usedTokens) },
    maxSteps: 5,
    maxDurationMs: 20_000,
    firstEventWaitMs: 20,
    signal: client.signal,
    shutdownSignal: shutdown.signal,
    log: { warn: () => undefined },
    ...changes,
  };
  return { server, options, settled, client, shutdown };
}

/** A behaviour that begins when it is let. */
function heldBack(behaviour: Behaviour) {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const held: Behaviour = async (call) => {
    await released;
    await behaviour(call);
  };
  return { held, release, released };
}

async function collect(events: AsyncIterable<ChatEvent>): Promise<ChatEvent[]> {
  const all: ChatEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const finish = (finishReason: string) => ({ type: "finish", messageMetadata: { finishReason } });
const failed = (errorText: unknown) => [{ type: "error", errorText }, finish("error")];
const thinking: Behaviour = async (call) => {
  for (const thought of ["Well", ", let me ", "see"]) await call.delta({ reasoning_content: thought });
};
const onlyThinking =
  (reason: string): Behaviour =>
  async (call) => {
    await thinking(call);
    await call.finish(reason);
  };

test("a stream begins while the provider is silent, and continues when it answers", async () => {
  const { held, release } = heldBack(saying("Here I am."));
  const { options, settled } = await prepare([held]);
  const events = await openReply(options);
  expect(await events.next()).toEqual({ done: false, value: { type: "start" } });
  const rest = collect(events);
  release();
  expect(await rest).toEqual([
    { type: "start-step" },
    { type: "text-start", id: "text-1" },
    { type: "text-delta", id: "text-1", delta: "Here I am." },
    { type: "text-end", id: "text-1" },
    { type: "finish-step" },
    finish("stop"),
  ]);
  expect(settled).toEqual([3]);
});

test("a client gets the start and then keep-alives while the provider is silent", async () => {
  const { options, client } = await prepare([neverAnswering]);
  const events = await openReply(options);
  const body = toEventStream({ events, signal: client.signal, keepAliveMs: 10 }).body!;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (text.split(": keep-alive").length < 3) text += (await reader.read()).value ?? "";
  expect(text).toBe('data: {"type":"start"}\n\n: keep-alive\n\n: keep-alive\n\n');
  await reader.cancel();
});

test("a provider may be silent before its answer and within it, for as long as the answer may take", async () => {
  const before = heldBack(async (call) => call.text("Slowly"));
  const within = heldBack(async (call) => {
    await call.text(" but surely.");
    await call.finish();
  });
  const arrival = heldBack(() => undefined);
  const { options, settled } = await prepare(
    [async (call) => (arrival.release(), await before.held(call), await within.held(call))],
    { maxDurationMs: 90_000, firstEventWaitMs: undefined },
  );
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  let isOpen = false;
  const opening = openReply(options).finally(() => (isOpen = true));
  await arrival.released;
  await vi.advanceTimersByTimeAsync(9_999);
  expect(isOpen).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  const events = await opening;
  await vi.advanceTimersByTimeAsync(30_000);
  before.release();
  for (let read = 0; read < 4; read += 1) await events.next();
  const rest = collect(events);
  await vi.advanceTimersByTimeAsync(30_000);
  within.release();
  expect((await rest).slice(0, 1)).toEqual([{ type: "text-delta", id: "text-1", delta: " but surely." }]);
  expect(settled).toEqual([5]);
});

test("a model that thinks for longer than the wait for the first event is not cut off", async () => {
  const { held, release } = heldBack(async (call) => {
    await thinking(call);
    await saying("Yes.")(call);
  });
  const { options, settled } = await prepare([async (call) => (await thinking(call), await held(call))]);
  const events = await openReply(options);
  release();
  expect((await collect(events)).at(-1)).toEqual(finish("stop"));
  expect(settled).toEqual([1]);
});

test("a failure once the stream has begun is an error event, and nothing is charged", async () => {
  const { held, release } = heldBack(refusing({ status: 500, message: "out of memory" }));
  const { server, options, settled } = await prepare([held]);
  const events = await openReply(options);
  release();
  expect(await collect(events)).toEqual([
    { type: "start" },
    ...failed(`Local server connection failed: ${server.baseUrl} (HTTP 500: out of memory)`),
  ]);
  expect(settled).toEqual([0]);
});

test("a provider silent until the time limit is an error event, and its connection is closed", async () => {
  const { server, options, settled } = await prepare([neverAnswering], { maxDurationMs: 200 });
  const timeouts: boolean[] = [];
  const instrument: ProviderInstrument = () => ({
    first: () => undefined,
    end: (_outcome, error) => void timeouts.push(isTimeout(error)),
  });
  const provider = instrumentChat(options.provider, instrument, () => undefined);
  expect(await collect(await openReply({ ...options, provider }))).toEqual([
    { type: "start" },
    ...failed("The answer was ended: it took longer than the limit of 0.2 seconds."),
  ]);
  expect(settled).toEqual([0]);
  await server.calls[0]?.closed;
  expect(timeouts[0]).toBe(true);
});

test("a client that leaves a silent stream, and a shutdown, close the provider's connection and charge nothing", async () => {
  const left = await prepare([neverAnswering]);
  const events = await openReply(left.options);
  await events.next();
  const rest = collect(events);
  left.client.abort();
  expect(await rest).toEqual([]);
  await left.server.calls[0]?.closed;
  expect(left.settled).toEqual([0]);

  const ended = await prepare([neverAnswering]);
  const open = await openReply(ended.options);
  ended.shutdown.abort();
  expect(await collect(open)).toEqual([
    { type: "start" },
    ...failed(expect.stringContaining("shutting down")),
  ]);
  await ended.server.calls[0]?.closed;
  expect(ended.settled).toEqual([0]);

  const gone = await prepare([neverAnswering], { firstEventWaitMs: 20_000 });
  const opening = openReply(gone.options);
  await expect.poll(() => gone.server.calls.length).toBe(1);
  gone.client.abort();
  await expect(opening).rejects.toBeInstanceOf(ReplyCancelled);
  expect(gone.settled).toEqual([0]);
});

const emptyAnswers: [string, Behaviour, string][] = [
  ["ends at once", saying(), "the model ended its answer without a word"],
  ["only thinks", onlyThinking("stop"), "the model ended its answer without a word"],
  [
    "thinks until its length is used up",
    onlyThinking("length"),
    "the model reached its length limit before it said anything",
  ],
  [
    "is silenced by its provider",
    onlyThinking("content_filter"),
    "the answer was withheld by the provider's content filter",
  ],
];

test.each(emptyAnswers)(
  "a model that %s is a failure before the first byte, and nothing is charged",
  async (_name, behaviour, details) => {
    const { server, options, settled } = await prepare([behaviour], { firstEventWaitMs: 20_000 });
    await expect(openReply(options)).rejects.toMatchObject({
      name: "ProviderError",
      message: "Chat request failed",
      details,
    });
    expect(settled).toEqual([0]);
    await server.calls[0]?.closed;
  },
);

test.each(emptyAnswers)(
  "a model that %s once the stream has begun is an error event",
  async (_name, behaviour, details) => {
    const { held, release } = heldBack(behaviour);
    const { options, settled } = await prepare([held]);
    const events = await openReply(options);
    release();
    expect(await collect(events)).toEqual([
      ...[{ type: "start" }, { type: "start-step" }, { type: "finish-step" }],
      ...failed(`Chat request failed (${details})`),
    ]);
    expect(settled).toEqual([0]);
  },
);

test("an answer of white space alone is a failure", async () => {
  const { options, settled } = await prepare([saying("\n", "  \n")], { firstEventWaitMs: 20_000 });
  const events = await collect(await openReply(options));
  expect(events.slice(-2)).toEqual(failed("Chat request failed (the model ended its answer without a word)"));
  expect(settled).toEqual([1]);
});

test("an answer that called a tool and said nothing more is no failure", async () => {
  const ask = callingTools({ id: "c", name: "gone", fragments: ["{}"] });
  const { options, settled } = await prepare([ask, saying()]);
  const events = await collect(await openReply(options));
  expect(events.at(-1)).toEqual(finish("stop"));
  expect(settled).toEqual([1]);
});

test("a later step may be as silent as the first", async () => {
  const ask = callingTools({ id: "c", name: "gone", fragments: ["{}"] });
  const { options } = await prepare([ask, fallingSilentAfter()], { maxDurationMs: 300 });
  expect((await collect(await openReply(options))).slice(-3)).toEqual([
    { type: "finish-step" },
    ...failed("The answer was ended: it took longer than the limit of 0.3 seconds."),
  ]);
});
