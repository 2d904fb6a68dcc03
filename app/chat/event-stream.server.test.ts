import { once } from "node:events";
import { createServer, get } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { expect, onTestFinished, test } from "vitest";
import { toEventStream, toNumberedEventStream, StreamCutOff } from "./event-stream.server";
import type { EventSource, NumberedEvent } from "./event-stream.server";

const silent = new AbortController().signal;

async function* eventsOf(...events: object[]) {
  yield* events;
}

/** Counts how often the stream was ended. */
function countingEvents(next: () => Promise<IteratorResult<object>>) {
  const counts = { returned: 0, pulled: 0 };
  const iterator = {
    next: () => {
      counts.pulled += 1;
      return next();
    },
    return: async () => {
      counts.returned += 1;
      return { done: true as const, value: undefined };
    },
  };
  return { counts, events: { [Symbol.asyncIterator]: () => iterator } };
}

const never = () => new Promise<never>(() => {});

test("each event is sent as one JSON object a line, then the end mark, with the stream's headers", async () => {
  const response = toEventStream({
    events: eventsOf({ type: "start" }, { type: "finish" }),
    signal: silent,
    headers: { "X-Quota-Limit": "20000" },
  });
  expect(Object.fromEntries(response.headers)).toEqual({
    "cache-control": "no-cache, no-transform",
    "content-type": "text/event-stream; charset=utf-8",
    "x-accel-buffering": "no",
    "x-quota-limit": "20000",
    "x-vercel-ai-ui-message-stream": "v1",
  });
  expect(await response.text()).toBe('data: {"type":"start"}\n\ndata: {"type":"finish"}\n\ndata: [DONE]\n\n');
});

test.each([
  ["line breaks", "a\nb\r\nc\rd\n\ne"],
  ["the format's own words", "data: x\n\ndata: [DONE]\n\nevent: y\n: z"],
  ["line and paragraph separators, next line", "a\u2028b\u2029c\u0085d"],
  ["half a surrogate", "a\ud83d"],
  ["the other half", "\ude00b"],
  ["a whole pair and zeros", "🔑\u0000\ufeff"],
])("text with %s arrives exactly as it was sent", async (_name, delta) => {
  const response = toEventStream({ events: eventsOf({ type: "text-delta", delta }), signal: silent });
  const text = await response.text();
  const [line, ...rest] = text.split(/[\n\r\u0085\u2028\u2029]/);
  expect(JSON.parse(line?.slice("data: ".length) ?? "")).toEqual({ type: "text-delta", delta });
  expect(rest).toEqual(["", "data: [DONE]", "", ""]);
});

test("a lone surrogate is sent escaped, since UTF-8 cannot carry it", async () => {
  const response = toEventStream({ events: eventsOf({ delta: "\ud83d" }), signal: silent });
  expect(await response.text()).toContain('{"delta":"\\ud83d"}');
});

async function readPieces(response: Response): Promise<string[]> {
  const reader = response.body!.getReader();
  const pieces: string[] = [];
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    pieces.push(new TextDecoder().decode(read.value));
  }
  return pieces;
}

test("events of one tick of the loop leave in one piece, and none waits for the next tick", async () => {
  const eachTick = [["a", "b", "c"], ["d"], ["e", "f"]];
  async function* events() {
    for (const [tick, names] of eachTick.entries()) {
      if (tick > 0) await new Promise((resolve) => setTimeout(resolve, 20));
      for (const name of names) yield { name };
    }
  }
  expect(await readPieces(toEventStream({ events: events(), signal: silent }))).toEqual([
    'data: {"name":"a"}\n\ndata: {"name":"b"}\n\ndata: {"name":"c"}\n\n',
    'data: {"name":"d"}\n\n',
    'data: {"name":"e"}\n\ndata: {"name":"f"}\n\ndata: [DONE]\n\n',
  ]);
});

