import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { ChatEvent } from "~/chat/reply/chat-events";
import {
  callingTools,
  fallingSilentAfter,
  neverAnswering,
  refusing,
  saying,
} from "~e2e/support/providers/openai-server";
import { startOpenAiServer, talkingForever, toFrame } from "~e2e/support/providers/openai-server";
import type { Behaviour, OpenAiServer } from "~e2e/support/providers/openai-server";
import { shortenTimers } from "~e2e/support/measure/shortened-timers";
import { limitsOff } from "~e2e/support/limits";
import { chat, localProvider, openChat, parseStream, quotaOn } from "./chat-fixture";
import { readRest, readUntil, sendChat } from "./chat-fixture";
import { signInNew, startChatServer, textOf } from "./chat-fixture";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

const limit = 100;
const longestAnswer = 30;
const env = {
  ...limitsOff,
  ...quotaOn,
  AI_CHAT_MAX_OUTPUT_TOKENS: String(longestAnswer),
  AI_CHAT_QUOTA_TOKENS: String(limit),
};

let behave: Behaviour = saying("Nothing was asked of it yet.");
let provider: OpenAiServer;
let gate: Gate;
beforeAll(async () => {
  provider = await startOpenAiServer((call) => behave(call));
  gate = await openGate({ env: { ...env, ...localProvider(provider) } });
});
afterAll(async () => {
  await gate.close();
  await provider.close();
});

/** A new key, with its quota as the holder reads it from the real ledger. */
async function openKey({ at = gate }: { at?: Pick<Gate, "signIn" | "ask"> } = {}) {
  const { bearer } = await signInNew(gate, at);
  return {
    bearer,
    readQuota: async () => (await at.ask({ path: "/api/quota", headers: bearer })).body,
  };
}

const settledWith = (used: number) =>
  expect.objectContaining({ active: true, limit, used, reserved: 0, remaining: limit - used }) as unknown;

/** The stream's ending: its error, if any, and its reason. */
function endOf(events: readonly ChatEvent[]) {
  const last = events.at(-1);
  return {
    text: textOf(events),
    errors: events.flatMap((event) => ("errorText" in event ? [event.errorText] : [])),
    reason: last?.type === "finish" ? last.messageMetadata?.finishReason : null,
  };
}

const half = "Half a";
const afterHalf =
  (rest: Behaviour): Behaviour =>
  async (call) => {
    await call.text(half);
    await rest(call);
  };
