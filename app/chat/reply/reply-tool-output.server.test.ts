import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { toEventStream } from "~/chat/event-stream.server";
import { callingTools, saying, startOpenAiServer } from "~e2e/support/providers/openai-server";
import { defineTool, maxToolOutputBytes } from "~/tools/tool";
import type { ChatEvent } from "./chat-events";
import { openaiProvider } from "../providers/openai.gateway.server";
import { maxToolOutputsBytes } from "./reply-step.server";
import { openReply } from "./reply.server";

const silent = new AbortController().signal;
const room = "The lamp room. ".repeat(60_000).slice(0, maxToolOutputBytes);

const roomTool = defineTool({
  name: "room",
  description: "Tells what is behind the gate",
  inputSchema: z.strictObject({ extra: z.string().default("") }),
  run: async ({ input }) => room + input.extra,
});

async function ask(...inputs: string[]) {
  const calls = inputs.map((input, index) => ({ id: `c${index}`, name: "room", fragments: [input] }));
  const told: (string | null)[] = [];
  const server = await startOpenAiServer(callingTools(...calls), async (call) => {
    const { messages } = call.body;
    told.push(...messages.filter(({ role }) => role === "tool").map(({ content }) => content));
    await saying("Read.")(call);
  });
  onTestFinished(() => server.close());
  const events = await openReply({
    provider: openaiProvider.connect({ baseUrl: server.baseUrl, apiKey: "sk-test-key" }),
    model: "m",
    system: "",
    messages: [{ role: "user", text: "What is in there?" }],
    tools: [roomTool],
    caller: null,
    maxSteps: 2,
    maxDurationMs: 60_000,
    reservation: { maxOutputTokens: 1_000, settle: () => Promise.resolve() },
    signal: silent,
    shutdownSignal: silent,
    log: { warn: () => undefined },
  });
  return { told, events };
}

test("a tool's output of up to 768 KiB reaches client and model whole, a larger one is an error to both", async () => {
  const { told, events } = await ask("{}", '{"extra":"."}');
  const all: ChatEvent[] = [];
  for await (const event of events) all.push(event);
  expect(all.filter(({ type }) => type.startsWith("tool-output"))).toEqual(
    expect.arrayContaining([
      { type: "tool-output-available", toolCallId: "c0", output: room },
      {
        type: "tool-output-error",
        toolCallId: "c1",
        errorText: expect.stringContaining("768 KiB") as string,
      },
    ]),
  );
  expect(told).toEqual([JSON.stringify(room), expect.stringContaining("768 KiB")]);
});

test("what the tools of one answer return is bounded together, and the model is told", async () => {
  const { told, events } = await ask(...Array<string>(6).fill("{}"));
  let outputs = 0;
  for await (const { type } of events) outputs += Number(type === "tool-output-available");
  expect(outputs).toBe(Math.floor(maxToolOutputsBytes / maxToolOutputBytes));
  const refused = told.filter((text) => text?.includes("4 MiB"));
  expect([told.length, refused.length]).toEqual([6, 6 - outputs]);
});

test("a reader that takes nothing holds back tool outputs: one waits for it, not all", async () => {
  const { events } = await ask("{}", "{}", "{}", "{}");
  const pulled: string[] = [];
  async function* counted() {
    for await (const event of events) {
      pulled.push(event.type);
      yield event;
    }
  }
  const reader = toEventStream({ events: counted(), signal: silent }).body!.getReader();
  const outputs = () => pulled.filter((type) => type === "tool-output-available").length;
  let bytes = 0;
  while (outputs() === 0) bytes += (await reader.read()).value!.length;
  // Long enough for all four, which are ready, were anything pulled ahead of the reader.
  for (let turns = 0; turns < 200; turns++) await new Promise(setImmediate);
  expect(outputs()).toBeLessThanOrEqual(2);
  for (let next = await reader.read(); !next.done; next = await reader.read()) bytes += next.value.length;
  expect(outputs()).toBe(4);
  expect(bytes).toBeGreaterThan(4 * room.length);
});
