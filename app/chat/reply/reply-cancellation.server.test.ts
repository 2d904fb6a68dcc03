import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { toEventStream } from "~/chat/event-stream.server";
import { fallingSilentAfter, startOpenAiServer, toFrame } from "~e2e/support/providers/openai-server";
import { openaiProvider } from "../providers/openai.gateway.server";
import { openReply } from "./reply.server";
import type { ReplyOptions } from "./reply.server";

const run = promisify(execFile);

test("a client that leaves after garbage collections in mid-stream still closes the connection to the provider", async () => {
  const server = await startOpenAiServer(fallingSilentAfter("Four"));
  onTestFinished(() => server.close());
  const program = fileURLToPath(new URL("../../../e2e/support/abort-after-collection.ts", import.meta.url));
  let closedAtMs = 0;
  const polling = expect
    .poll(() => server.calls.length, { timeout: 20_000 })
    .toBe(1)
    .then(() => server.calls[0]?.closed)
    .then(() => (closedAtMs = Date.now()));
  const { stdout } = await run(process.execPath, ["--expose-gc", "--import", "tsx", program, server.baseUrl]);
  await polling;
  const [abort, end] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(closedAtMs).toBeGreaterThanOrEqual(Number(abort?.abortedAtMs));
  expect(end).toEqual({ settled: [1] });
});

test("a slow client pauses the provider, and one that leaves frees it once, over real sockets", async () => {
  let sentBytes = 0;
  const frame = toFrame({ content: "x".repeat(4_000) });
  const server = await startOpenAiServer(async (call) => {
    while (!call.isClosed()) {
      await call.send(frame);
      sentBytes += frame.length;
    }
  });
  onTestFinished(() => server.close());
  const settled: number[] = [];
  const client = new AbortController();
  const options: ReplyOptions = {
    provider: openaiProvider.connect({ baseUrl: server.baseUrl, apiKey: "sk-test-key" }),
    model: "small",
    system: "",
    messages: [{ role: "user", text: "Hello?" }],
    tools: [],
    caller: null,
    reservation: {
      maxOutputTokens: 10_000_000,
      settle: async ({ usedTokens }) => void settled.push(usedTokens),
    },
    maxSteps: 5,
    maxDurationMs: 60_000,
    signal: client.signal,
    shutdownSignal: new AbortController().signal,
    log: { warn: () => undefined },
  };
  const response = toEventStream({ events: await openReply(options), signal: client.signal });
  const reader = response.body?.getReader();
  await reader?.read();

  let before = -1;
  await expect
    .poll(
      () => {
        const isPaused = sentBytes === before && sentBytes > 0;
        before = sentBytes;
        return isPaused;
      },
      { interval: 300, timeout: 10_000 },
    )
    .toBe(true);
  expect(server.calls[0]?.isClosed()).toBe(false);
  expect(settled).toEqual([]);
  await reader?.cancel();
  client.abort();
  await server.calls[0]?.closed;
  expect(settled).toHaveLength(1);
  // At most the events already read ahead count, at a thousand tokens each.
  expect(settled[0]).toBeLessThanOrEqual(8_000);
});
