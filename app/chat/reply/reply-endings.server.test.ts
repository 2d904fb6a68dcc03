import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { toEventStream } from "~/chat/event-stream.server";
import {
  callingTools,
  fallingSilentAfter,
  refusing,
  saying,
  startOpenAiServer,
  talkingForever,
} from "~e2e/support/providers/openai-server";
import type { Behaviour } from "~e2e/support/providers/openai-server";
import { localProvider } from "../providers/local.gateway.server";
import { openReply } from "./reply.server";
import type { ReplyOptions } from "./reply.server";

function prepare(baseUrl: string, changes: Partial<ReplyOptions> = {}) {
  const settled: number[] = [];
  const client = new AbortController();
  const options: ReplyOptions = {
    provider: localProvider.connect({ baseUrl, apiKey: null }),
    model: "small",
    system: "",
    messages: [{ role: "user", text: "Hello?" }],
    tools: [],
    caller: null,
    reservation: { maxOutputTokens: 100, settle: async ({ usedTokens }) => void settled.push(usedTokens) },
    maxSteps: 5,
    maxDurationMs: 20_000,
    signal: client.signal,
    shutdownSignal: new AbortController().signal,
    log: { warn: () => undefined },
    ...changes,
  };
  return { options, settled, client };
}

async function startServer(behaviour: Behaviour) {
  const server = await startOpenAiServer(behaviour);
  onTestFinished(() => server.close());
  return server;
}

/** The event types a client reads, with the error's text. */
async function readWire(options: ReplyOptions): Promise<string[]> {
  const response = toEventStream({ events: await openReply(options), signal: options.signal });
  const frames = (await response.text()).split("\n\n").slice(0, -1);
  return frames.map((frame) => {
    const data = frame.slice("data: ".length);
    if (data === "[DONE]") return data;
    const event = JSON.parse(data) as { type: string; delta?: string; errorText?: string };
    return event.delta ?? event.errorText ?? event.type;
  });
}

const half = "Half a";
const afterHalf =
  (rest: Behaviour): Behaviour =>
  async (call) => {
    await call.text(half);
    await rest(call);
  };
const openThenClose: Behaviour = (call) => void call.response.end();
const tenMegabytes: Behaviour = (call) => call.send(`data: ${"x".repeat(10_000_000)}\n\n`);
const wrongJson: Behaviour = (call) => call.send("data: {oops\n\n");
const html: Behaviour = ({ response }) => {
  response.writeHead(200, { "Content-Type": "text/html" });
  response.end("<h1>Hello</h1>");
};

test.each<[string, Behaviour, string]>([
  ["resets the connection", ({ response }) => void response.destroy(), "the connection broke off"],
  [
    "closes without a word",
    (call) => (call.start(), openThenClose(call)),
    "closed the connection before its answer was complete",
  ],
  ["sends a line of 10 MB", tenMegabytes, "sent an event that is too large"],
  ["sends wrong JSON", wrongJson, "sent something that is not JSON"],
  ["sends HTML", html, "HTTP 200: an answer of type text/html instead of a stream of events"],
  ["answers 401", refusing({ status: 401, message: "no" }), "HTTP 401: no"],
  ["answers 429", refusing({ status: 429, message: "slow" }), "HTTP 429: slow"],
  ["answers 500", refusing({ status: 500, message: "ouch" }), "HTTP 500: ouch"],
])(
  "a local server that %s gives an error before the stream, and nothing is charged",
  async (_name, behaviour, details) => {
    const server = await startServer(behaviour);
    const { options, settled } = prepare(server.baseUrl);
    await expect(openReply(options)).rejects.toMatchObject({
      provider: "local",
      message: `Local server connection failed: ${server.baseUrl}`,
      details,
    });
    expect(settled).toEqual([0]);
  },
);

test("a local server that refuses the connection gives an error with its address, and nothing is charged", async () => {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const baseUrl = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/v1`;
  listener.close();
  await once(listener, "close");
  const { options, settled } = prepare(baseUrl);
  await expect(openReply(options)).rejects.toMatchObject({
    message: `Local server connection failed: ${baseUrl}`,
    details: "connection refused",
  });
  expect(settled).toEqual([0]);
});

test.each<[string, Behaviour, string]>([
  [
    "closes without the end mark",
    afterHalf(openThenClose),
    "closed the connection before its answer was complete",
  ],
  ["sends a line of 10 MB", afterHalf(tenMegabytes), "sent an event that is too large"],
  ["sends wrong JSON", afterHalf(wrongJson), "sent something that is not JSON"],
  [
    "reports an error",
    afterHalf((call) => call.send('data: {"error":{"message":"full"}}\n\n')),
    "reported: full",
  ],
])(
  "a local server that %s in mid-stream gives error, finish and end mark, and what was sent is charged",
  async (_name, behaviour, details) => {
    const server = await startServer(behaviour);
    const { options, settled } = prepare(server.baseUrl);
    expect(await readWire(options)).toEqual([
      "start",
      "start-step",
      "text-start",
      half,
      "text-end",
      "finish-step",
      `Local server connection failed: ${server.baseUrl} (${details})`,
      "finish",
      "[DONE]",
    ]);
    expect(settled).toEqual([2]);
  },
);

test("an answer without end is cut at the maximum", async () => {
  const server = await startServer(talkingForever("x".repeat(100)));
  const { options, settled } = prepare(server.baseUrl);
  const wire = await readWire(options);
  expect(wire.filter((delta) => delta.startsWith("x")).join("")).toHaveLength(400);
  expect(wire.slice(-4)).toEqual(["text-end", "finish-step", "finish", "[DONE]"]);
  expect(settled).toEqual([100]);
  await server.calls[0]?.closed;
});

test("no tools are offered in an answer of a single step, and a call made all the same is answered as unknown", async () => {
  const server = await startServer(callingTools({ id: "a", name: "key_status", fragments: ["{}"] }));
  const { options, settled } = prepare(server.baseUrl, { maxSteps: 1 });
  const wire = await readWire(options);
  expect(server.calls[0]?.body.tools).toBeUndefined();
  expect(wire).toContain("There is no tool called key_status here.");
  expect(server.calls).toHaveLength(1);
  expect(settled).toEqual([1]);
});

test("fifty answers at once that end in different ways are settled once each", async () => {
  const endings: Behaviour[] = [
    saying("done"),
    fallingSilentAfter(half),
    talkingForever(),
    refusing({ status: 500 }),
  ];
  const servers = await Promise.all(endings.map(startServer));
  const settledCounts = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const baseUrl = servers[index % servers.length]?.baseUrl ?? "";
      const { options, settled, client } = prepare(baseUrl, { maxDurationMs: 500 });
      if (index % 5 === 0) setTimeout(() => client.abort(), index);
      await readWire(options).catch(() => undefined);
      return settled.length;
    }),
  );
  expect(settledCounts).toEqual(Array.from({ length: 50 }, () => 1));
});
