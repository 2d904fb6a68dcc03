import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { inspect } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import {
  callingTools,
  fallingSilentAfter,
  refusing,
  saying,
  startOpenAiServer,
  talkingForever,
  toFrame,
} from "~e2e/support/providers/openai-server";
import type { Behaviour } from "~e2e/support/providers/openai-server";
import { ProviderError } from "./chat-provider";
import type { ProviderEvent, ProviderRequest } from "./chat-provider";
import { localProvider } from "./local.gateway.server";
import { openaiProvider } from "./openai.gateway.server";
import { workersAiProvider } from "./workers-ai.gateway.server";

const apiKey = "sk-proj-Wm3tPq9ZxY7vKc2L";
async function startServer(...behaviours: [Behaviour, ...Behaviour[]]) {
  const server = await startOpenAiServer(...behaviours);
  onTestFinished(() => server.close());
  return server;
}

function toRequest(changes: Partial<ProviderRequest> = {}): ProviderRequest {
  return {
    model: "small",
    system: "Be brief.",
    messages: [{ role: "user", text: "Hello?" }],
    tools: [],
    maxOutputTokens: 500,
    signal: new AbortController().signal,
    ...changes,
  };
}

async function collect(events: AsyncIterable<ProviderEvent>): Promise<ProviderEvent[]> {
  const all: ProviderEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

async function failureOf(
  events: AsyncIterable<ProviderEvent>,
): Promise<{ error: ProviderError; before: ProviderEvent[] }> {
  const before: ProviderEvent[] = [];
  try {
    for await (const event of events) before.push(event);
  } catch (error) {
    expect(error).toBeInstanceOf(ProviderError);
    return { error: error as ProviderError, before };
  }
  throw new Error(`It did not fail: ${JSON.stringify(before)}`);
}

/** How a hosted provider fails when its server behaves like this. */
async function failWith(behaviour: Behaviour) {
  const server = await startServer(behaviour);
  const provider = openaiProvider.connect({ baseUrl: server.baseUrl, apiKey });
  const failure = await failureOf(provider.open(toRequest()));
  return { ...failure, details: failure.error.details, server };
}

test("text is streamed piece by piece, then the reason why it ended", async () => {
  const server = await startServer(saying("Hel", "lo ", "you"));
  const provider = openaiProvider.connect({ baseUrl: server.baseUrl, apiKey });
  expect(await collect(provider.open(toRequest()))).toEqual([
    { type: "text", text: "Hel" },
    { type: "text", text: "lo " },
    { type: "text", text: "you" },
    { type: "finish", reason: "stop" },
  ]);
});

test("each provider is asked in its own request format", async () => {
  const server = await startServer(saying("x"));
  const request = toRequest({
    messages: [
      { role: "context", text: "I run Linux." },
      { role: "user", text: "Which key?" },
      {
        role: "assistant",
        text: "",
        toolCalls: [{ toolCallId: "c1", toolName: "key_status", inputText: '{"tokenId":' }],
      },
      { role: "tool", toolCallId: "c1", toolName: "key_status", outputText: '{"error":"x"}', failed: true },
    ],
    tools: [{ name: "key_status", description: "State of a key", inputJsonSchema: { type: "object" } }],
  });
  await collect(openaiProvider.connect({ baseUrl: server.baseUrl, apiKey }).open(request));
  await collect(workersAiProvider.connect({ baseUrl: server.baseUrl, apiKey: "edge-token" }).open(request));
  await collect(localProvider.connect({ baseUrl: `${server.baseUrl}/`, apiKey: null }).open(toRequest()));

  const [hosted, edge, local] = server.calls;
  expect(hosted?.path).toBe("/v1/chat/completions");
  expect(local?.path).toBe("/v1/chat/completions");
  expect([hosted, edge, local].map((call) => call?.authorization)).toEqual([
    `Bearer ${apiKey}`,
    "Bearer edge-token",
    undefined,
  ]);
  expect(hosted?.body).toMatchObject({ model: "small", stream: true, max_completion_tokens: 500 });
  expect(edge?.body).toMatchObject({ max_tokens: 500 });
  expect(local?.body).toEqual({
    model: "small",
    stream: true,
    max_tokens: 500,
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello?" },
    ],
  });
  expect(hosted?.body.messages).toEqual([
    { role: "system", content: "Be brief." },
    { role: "user", content: "[Context sent along by the person who asks]\nI run Linux." },
    { role: "user", content: "Which key?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "key_status", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c1", content: '{"error":"x"}' },
  ]);
  expect(hosted?.body.tools?.[0]?.function.name).toBe("key_status");
});

