import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Network } from "./network";
import { ReplyGoneError, readReplyStream } from "./reply-stream";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const encoder = new TextEncoder();
const delta = (id: number) => `id: ${id}\ndata: {"type":"text-delta","id":"t","delta":"${id} "}\n\n`;
const ending = (id: number) => `id: ${id}\ndata: {"type":"finish"}\n\ndata: [DONE]\n\n`;

/** Sends these words, then closes, breaks or stays silent. */
function saying(words: string, then: "close" | "break" | "silence" = "close") {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(words));
      if (then === "close") controller.close();
    },
    pull(controller) {
      if (then === "break") controller.error(new TypeError("network error"));
      return new Promise(() => undefined);
    },
    cancel: () => void (isCancelled = true),
  });
  return { body, isCancelled: () => isCancelled };
}

function createNetwork() {
  const listeners = new Set<(why: "online" | "offline" | "seen") => void>();
  let isOnline = true;
  const network: Network = {
    isOnline: () => isOnline,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  return {
    network,
    listenerCount: () => listeners.size,
    setOnline: (value: boolean) => (isOnline = value),
    tell: (why: "online" | "offline" | "seen") => [...listeners].forEach((listener) => listener(why)),
  };
}

type ReadOptions = {
  first: string | null;
  answers: (() => Response | Error)[];
  mayBegin?: () => boolean;
};

/** Reads on while the clock runs. `reopen` gets these answers in turn, and the last one repeats. */
function read({ first, answers, mayBegin = () => false }: ReadOptions) {
  const line = createNetwork();
  const abort = new AbortController();
  const ids: (number | null)[] = [];
  const lost: boolean[] = [];
  const openedAtMs: number[] = [];
  const startMs = Date.now();
  const run = (async () => {
    for await (const { id } of readReplyStream({
      body: first === null ? null : saying(first, "break").body,
      reopen: () => {
        const answer = answers[Math.min(openedAtMs.length, answers.length - 1)]!();
        openedAtMs.push(Date.now() - startMs);
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
      mayBegin,
      readRefusal: (response) => Promise.resolve(new Error(`refused ${response.status}`)),
      signal: abort.signal,
      network: line.network,
      onLost: (isLost) => lost.push(isLost),
    })) {
      ids.push(id);
    }
  })();
  run.catch(() => undefined);
  return { run, line, abort, ids, lost, openedAtMs };
}

const status =
  (code: number, headers = {}) =>
  () =>
    new Response(null, { status: code, headers });
const failing = () => new TypeError("Failed to fetch");

test("a connection that breaks is followed by others until the end has come", async () => {
  const { run, ids, lost } = read({
    first: delta(1) + delta(2),
    answers: [
      failing,
      status(503),
      () => new Response(saying(delta(3), "break").body),
      () => new Response(saying(delta(4)).body),
      () => new Response(saying(ending(5)).body),
    ],
  });
  await vi.advanceTimersByTimeAsync(30_000);
  await run;
  expect(ids).toEqual([1, 2, 3, 4, 5]);
  expect(lost).toEqual([true, false, true, false, true, false]);
});

test("an answer whose end has come is not asked for again, though its end mark was cut off", async () => {
  const { run, openedAtMs } = read({
    first: null,
    answers: [() => new Response(saying('data: {"type":"finish"}\n\n').body)],
  });
  await vi.advanceTimersByTimeAsync(0);
  await run;
  expect(openedAtMs).toHaveLength(1);
});

test("attempts are spread ever wider, and end", async () => {
  const { run, openedAtMs } = read({ first: delta(1), answers: [failing] });
  await vi.advanceTimersByTimeAsync(300_000);
  await expect(run).rejects.toThrow("is lost");
  const pauses = openedAtMs.map((ms, index) => ms - (openedAtMs[index - 1] ?? 0));
  expect(openedAtMs).toHaveLength(11);
  pauses.forEach((pauseMs, index) => {
    const wholeMs = Math.min(15_000, 500 * 2 ** index);
    expect(pauseMs).toBeGreaterThanOrEqual(wholeMs / 2 - 1);
    expect(pauseMs).toBeLessThanOrEqual(wholeMs + 1);
  });
});

test("connections that are cut at once end too", async () => {
  const { run, openedAtMs } = read({
    first: delta(1),
    answers: [() => new Response(saying(": here\n\n").body)],
  });
  await vi.advanceTimersByTimeAsync(300_000);
  await expect(run).rejects.toThrow("is lost");
  expect(openedAtMs.length).toBeLessThanOrEqual(12);
});

test("a server that asks for time gets it", async () => {
  const { openedAtMs } = read({ first: null, answers: [status(429, { "Retry-After": "30" })] });
  await vi.advanceTimersByTimeAsync(29_000);
  expect(openedAtMs).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(openedAtMs).toHaveLength(2);
});

test("without a connection nothing is tried; when it is back, or the page is seen, at once", async () => {
  const { run, line, openedAtMs, ids } = read({
    first: delta(1),
    answers: [failing, failing, failing, () => new Response(saying(ending(2)).body)],
  });
  line.setOnline(false);
  await vi.advanceTimersByTimeAsync(600_000);
  line.tell("seen");
  await vi.advanceTimersByTimeAsync(1_000);
  expect(openedAtMs).toHaveLength(0);
  line.setOnline(true);
  line.tell("online");
  await vi.advanceTimersByTimeAsync(0);
  expect(openedAtMs).toHaveLength(1);
  line.tell("seen");
  await vi.advanceTimersByTimeAsync(0);
  line.tell("seen");
  await vi.advanceTimersByTimeAsync(0);
  expect(openedAtMs).toHaveLength(3);
  line.tell("seen");
  await vi.advanceTimersByTimeAsync(0);
  await run;
  expect(ids).toEqual([1, 2]);
  expect(line.listenerCount()).toBe(0);
});

test("a connection is given up at once when the network is gone, and sought again when there is one", async () => {
  const silent = saying(delta(1), "silence");
  const { run, line, ids, openedAtMs, lost } = read({
    first: null,
    answers: [() => new Response(silent.body), () => new Response(saying(ending(2)).body)],
  });
  await vi.advanceTimersByTimeAsync(1_000);
  line.tell("seen");
  await vi.advanceTimersByTimeAsync(1_000);
  expect(openedAtMs).toHaveLength(1);
  line.setOnline(false);
  line.tell("offline");
  await vi.advanceTimersByTimeAsync(10_000);
  expect([silent.isCancelled(), openedAtMs.length, lost]).toEqual([true, 1, [true, false, true]]);
  line.setOnline(true);
  line.tell("online");
  await vi.advanceTimersByTimeAsync(0);
  await run;
  expect([ids, silent.isCancelled(), openedAtMs[1]]).toEqual([[1, 2], true, 12_000]);
});

test("a connection without even a keep-alive is given up: after 40 s, or when the page is seen again", async () => {
  const opened = () => new Response(saying(delta(1), "silence").body);
  const { line, openedAtMs } = read({ first: null, answers: [opened] });
  await vi.advanceTimersByTimeAsync(39_000);
  expect(openedAtMs).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(7_000);
  expect(openedAtMs).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(21_000);
  line.tell("seen");
  await vi.advanceTimersByTimeAsync(0);
  expect(openedAtMs).toHaveLength(3);
});

test("what is not kept is gone, and a refusal is told", async () => {
  for (const code of [204, 404]) {
    const { run } = read({ first: delta(1), answers: [status(code)] });
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(run).rejects.toThrow(ReplyGoneError);
  }
  const { run } = read({ first: delta(1), answers: [status(401)] });
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(run).rejects.toThrow("refused 401");
});

test("a reply that may not have begun yet is requested again", async () => {
  const startMs = Date.now();
  const { run, ids } = read({
    first: null,
    answers: [status(204), status(204), () => new Response(saying(ending(1)).body)],
    mayBegin: () => Date.now() - startMs < 15_000,
  });
  await vi.advanceTimersByTimeAsync(5_000);
  await run;
  expect(ids).toEqual([1]);
});

test("leaving ends the wait, and nothing is asked any more", async () => {
  const { run, abort, openedAtMs, line } = read({ first: delta(1), answers: [failing] });
  await vi.advanceTimersByTimeAsync(1_000);
  const before = openedAtMs.length;
  abort.abort(new Error("left"));
  await expect(run).rejects.toThrow("left");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(openedAtMs).toHaveLength(before);
  expect([line.listenerCount(), vi.getTimerCount()]).toEqual([0, 0]);
});