/** A source that the test feeds, ends or fails. */
function tellingSource() {
  const there: (NumberedEvent[] | null | Error)[] = [];
  let tell = () => {};
  const counts = { taken: 0, closed: 0 };
  const source: EventSource = {
    take() {
      counts.taken += 1;
      const next = there.length > 0 ? there.shift()! : [];
      if (next instanceof Error) throw next;
      return next;
    },
    onMore: (listener) => void (tell = listener),
    close: () => void (counts.closed += 1),
  };
  return {
    source,
    counts,
    have(...more: (NumberedEvent[] | null | Error)[]): void {
      there.push(...more);
      tell();
    },
  };
}

const one = { id: 1, json: "{}" };
const two = { id: 2, json: "[]" };

test("events that a source has leave at once, and the last of them with the end mark", async () => {
  const { source, have } = tellingSource();
  have([one]);
  const response = toNumberedEventStream({ source, signal: silent });
  const reader = response.body!.getReader();
  const readOn = async () => new TextDecoder().decode((await reader.read()).value);
  expect(await readOn()).toBe("id: 1\ndata: {}\n\n");
  const next = readOn();
  have([two], null);
  expect(await next).toBe("id: 2\ndata: []\n\ndata: [DONE]\n\n");
  expect((await reader.read()).done).toBe(true);
});

test("a source is not asked while the reader has no room, and is closed when the reader leaves", async () => {
  const { source, counts, have } = tellingSource();
  const response = toNumberedEventStream({ source, signal: silent });
  const long = { id: 1, json: JSON.stringify("x".repeat(10_000)) };
  for (let count = 0; count < 20; count += 1) have([long]);
  const { taken } = counts;
  expect(taken).toBeLessThan(10);
  const reader = response.body!.getReader();
  await reader.read();
  await reader.read();
  expect(counts.taken).toBeGreaterThan(taken);
  await reader.cancel();
  expect(counts.closed).toBe(1);
});

test("a source that goes on elsewhere cuts the stream off, and one that fails ends it", async () => {
  for (const [fault, rest] of [
    [new StreamCutOff("The answer goes on elsewhere"), null],
    [new Error("internal"), "answer broke off"],
  ] as const) {
    const { source, have } = tellingSource();
    const failures: unknown[] = [];
    const onFailure = (error: unknown) => failures.push(error);
    const reader = toNumberedEventStream({ source, signal: silent, onFailure }).body!.getReader();
    const first = reader.read();
    have([one], fault);
    expect(new TextDecoder().decode((await first).value)).toContain("id: 1");
    if (rest === null) await expect(reader.read()).rejects.toThrow("goes on elsewhere");
    else expect(new TextDecoder().decode((await reader.read()).value)).toContain(rest);
    expect(failures).toEqual(rest === null ? [] : [fault]);
  }
});

test("a failure after the first event ends with error, finish and the end mark, and is reported", async () => {
  const failures: unknown[] = [];
  const broken = new Error("internal: /etc/secret");
  async function* breaking() {
    yield { type: "start" };
    throw broken;
  }
  const response = toEventStream({
    events: breaking(),
    signal: silent,
    onFailure: (e) => failures.push(e),
  });
  expect(await response.text()).toBe(
    'data: {"type":"start"}\n\ndata: {"type":"error","errorText":"The answer broke off."}\n\n' +
      'data: {"type":"finish"}\n\ndata: [DONE]\n\n',
  );
  expect(failures).toEqual([broken]);
});

test("a reader that cancels while it waits ends the events once", async () => {
  const { counts, events } = countingEvents(never);
  const abort = new AbortController();
  const response = toEventStream({ events, signal: abort.signal });
  const reader = response.body?.getReader();
  await new Promise((resolve) => setImmediate(resolve));
  await reader?.cancel();
  abort.abort();
  await reader?.cancel();
  expect(counts).toEqual({ pulled: 1, returned: 1 });
});

test("an abort signal ends the events once, one that fired before too", async () => {
  const abort = new AbortController();
  const first = countingEvents(never);
  const response = toEventStream({ events: first.events, signal: abort.signal });
  const reading = response.text();
  abort.abort(new Error("gone"));
  await expect(reading).rejects.toThrow("gone");
  expect(first.counts.returned).toBe(1);

  const second = countingEvents(never);
  await expect(toEventStream({ events: second.events, signal: abort.signal }).text()).rejects.toThrow("gone");
  expect(second.counts.returned).toBe(1);
});

