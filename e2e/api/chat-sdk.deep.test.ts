import { Chat } from "@ai-sdk/react";
import { DefaultChatTransport, readUIMessageStream } from "ai";
import type { UIMessage } from "ai";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { callingTools, fallingSilentAfter, saying } from "~e2e/support/providers/openai-server";
import { waitUntil } from "~e2e/support/processes";
import { limitsOff } from "~e2e/support/limits";
import { localProvider, quotaOn, signInNew, startChatServer, startProvider } from "./chat-fixture";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

let gate: Gate;
beforeAll(async () => {
  gate = await openGate({ env: { ...limitsOff, AI_OFFLINE_WORD_MS: "0" } });
});
afterAll(() => gate.close());

type Site = { origin: string; headers?: Record<string, string> };

/** The unchanged AI SDK client behind `useChat`, with the events its page gets. */
function openSdkChat({ origin, headers }: Site) {
  const errors: Error[] = [];
  const endings: unknown[] = [];
  const chat = new Chat<UIMessage>({
    transport: new DefaultChatTransport({ api: `${origin}/api/chat`, headers }),
    onError: (error) => void errors.push(error),
    onFinish: ({ isAbort, isDisconnect, isError }) => void endings.push({ isAbort, isDisconnect, isError }),
  });
  onTestFinished(() => chat.stop());
  return { chat, errors, endings };
}

function textOf(message: UIMessage | undefined): string {
  return (message?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
}

const wellEnded = { isAbort: false, isDisconnect: false, isError: false };
const question = (text: string): UIMessage => ({ id: "q", role: "user", parts: [{ type: "text", text }] });

test("the SDK's chat holds a conversation with the embedded assistant, with tools", async () => {
  const { chat, errors, endings } = openSdkChat(gate);
  await chat.sendMessage({ text: "Hello" });
  await chat.sendMessage({ text: "How do I gate my own contract?" });
  expect(errors).toEqual([]);
  expect(endings).toEqual([wellEnded, wellEnded]);
  expect(chat.status).toBe("ready");
  expect(chat.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  const [, greeting, , answer] = chat.messages;
  expect(textOf(greeting)).toMatch(/^Hello! /);
  expect(answer!.parts.map(({ type }) => type)).toEqual([
    "step-start",
    "tool-libsql_search",
    "step-start",
    "text",
  ]);
  expect(answer!.parts[1]).toMatchObject({
    state: "output-available",
    input: { query: "How do I gate my own contract?", topK: 5 },
    output: {
      matches: expect.arrayContaining([
        expect.objectContaining({ id: expect.any(String) as string }),
      ]) as unknown,
    },
  });
  expect(answer!.parts[3]).toMatchObject({ type: "text", state: "done" });
  expect(textOf(answer)).toContain("Sources: ");
  expect(answer!.metadata).toEqual({ finishReason: "stop" });
});

test("the SDK's transport and reader build each message part by part until it is complete", async () => {
  const { baseUrl, calls } = await startProvider(
    callingTools(
      { id: "a", name: "key_status", fragments: ['{"tokenId":', '"5"}'] },
      { id: "b", name: "no_such_tool", fragments: ['{"why":"not"}'] },
    ),
    saying("Key five ", "is ", "free.\r\n\u2028😀"),
  );
  const { origin } = await startChatServer({ gate, env: localProvider({ baseUrl }) });
  const transport = new DefaultChatTransport({ api: `${origin}/api/chat` });
  const stream = await transport.sendMessages({
    trigger: "submit-message",
    chatId: "c",
    messageId: undefined,
    abortSignal: undefined,
    messages: [question("Is key five free?")],
  });
  const snapshots: UIMessage[] = [];
  const failures: unknown[] = [];
  const messages = readUIMessageStream({ stream, onError: (error) => void failures.push(error) });
  for await (const message of messages) snapshots.push(structuredClone(message));
  expect(failures).toEqual([]);
  const states = (at: number) =>
    snapshots.flatMap(({ parts }) => (parts[at] && "state" in parts[at] ? [parts[at].state as string] : []));
  expect([...new Set(states(1))]).toEqual(["input-streaming", "input-available", "output-available"]);
  expect([...new Set(states(2))]).toEqual(["input-streaming", "input-available", "output-error"]);
  const last = snapshots.at(-1)!;
  expect(last.parts).toEqual([
    { type: "step-start" },
    expect.objectContaining({
      type: "tool-key_status",
      toolCallId: "a",
      state: "output-available",
      input: { tokenId: "5" },
      output: expect.objectContaining({ tokenId: "5", exists: false }) as unknown,
    }),
    expect.objectContaining({
      type: "tool-no_such_tool",
      toolCallId: "b",
      state: "output-error",
      input: { why: "not" },
      errorText: "There is no tool called no_such_tool here.",
    }),
    { type: "step-start" },
    { type: "text", text: "Key five is free.\r\n\u2028😀", state: "done" },
  ]);
  expect(calls[0]!.body.messages.at(-1)).toEqual({ role: "user", content: "Is key five free?" });
});

test("earlier answers that the SDK sends back reach the model with their calls and results", async () => {
  const { baseUrl, calls } = await startProvider(
    callingTools({ id: "a", name: "key_status", fragments: ['{"tokenId":"5"}'] }),
    saying("It is free."),
    saying("You are welcome."),
  );
  const { origin } = await startChatServer({ gate, env: localProvider({ baseUrl }) });
  const { chat, errors } = openSdkChat({ origin });
  await chat.sendMessage({ text: "Is key five free?" });
  await chat.sendMessage({ text: "Thanks" });
  expect(errors).toEqual([]);
  expect(textOf(chat.lastMessage)).toBe("You are welcome.");
  expect(calls[2]!.body.messages.slice(1)).toEqual([
    { role: "user", content: "Is key five free?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "a", type: "function", function: { name: "key_status", arguments: '{"tokenId":"5"}' } },
      ],
    },
    { role: "tool", tool_call_id: "a", content: calls[1]!.body.messages.at(-1)!.content },
    { role: "assistant", content: "It is free." },
    { role: "user", content: "Thanks" },
  ]);
});

test("a failure in mid-stream reaches the SDK's page as an error, after the text before it", async () => {
  const { baseUrl } = await startProvider(async (call) => {
    await call.text("Half an ans");
    call.response.end();
  });
  const { origin } = await startChatServer({ gate, env: localProvider({ baseUrl }) });
  const { chat, errors, endings } = openSdkChat({ origin });
  await chat.sendMessage({ text: "Tell me" });
  expect(chat.status).toBe("error");
  expect(textOf(chat.lastMessage)).toBe("Half an ans");
  expect(errors.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^Local server connection failed: http:.* \(closed the connection/),
  ]);
  expect(endings).toEqual([{ ...wellEnded, isError: true }]);
});