test("fragments of parallel tool calls are joined, with progress for each as it comes", async () => {
  const server = await startServer(
    callingTools(
      { id: "a", name: "key_status", fragments: ['{"tok', 'enId":"1"}'] },
      { id: "b", name: "docs_search", fragments: ['{"query"', ':"keys', '"}'] },
    ),
  );
  const provider = openaiProvider.connect({ baseUrl: server.baseUrl, apiKey });
  expect(await collect(provider.open(toRequest()))).toEqual([
    { type: "tool-call-start", toolCallId: "a", toolName: "key_status" },
    { type: "tool-call-start", toolCallId: "b", toolName: "docs_search" },
    { type: "tool-call-progress", toolCallId: "a", inputChars: 5 },
    { type: "tool-call-progress", toolCallId: "b", inputChars: 8 },
    { type: "tool-call-progress", toolCallId: "a", inputChars: 10 },
    { type: "tool-call-progress", toolCallId: "b", inputChars: 6 },
    { type: "tool-call-progress", toolCallId: "b", inputChars: 2 },
    { type: "tool-call", toolCallId: "a", toolName: "key_status", inputText: '{"tokenId":"1"}' },
    { type: "tool-call", toolCallId: "b", toolName: "docs_search", inputText: '{"query":"keys"}' },
    { type: "finish", reason: "tool-calls" },
  ]);
});

test("a UTF-8 character cut at every byte arrives whole, with comments, CRLF and data over several lines", async () => {
  const text = "Schlüssel 🔑 鍵";
  const server = await startServer(async (call) => {
    const json = JSON.stringify({ choices: [{ delta: { content: text } }] });
    const frame = `: ping\r\nid: 7\r\ndata: ${json.slice(0, 12)}\r\ndata:${json.slice(12)}\r\n\r\n`;
    call.start();
    for (const byte of Buffer.from(frame)) {
      await call.send(Uint8Array.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await call.finish();
  });
  const provider = openaiProvider.connect({ baseUrl: server.baseUrl, apiKey });
  expect(await collect(provider.open(toRequest()))).toEqual([
    { type: "text", text },
    { type: "finish", reason: "stop" },
  ]);
});

test("an answer that gave its reason needs no end mark, one that only closes is broken", async () => {
  const ended = await startServer(async (call) => {
    await call.text("all");
    await call.delta({}, "length");
    call.response.end();
  });
  const provider = openaiProvider.connect({ baseUrl: ended.baseUrl, apiKey });
  expect((await collect(provider.open(toRequest()))).at(-1)).toEqual({ type: "finish", reason: "length" });

  const { before, details } = await failWith(async (call) => {
    await call.text("half");
    call.response.end();
  });
  expect(before).toEqual([{ type: "text", text: "half" }]);
  expect(details).toBe("closed the connection before its answer was complete");
});

test("an end mark is read without the last line break", async () => {
  const server = await startServer(async (call) => {
    await call.text("all");
    await call.send("data: [DONE]");
    call.response.end();
  });
  const provider = openaiProvider.connect({ baseUrl: server.baseUrl, apiKey });
  expect((await collect(provider.open(toRequest()))).at(-1)).toEqual({ type: "finish", reason: "stop" });
});

test("a connection that breaks is reported as broken", async () => {
  const { details } = await failWith(async (call) => {
    await call.text("half");
    await new Promise((resolve) => setImmediate(resolve));
    call.response.destroy();
  });
  expect(details).toBe("the connection broke off");
});

test.each<[string, Behaviour, string]>([
  [
    "a line of 10 MB",
    async (call) => call.send(`data: ${"x".repeat(10_000_000)}\n\n`),
    "sent an event that is too large",
  ],
  [
    "an event of many lines",
    async (call) => {
      for (let line = 0; line < 100; line += 1) await call.send(`data: ${"x".repeat(10_000)}\n`);
    },
    "sent an event that is too large",
  ],
  ["wrong JSON", async (call) => call.send("data: {oops\n\n"), "sent something that is not JSON"],
  [
    "an error inside the stream",
    async (call) => call.send('data: {"error":{"message":"overloaded"}}\n\n'),
    "reported: overloaded",
  ],
  [
    "HTML under 200",
    ({ response }) => {
      response.writeHead(200, { "Content-Type": "text/html" });
      response.end("<h1>Welcome</h1>");
    },
    "HTTP 200: an answer of type text/html instead of a stream of events",
  ],
  [
    "HTML under 500",
    ({ response }) => {
      response.writeHead(500, { "Content-Type": "text/html" });
      response.end("<h1>secret internals</h1>");
    },
    "HTTP 500",
  ],
  [
    "401",
    refusing({ status: 401, message: `Incorrect API key provided: ${apiKey}.` }),
    "HTTP 401: Incorrect API key provided: [removed].",
  ],
  [
    "401 with a masked key",
    refusing({ status: 401, message: "Incorrect: sk-proj-****vKc2L" }),
    "HTTP 401: Incorrect: [removed]",
  ],
  ["429", refusing({ status: 429, message: "Slow\r\ndown" }), "HTTP 429: Slow down"],
  ["500", refusing({ status: 500, message: "a ".repeat(500) }), `HTTP 500: ${"a ".repeat(94)}a`],
  [
    "a redirect",
    refusing({ status: 307, headers: { Location: "http://127.0.0.1:1/" } }),
    "HTTP 307: redirects are not followed",
  ],
])(
  "a provider error with the provider's words and safe details is thrown for %s",
  async (_name, behaviour, details) => {
    const { error, server, details: told } = await failWith(behaviour);
    expect(error).toMatchObject({ provider: "openai", message: "Hosted-provider request failed" });
    expect(told).toBe(details);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/Wm3tPq9Z|vKc2L|secret internals/);
    expect(server.calls).toHaveLength(1);
    await server.calls[0]?.closed;
  },
);

test("an unreachable server is named by its configured address, without credentials", async () => {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, "close");
  const provider = localProvider.connect({
    baseUrl: `http://user:secret@127.0.0.1:${port}/v1`,
    apiKey: null,
  });
  const { error } = await failureOf(provider.open(toRequest()));
  expect(error.message).toBe(`Local server connection failed: http://127.0.0.1:${port}/v1`);
  expect(error.details).toBe("connection refused");
});