test("events that ended by themselves are not ended again", async () => {
  const { counts, events } = countingEvents(async () => ({ done: true, value: undefined }));
  const abort = new AbortController();
  await toEventStream({ events, signal: abort.signal }).text();
  abort.abort();
  expect(counts.returned).toBe(0);
});

test("a silent stream is kept alive by comments", async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  async function* slow() {
    await released;
    yield { type: "finish" };
  }
  const response = toEventStream({ events: slow(), signal: silent, keepAliveMs: 20 });
  const reader = response.body?.getReader();
  const first = await reader?.read();
  expect(new TextDecoder().decode(first?.value)).toBe(": keep-alive\n\n");
  release();
  let rest = "";
  for (let read = await reader?.read(); !read?.done; read = await reader?.read()) {
    rest += new TextDecoder().decode(read?.value);
  }
  expect(rest).toMatch(/^(: keep-alive\n\n)*data: {"type":"finish"}\n\ndata: \[DONE\]\n\n$/);
});

test("a reader that takes nothing pulls few events, and is cut off in the end", async () => {
  const event = { type: "text-delta", id: "1", delta: "x".repeat(1_000) };
  const { counts, events } = countingEvents(async () => ({ done: false, value: event }));
  const response = toEventStream({ events, signal: silent, keepAliveMs: 20 });
  await expect.poll(() => counts.returned).toBe(1);
  expect(counts.pulled).toBeLessThan(20);
  await expect(response.text()).rejects.toThrow("takes nothing");
});

async function readOverConnection(answer: () => Response): Promise<IncomingMessage> {
  const server = createServer((_request, to) => {
    void pipeline(Readable.fromWeb(answer().body as NodeReadableStream), to).catch(() => undefined);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const client = get(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const [incoming] = (await once(client, "response")) as [IncomingMessage];
  return incoming;
}

test("over a real connection a slow reader pauses the events, and its leaving ends them", async () => {
  const event = { type: "text-delta", id: "1", delta: "x".repeat(10_000) };
  const { counts, events } = countingEvents(async () => ({ done: false, value: event }));
  const incoming = await readOverConnection(() => toEventStream({ events, signal: silent }));

  let pulledBefore = -1;
  await expect
    .poll(
      () => {
        const isSteady = counts.pulled === pulledBefore && counts.pulled > 0;
        pulledBefore = counts.pulled;
        return isSteady;
      },
      { interval: 200, timeout: 10_000 },
    )
    .toBe(true);
  expect(counts.returned).toBe(0);
  incoming.destroy();
  await expect.poll(() => counts.returned).toBe(1);
});

test("over a real connection events that go on elsewhere are cut off, with what came before and without an end mark", async () => {
  async function* leaving() {
    yield { type: "start" };
    await new Promise((resolve) => setTimeout(resolve, 20));
    throw new StreamCutOff("The answer goes on elsewhere");
  }
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => failures.push(error);
  const incoming = await readOverConnection(() =>
    toEventStream({ events: leaving(), signal: silent, onFailure }),
  );
  let text = "";
  incoming.on("data", (chunk) => (text += String(chunk)));
  await expect(once(incoming, "end")).rejects.toMatchObject({ code: "ECONNRESET" });
  expect([text, incoming.complete, failures]).toEqual(['data: {"type":"start"}\n\n', false, []]);
});

test("events that go on elsewhere at once are handed on before they are cut off", async () => {
  async function* leaving() {
    yield { name: "a" };
    throw new StreamCutOff("The answer goes on elsewhere");
  }
  const reader = toEventStream({ events: leaving(), signal: silent }).body!.getReader();
  const first = await reader.read();
  expect(new TextDecoder().decode(first.value)).toContain("a");
  await expect(reader.read()).rejects.toThrow("goes on elsewhere");
});
