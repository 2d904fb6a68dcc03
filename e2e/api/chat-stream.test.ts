import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { memoryReportOptions, readMemory } from "~e2e/support/measure/memory-report";
import {
  callingTools,
  fallingSilentAfter,
  neverAnswering,
  saying,
  talkingForever,
  toFrame,
} from "~e2e/support/providers/openai-server";
import type { Behaviour } from "~e2e/support/providers/openai-server";
import { waitUntil } from "~e2e/support/processes";
import { shortenTimers } from "~e2e/support/measure/shortened-timers";
import { limitsOff } from "~e2e/support/limits";
import { chat, hello, localProvider, openChat, openLedger, parseStream, sendChat } from "./chat-fixture";
import {
  quotaOn,
  readRest,
  readUntil,
  signInNew,
  startChatServer,
  startProvider,
  textOf,
} from "./chat-fixture";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";
import { talking } from "./resume-fixture";

let gate: Gate;
beforeAll(async () => {
  gate = await openGate({ env: { ...limitsOff, AI_OFFLINE_WORD_MS: "0" } });
});
afterAll(() => gate.close());

/** A server with a provider of this behaviour, a signed-in key and its ledger. */
async function openMetered(
  { env = {}, nodeOptions }: { env?: Record<string, string>; nodeOptions?: readonly string[] },
  ...behaviours: [Behaviour, ...Behaviour[]]
) {
  const provider = await startProvider(...behaviours);
  const started = await startChatServer({
    gate,
    env: { ...quotaOn, ...localProvider(provider), ...env },
    nodeOptions,
  });
  const { server } = started;
  const holder = await signInNew(gate, started);
  const ledger = await openLedger(gate, server);
  const question = { port: server.port, headers: holder.bearer };
  return {
    ...started,
    ...holder,
    provider,
    question,
    readStanding: () => ledger.readStanding(holder.tokenId),
  };
}

const streamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
  "x-vercel-ai-ui-message-stream": "v1",
  "x-content-type-options": "nosniff",
};

test("the embedded assistant's greeting is streamed event by event, with the stream's headers", async () => {
  const { status, headers, events } = await chat({ port: gate.server.port });
  expect(status).toBe(200);
  expect(headers).toMatchObject(streamHeaders);
  expect(headers).not.toHaveProperty("x-quota-limit");
  expect(headers).not.toHaveProperty("content-encoding");
  const deltas = events.filter(({ type }) => type === "text-delta");
  expect(deltas.length).toBeGreaterThan(5);
  expect(events.filter((event) => !deltas.includes(event))).toEqual([
    { type: "start" },
    { type: "start-step" },
    { type: "text-start", id: "text-1" },
    { type: "text-end", id: "text-1" },
    { type: "finish-step" },
    { type: "finish", messageMetadata: { finishReason: "stop" } },
  ]);
  expect(textOf(events)).toContain("retrieval-only assistant");
});

test("the embedded assistant searches the operator's documents, quotes them, and is deterministic", async () => {
  const json = { messages: [{ role: "user", content: "What is the one-time form?" }] };
  const { events, text } = await chat({ port: gate.server.port, json });
  const [input, output] = ["tool-input-available", "tool-output-available"].map((type) =>
    events.find((event) => event.type === type),
  );
  expect(input).toMatchObject({ toolName: "libsql_search", input: { query: "What is the one-time form?" } });
  expect(output).toMatchObject({ output: { matches: expect.any(Array) as unknown[] } });
  expect(textOf(events)).toMatch(/Sources: .*the-one-time-form/s);
  expect((await chat({ port: gate.server.port, json })).text).toBe(text);
});

test("curl reads the same stream, and its last bytes are the end mark", () => {
  const url = `${gate.origin}/api/chat`;
  const body = JSON.stringify(hello);
  const told = execFileSync("curl", ["-sSiN", url, "-H", "Content-Type: application/json", "-d", body], {
    encoding: "utf8",
  });
  const [head, ...rest] = told.split("\r\n\r\n");
  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  const events = parseStream(rest.join("\r\n\r\n"));
  expect(textOf(events)).toMatch(/^Hello! /);
  expect(told.endsWith("\n\ndata: [DONE]\n\n")).toBe(true);
});