const closing: Behaviour = (call) => {
  if (!call.response.headersSent) call.start();
  call.response.end();
};
const tenMegabytes: Behaviour = (call) => call.send(`data: ${"x".repeat(10_000_000)}\n\n`);
const wrongJson: Behaviour = (call) => call.send("data: {oops\n\n");
const html: Behaviour = ({ response }) => {
  response.writeHead(200, { "Content-Type": "text/html" });
  response.end("<h1>Hello</h1>");
};
const manyLanguages = "Schlüssel 🔑 鍵";
const byteByByte: Behaviour = async (call) => {
  for (const byte of Buffer.from(toFrame({ content: manyLanguages }))) {
    await call.send(Uint8Array.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await call.finish();
};
const brokenArguments: Behaviour = async (call) => {
  const isAnswered = call.body.messages.some(({ role }) => role === "tool");
  const ask = callingTools({ id: "a", name: "key_status", fragments: ['{"tokenId":'] });
  await (isAnswered ? saying("Sorry.") : ask)(call);
};
const hugeArguments = callingTools({
  id: "a",
  name: "key_status",
  fragments: ['{"tokenId":"', "1".repeat(50_000)],
});
const askingWithoutEnd: Behaviour = async (call) => {
  await call.delta({ tool_calls: [{ index: 0, id: "a", function: { name: "key_status", arguments: "" } }] });
  await call.delta({ tool_calls: [{ index: 0, function: { arguments: '{"tokenId":"' } }] });
  await fallingSilentAfter("Wait")(call);
};

type Expected =
  /** Before the stream: a JSON 500 with these details. */
  | { details: string }
  /** Endings in the stream. `failure` is the text in brackets after the provider's name. `errors` are a tool's. */
  | { text: string; reason: string; failure?: string; errors?: string[]; used: number }
  /** The client leaves after this text, or before any. */
  | { leavesAfter: string | null; used: number };

const closedEarly = "closed the connection before its answer was complete";
const tooLarge = "sent an event that is too large";
const noJson = "sent something that is not JSON";
const brokenHalf = { text: half, reason: "error", used: 2 };

const endings: [string, Behaviour, Expected][] = [
  ["hangs before its headers", neverAnswering, { leavesAfter: null, used: 0 }],
  ["hangs in mid-stream", fallingSilentAfter(half), { leavesAfter: half, used: 2 }],
  ["hangs in the middle of tool arguments", askingWithoutEnd, { leavesAfter: "Wait", used: 4 }],
  ["closes without a word", closing, { details: closedEarly }],
  ["closes without an end mark", afterHalf(closing), { ...brokenHalf, failure: closedEarly }],
  ["splits characters", byteByByte, { text: manyLanguages, reason: "stop", used: 4 }],
  ["sends a line of 10 MB", tenMegabytes, { details: tooLarge }],
  ["sends a line of 10 MB in mid-stream", afterHalf(tenMegabytes), { ...brokenHalf, failure: tooLarge }],
  ["sends wrong JSON", wrongJson, { details: noJson }],
  ["sends wrong JSON in mid-stream", afterHalf(wrongJson), { ...brokenHalf, failure: noJson }],
  ["sends HTML", html, { details: "HTTP 200: an answer of type text/html instead of a stream of events" }],
  ["answers 401", refusing({ status: 401, message: "no" }), { details: "HTTP 401: no" }],
  ["answers 429", refusing({ status: 429, message: "slow" }), { details: "HTTP 429: slow" }],
  ["answers 500", refusing({ status: 500, message: "ouch" }), { details: "HTTP 500: ouch" }],
  [
    "sends broken tool arguments",
    brokenArguments,
    { text: "Sorry.", reason: "stop", errors: ["The arguments are not valid JSON."], used: 5 },
  ],
  [
    "sends tool arguments without measure",
    hugeArguments,
    {
      text: "",
      reason: "length",
      errors: ["The answer reached its length limit."],
      used: longestAnswer,
    },
  ],
  [
    "ignores its maximum",
    talkingForever("12345678"),
    { text: "12345678".repeat(15), reason: "length", used: longestAnswer },
  ],
];

test.each(endings)(
  "a provider that %s gives the documented answer and a settled quota",
  async (_name, behaviour, expected) => {
    behave = behaviour;
    const { bearer, readQuota } = await openKey();
    const question = { port: gate.server.port, headers: bearer };
    const callsBefore = provider.calls.length;
    const failure = `Local server connection failed: ${provider.baseUrl}`;

    if ("leavesAfter" in expected) {
      await leave({ question, leavesAfter: expected.leavesAfter, callsBefore, readQuota });
      await expect.poll(readQuota).toEqual(settledWith(expected.used));
      return;
    }
    const answer = await chat(question);
    if ("details" in expected) {
      const { details } = expected;
      expect([answer.status, JSON.parse(answer.text)]).toEqual([500, { error: failure, details }]);
      // The reservation has been returned, so earlier figures would be wrong.
      expect(Object.keys(answer.headers).filter((name) => name.startsWith("x-quota"))).toEqual([]);
      expect(await readQuota()).toEqual(settledWith(0));
      return;
    }
    const { text, reason, used } = expected;
    const errors = expected.failure ? [`${failure} (${expected.failure})`] : (expected.errors ?? []);
    expect([answer.status, endOf(answer.events)]).toEqual([200, { text, errors, reason }]);
    expect(answer.headers["x-quota-remaining"]).toBe(String(limit - longestAnswer));
    expect(await readQuota()).toEqual(settledWith(used));
  },
);

const thinking: Behaviour = async (call) => {
  await call.delta({ reasoning_content: "Let me see" });
  await call.finish();
};

test.each([
  ["ends at once", saying()],
  ["only thinks", thinking],
])(
  "a model that %s is a failure in words before the stream, and nothing is counted",
  async (_name, behaviour) => {
    behave = behaviour;
    const { bearer, readQuota } = await openKey();
    const { status, text, headers } = await chat({ port: gate.server.port, headers: bearer });
    expect([status, JSON.parse(text)]).toEqual([
      500,
      { error: "Chat request failed", details: "the model ended its answer without a word" },
    ]);
    expect(headers).not.toHaveProperty("x-quota-remaining");
    expect(await readQuota()).toEqual(settledWith(0));
  },
);

test("a silent provider's stream begins after ten seconds, and its failure is an event", async () => {
  let fail = () => {};
  const failing = new Promise<void>((resolve) => (fail = resolve));
  const loading = await startOpenAiServer(async (call) => {
    await failing;
    await refusing({ status: 500, message: "out of memory" })(call);
  });
  onTestFinished(loading.close);
  const { server, ...at } = await startChatServer({
    gate,
    env: { ...env, ...localProvider(loading) },
    nodeOptions: shortenTimers({ kind: "setTimeout", fromMs: 10_000, toMs: 200 }),
  });
  const { bearer, readQuota } = await openKey({ at });
  const { incoming, status } = await openChat({ port: server.port, headers: bearer });
  expect(status).toBe(200);
  const begun = await readUntil(incoming, "start");
  expect(await readQuota()).toMatchObject({ used: 0, reserved: longestAnswer });
  fail();
  const events = parseStream(begun + (await readRest(incoming)));
  expect(events.map(({ type }) => type)).toEqual(["start", "error", "finish"]);
  const error = `Local server connection failed: ${loading.baseUrl} (HTTP 500: out of memory)`;
  expect(endOf(events)).toEqual({ text: "", errors: [error], reason: "error" });
  expect(await readQuota()).toEqual(settledWith(0));
});

type LeaveOptions = {
  question: { port: number; headers: Record<string, string> };
  leavesAfter: string | null;
  callsBefore: number;
  readQuota: () => Promise<unknown>;
};

/** Asks, waits for the reservation and any text, leaves, and sees the provider's connection closed. */
async function leave({ question, leavesAfter, callsBefore, readQuota }: LeaveOptions): Promise<void> {
  const { outgoing, incoming } =
    leavesAfter === null ? { outgoing: sendChat(question), incoming: null } : await openChat(question);
  if (incoming && leavesAfter !== null) await readUntil(incoming, leavesAfter);
  await expect.poll(() => provider.calls.length).toBe(callsBefore + 1);
  expect(await readQuota()).toMatchObject({ used: 0, reserved: longestAnswer });
  outgoing.destroy();
  await provider.calls[callsBefore]!.closed;
}

test("a provider that refuses the connection gives the documented answer and a settled quota", async () => {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const baseUrl = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/v1`;
  listener.close();
  await once(listener, "close");
  const { server, ...at } = await startChatServer({ gate, env: { ...env, ...localProvider({ baseUrl }) } });
  const { bearer, readQuota } = await openKey({ at });
  const { status, text, headers } = await chat({ port: server.port, headers: bearer });
  const error = `Local server connection failed: ${baseUrl}`;
  expect([status, JSON.parse(text)]).toEqual([500, { error, details: "connection refused" }]);
  expect(headers).not.toHaveProperty("x-quota-remaining");
  expect(await readQuota()).toEqual(settledWith(0));
});

test("tool arguments beyond the maximum use the quota up, even when provoked repeatedly", async () => {
  behave = hugeArguments;
  const { bearer, readQuota } = await openKey();
  const callsBefore = provider.calls.length;
  const statuses: unknown[] = [];
  for (let times = 0; times < 6; times += 1) {
    statuses.push((await chat({ port: gate.server.port, headers: bearer })).status);
  }
  // Three replies of 30, and one of the remaining 10.
  expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
  expect(provider.calls).toHaveLength(callsBefore + 4);
  expect(await readQuota()).toEqual(settledWith(limit));
});