test("a connection that is not established within its limit is given up", async () => {
  // Takes the connection and never answers the TLS greeting.
  const listener = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(listener, "listening");
  onTestFinished(() => void listener.close());
  const { port } = listener.address() as AddressInfo;
  const provider = workersAiProvider.connect({
    baseUrl: `https://127.0.0.1:${port}/v1`,
    apiKey: "t",
    connectTimeoutMs: 100,
  });
  const { error } = await failureOf(provider.open(toRequest()));
  expect(error.message).toBe("Edge-inference provider request failed");
  expect(error.details).toBe("no connection within 0.1 seconds");
});

test("a quick 503 or a quick reset is retried, and only once", async () => {
  const recovered = await startServer(refusing({ status: 503 }), saying("back"));
  const provider = workersAiProvider.connect({ baseUrl: recovered.baseUrl, apiKey: "t" });
  expect((await collect(provider.open(toRequest())))[0]).toEqual({ type: "text", text: "back" });
  expect(recovered.calls).toHaveLength(2);

  const reset = await startServer((call) => void call.response.destroy(), saying("again"));
  const second = workersAiProvider.connect({ baseUrl: reset.baseUrl, apiKey: "t" });
  expect((await collect(second.open(toRequest())))[0]).toEqual({ type: "text", text: "again" });

  const { details, server } = await failWith(refusing({ status: 503, message: "busy" }));
  expect(details).toBe("HTTP 503: busy");
  expect(server.calls).toHaveLength(2);
});

test("a slow failure is not retried", async () => {
  const server = await startServer(async ({ response }) => {
    await new Promise((resolve) => setTimeout(resolve, 400));
    response.writeHead(503).end();
  }, saying("never asked"));
  const provider = openaiProvider.connect({ baseUrl: server.baseUrl, apiKey });
  const { error } = await failureOf(provider.open(toRequest()));
  expect(error.details).toBe("HTTP 503");
  expect(server.calls).toHaveLength(1);
});

test("an abort in mid-stream closes the connection to a silent server and is thrown as the abort", async () => {
  const server = await startServer(fallingSilentAfter("one"));
  const abort = new AbortController();
  const provider = openaiProvider.connect({ baseUrl: server.baseUrl, apiKey });
  const events = provider.open(toRequest({ signal: abort.signal }))[Symbol.asyncIterator]();
  await events.next();
  const waiting = events.next();
  const reason = new Error("gone");
  abort.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  expect(server.calls).toHaveLength(1);
  await server.calls[0]!.closed;
});

test("a reader that stops in mid-stream leaves no connection open", async () => {
  const server = await startServer(talkingForever());
  const provider = openaiProvider.connect({ baseUrl: server.baseUrl, apiKey });
  for await (const event of provider.open(toRequest())) {
    expect(event.type).toBe("text");
    break;
  }
  await server.calls[0]?.closed;
});

test("a connection that ended properly is reused", async () => {
  const ports = new Set<number | undefined>();
  const server = await startServer(async (call) => {
    ports.add(call.response.socket?.remotePort);
    await saying("x")(call);
  });
  const provider = openaiProvider.connect({ baseUrl: server.baseUrl, apiKey });
  for (let round = 0; round < 3; round += 1) {
    await collect(provider.open(toRequest()));
    await server.calls[round]?.closed;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(ports.size).toBe(1);
});

test("a slow reader pauses the server, and reading on resumes it", async () => {
  let sentBytes = 0;
  const frame = toFrame({ content: "x".repeat(4_000) });
  const server = await startServer(async (call) => {
    while (!call.isClosed()) {
      await call.send(frame);
      sentBytes += frame.length;
    }
  });
  const provider = openaiProvider.connect({ baseUrl: server.baseUrl, apiKey });
  const events = provider.open(toRequest())[Symbol.asyncIterator]();
  await events.next();
  const pausedBytes = await untilSteady(() => sentBytes);
  // The bytes in flight sit in the kernel's buffers at both ends. This process holds far less.
  expect(pausedBytes).toBeLessThan(24 * 1024 * 1024);
  for (let read = 0; read < 10_000 && sentBytes === pausedBytes; read += 1) await events.next();
  expect(sentBytes).toBeGreaterThan(pausedBytes);
  await events.return?.();
});

async function untilSteady(read: () => number): Promise<number> {
  for (let before = -1, now = read(); ; before = now, now = read()) {
    if (before === now && now > 0) return now;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}