test("tools run between the steps, and their inputs, outputs and failures are streamed", async () => {
  const { baseUrl, calls } = await startProvider(
    callingTools(
      { id: "a", name: "key_status", fragments: ['{"tok', 'enId":"987654"}'] },
      { id: "b", name: "open_vault", fragments: ["{}"] },
      { id: "c", name: "key_status", fragments: ['{"tokenId"'] },
    ),
    saying("It does ", "not exist."),
  );
  const { server } = await startChatServer({ gate, env: localProvider({ baseUrl }) });
  const { events } = await chat({ port: server.port });
  const outcomes = events.filter(({ type }) => type.startsWith("tool-output"));
  expect(events.filter((event) => !outcomes.includes(event))).toEqual([
    { type: "start" },
    { type: "start-step" },
    { type: "tool-input-start", toolCallId: "a", toolName: "key_status" },
    { type: "tool-input-start", toolCallId: "b", toolName: "open_vault" },
    { type: "tool-input-start", toolCallId: "c", toolName: "key_status" },
    { type: "tool-input-available", toolCallId: "a", toolName: "key_status", input: { tokenId: "987654" } },
    { type: "tool-input-available", toolCallId: "b", toolName: "open_vault", input: {} },
    { type: "finish-step" },
    { type: "start-step" },
    { type: "text-start", id: "text-1" },
    { type: "text-delta", id: "text-1", delta: "It does " },
    { type: "text-delta", id: "text-1", delta: "not exist." },
    { type: "text-end", id: "text-1" },
    { type: "finish-step" },
    { type: "finish", messageMetadata: { finishReason: "stop" } },
  ]);
  const status = expect.objectContaining({ tokenId: "987654", exists: false, used: false }) as unknown;
  expect(new Set(outcomes)).toEqual(
    new Set([
      { type: "tool-output-available", toolCallId: "a", output: status },
      { type: "tool-output-error", toolCallId: "b", errorText: "There is no tool called open_vault here." },
      { type: "tool-output-error", toolCallId: "c", errorText: "The arguments are not valid JSON." },
    ]),
  );
  const told = calls[1]!.body.messages.filter(({ role }) => role === "tool");
  expect(told.map(({ tool_call_id }) => tool_call_id)).toEqual(["a", "b", "c"]);
  expect(JSON.parse(told[0]!.content!)).toEqual(status);
  expect(calls[0]!.body.tools?.map(({ function: { name } }) => name)).toEqual([
    "libsql_search",
    "key_status",
  ]);
});

test("text arrives exactly as the provider sent it, whatever it holds and however it was cut", async () => {
  const pieces = [
    "one\ntwo\r\nthree\rfour\n\n",
    'data: {"type":"error"}\n\ndata: [DONE]\n\n',
    "\u2028\u2029\u0085\u0000\ufeff: comment\n",
    "\ud83d",
    "\ude00 and \u00e9\u4e2d",
    " end ",
  ];
  const snowman = Buffer.from(toFrame({ content: "☃" }));
  const cut = snowman.indexOf(Buffer.from("☃")) + 1;
  const { baseUrl } = await startProvider(async (call) => {
    for (const piece of pieces) await call.text(piece);
    await call.send(snowman.subarray(0, cut));
    await new Promise((resolve) => setImmediate(resolve));
    await call.send(snowman.subarray(cut));
    await call.finish();
  });
  const { server } = await startChatServer({ gate, env: localProvider({ baseUrl }) });
  const { text, events } = await chat({ port: server.port });
  expect(textOf(events)).toBe(`${pieces.join("")}☃`);
  for (const breaking of ["\r", "\0", "\u0085", "\u2028", "\u2029"]) expect(text).not.toContain(breaking);
});

test("a client that leaves ends the provider's work within 250 ms, after a garbage collection too, and is charged what was sent", async () => {
  const { server, provider, question, readStanding } = await openMetered(
    { nodeOptions: memoryReportOptions },
    fallingSilentAfter("four", "more"),
  );
  const delaysMs: number[] = [];
  for (let round = 1; round <= 3; round += 1) {
    const { outgoing, incoming } = await openChat(question);
    await readUntil(incoming, '"more"');
    expect((await readStanding()).reserved).toBe(2000);
    await readMemory(server);
    const leftAtMs = performance.now();
    outgoing.destroy();
    await provider.calls.at(-1)!.closed;
    delaysMs.push(performance.now() - leftAtMs);
    await waitUntil(async () => (await readStanding()).reserved === 0);
    expect(await readStanding()).toMatchObject({ used: 2 * round, reserved: 0 });
  }
  // The best of three, because other load on the machine doesn't count.
  expect(Math.min(...delaysMs)).toBeLessThan(250);
});

test("a client that leaves before the first event ends the provider's call too, and is charged nothing", async () => {
  const { provider, question, readStanding } = await openMetered({}, neverAnswering);
  const outgoing = sendChat(question);
  await waitUntil(() => provider.calls.length === 1);
  expect((await readStanding()).reserved).toBe(2000);
  outgoing.destroy();
  await provider.calls[0]!.closed;
  await waitUntil(async () => (await readStanding()).reserved === 0);
  expect((await readStanding()).used).toBe(0);
});