test("a refusal reaches the SDK's page as the text of its body, and a token gets an answer", async () => {
  const { origin, signIn } = await startChatServer({ gate, env: { ...quotaOn, AI_OFFLINE_WORD_MS: "0" } });
  const stranger = openSdkChat({ origin });
  await stranger.chat.sendMessage({ text: "Hello" });
  expect(stranger.chat.status).toBe("error");
  expect(stranger.errors.map(({ message }) => JSON.parse(message) as unknown)).toEqual([
    { error: "Unauthorized: missing JWT" },
  ]);
  const { bearer } = await signInNew(gate, { signIn });
  const holder = openSdkChat({ origin, headers: bearer });
  await holder.chat.sendMessage({ text: "Hello" });
  expect(holder.errors).toEqual([]);
  expect(textOf(holder.chat.lastMessage)).toMatch(/^Hello! /);
});

test("the SDK's stop ends the provider's work", async () => {
  const { baseUrl, calls } = await startProvider(fallingSilentAfter("Once upon a time"));
  const { origin } = await startChatServer({ gate, env: localProvider({ baseUrl }) });
  const { chat, endings } = openSdkChat({ origin });
  const sending = chat.sendMessage({ text: "Tell me a story" });
  await waitUntil(() => textOf(chat.lastMessage) === "Once upon a time");
  await chat.stop();
  await calls[0]!.closed;
  await sending;
  expect(endings).toEqual([{ ...wellEnded, isAbort: true }]);
});