test("AI_CHAT_MAX_DURATION ends the stream with an error that says so, and settles", async () => {
  const { question, provider, readStanding } = await openMetered(
    { env: { AI_CHAT_MAX_DURATION: "1" } },
    fallingSilentAfter("some text"),
  );
  const startedAtMs = performance.now();
  const { events } = await chat(question);
  expect(performance.now() - startedAtMs).toBeLessThan(10_000);
  expect(events.slice(-5)).toEqual([
    { type: "text-delta", id: "text-1", delta: "some text" },
    { type: "text-end", id: "text-1" },
    { type: "finish-step" },
    { type: "error", errorText: "The answer was ended: it took longer than the limit of 1 seconds." },
    { type: "finish", messageMetadata: { finishReason: "error" } },
  ]);
  await provider.calls[0]!.closed;
  expect(await readStanding()).toMatchObject({ used: 3, reserved: 0 });
});

test("AI_CHAT_MAX_OUTPUT_TOKENS cuts the answer of a provider that ignores it", async () => {
  const { question, provider, readStanding } = await openMetered(
    { env: { AI_CHAT_MAX_OUTPUT_TOKENS: "25" } },
    talkingForever("twelve chars"),
  );
  const { events } = await chat(question);
  expect(textOf(events)).toHaveLength(100);
  expect(events.at(-1)).toEqual({ type: "finish", messageMetadata: { finishReason: "length" } });
  await provider.calls[0]!.closed;
  expect(await readStanding()).toMatchObject({ used: 25, reserved: 0 });
});

test("a provider that breaks off in mid-stream gives an error event, then finish, then the end mark", async () => {
  const { question, readStanding } = await openMetered({}, async (call) => {
    await call.text("half an ans");
    call.response.end();
  });
  const { status, events } = await chat(question);
  expect(status).toBe(200);
  expect(events.slice(-2)).toEqual([
    {
      type: "error",
      errorText: expect.stringMatching(/^Local server connection failed: http.* \(.+\)$/) as string,
    },
    { type: "finish", messageMetadata: { finishReason: "error" } },
  ]);
  expect(await readStanding()).toMatchObject({ used: 3, reserved: 0 });
});

test("at SIGTERM answers have five seconds to end; then they get a last event, are settled, and the server exits", async () => {
  const behaviours = [talking(100, 20), fallingSilentAfter("twelve chars")] as const;
  const { server, question, readStanding } = await openMetered({}, ...behaviours);
  const short = (await openChat(question)).incoming;
  const shortBegun = await readUntil(short, "word1 ");
  const { incoming } = await openChat(question);
  const begun = await readUntil(incoming, "twelve chars");
  const stoppedAtMs = performance.now();
  server.child.kill("SIGTERM");
  const whole = parseStream(shortBegun + (await readRest(short)));
  expect(textOf(whole)).toMatch(/word100 $/);
  expect(whole.at(-1)).toEqual({ type: "finish", messageMetadata: { finishReason: "stop" } });
  const events = parseStream(begun + (await readRest(incoming)));
  expect(performance.now() - stoppedAtMs).toBeGreaterThan(4_900);
  expect(events.slice(-2)).toEqual([
    { type: "error", errorText: expect.stringContaining("shutting down") as string },
    { type: "finish", messageMetadata: { finishReason: "error" } },
  ]);
  await waitUntil(() => server.child.exitCode !== null);
  expect(server.child.exitCode).toBe(0);
  expect(performance.now() - stoppedAtMs).toBeLessThan(10_000);
  const used = 3 + Math.ceil(textOf(whole).length / 4);
  expect(await readStanding()).toMatchObject({ used, reserved: 0 });
});

test("a silent stream carries a comment every 15 seconds", async () => {
  const { question } = await openMetered(
    { nodeOptions: shortenTimers({ kind: "setInterval", fromMs: 15_000, toMs: 50 }) },
    fallingSilentAfter("twelve chars"),
  );
  const { incoming, outgoing } = await openChat(question);
  const begun = await readUntil(incoming, "twelve chars");
  expect(begun + (await readUntil(incoming, ": keep-alive\n\n: keep-alive\n\n"))).toMatch(
    /^(data: \{.*\}\n\n|: keep-alive\n\n)+$/,
  );
  outgoing.destroy();
});

test("the chat moves to the path of NEXT_PUBLIC_AI_CHAT_API_PATH", async () => {
  const { server, origin } = await startChatServer({
    gate,
    env: { NEXT_PUBLIC_AI_CHAT_API_PATH: "/ai/talk", AI_OFFLINE_WORD_MS: "0" },
  });
  for (const path of ["/ai/talk", "/ai/talk/"]) {
    const { status, events } = await chat({ port: server.port, path });
    expect([status, events.at(-1)?.type], path).toEqual([200, "finish"]);
  }
  expect((await fetch(`${origin}/ai/talk`)).status).toBe(405);
  expect((await chat({ port: server.port, path: "/api/chat" })).status).toBe(404);
  const { paths } = (await (await fetch(`${origin}/api/openapi`)).json()) as { paths: object };
  expect(Object.keys(paths)).toContain("/ai/talk");
  expect(Object.keys(paths)).not.toContain("/api/chat");
  expect(await (await fetch(`${origin}/docs`)).text()).not.toContain("/api/chat");
});
