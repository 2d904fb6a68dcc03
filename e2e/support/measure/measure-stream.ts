/**
 * What an answer costs beyond a direct call of the provider: time to the first token, CPU a token, memory a
 * stream; and what it would cost by the AI SDK's server path. The provider's server runs in a process of its own.
 * Called with the number of rounds, and with what the calls of a round are multiplied by. Prints every round as JSON;
 * `npm run bench` makes a table of them.
 */
import { fork } from "node:child_process";
import { once, setMaxListeners } from "node:events";
import { request } from "node:http";
import { fileURLToPath } from "node:url";
import { streamText } from "ai";
import type { LanguageModel } from "ai";
import { openaiProvider } from "~/chat/providers/openai.gateway.server";
import { openReply } from "~/chat/reply/reply.server";
import { answerEventStream } from "~/platform/http/sse.server";
import { startOpenAiServer } from "../providers/openai-server";

const [rounds = 3, scale = 1] = process.argv.slice(2).map(Number);
const paths = [
  ["direct", readDirectly],
  ["reply", readReply],
  ["sdk", readSdk],
] as const;
type PathName = (typeof paths)[number][0];

const silent = new AbortController().signal;
setMaxListeners(0, silent);

/** `tokens:<count>:<pause in ms>` in the question tells the server what to say. */
async function serve() {
  const server = await startOpenAiServer(async (call) => {
    const question = call.body.messages.at(-1)?.content ?? "";
    const [, count, pauseMs] = question.split(":").map(Number);
    for (let token = 0; token < (count ?? 0); token += 1) {
      await call.text("word ");
      if (pauseMs) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      else await new Promise((resolve) => setImmediate(resolve));
    }
    await call.finish();
  });
  process.send?.(server.baseUrl);
}

async function readDirectly({ baseUrl, question }: { baseUrl: string; question: string }): Promise<number> {
  const startedAtMs = performance.now();
  let firstAtMs = 0;
  const outgoing = request(`${baseUrl}/chat/completions`, { method: "POST" });
  outgoing.end(JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: question }] }));
  const [incoming] = (await once(outgoing, "response")) as [AsyncIterable<Buffer>];
  for await (const chunk of incoming) {
    if (firstAtMs === 0 && chunk.includes("word")) firstAtMs = performance.now();
  }
  return firstAtMs - startedAtMs;
}

async function readReply({ baseUrl, question }: { baseUrl: string; question: string }): Promise<number> {
  const startedAtMs = performance.now();
  let firstAtMs = 0;
  const events = await openReply({
    provider: openaiProvider.connect({ baseUrl, apiKey: "sk-test-key" }),
    model: "m",
    system: "",
    messages: [{ role: "user", text: question }],
    tools: [],
    caller: null,
    reservation: { maxOutputTokens: 1_000_000, settle: () => Promise.resolve() },
    maxSteps: 5,
    maxDurationMs: 120_000,
    signal: silent,
    shutdownSignal: silent,
    log: { warn: () => undefined },
  });
  const response = answerEventStream({ events, signal: silent });
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    if (firstAtMs === 0 && Buffer.from(chunk).includes("word")) firstAtMs = performance.now();
  }
  return firstAtMs - startedAtMs;
}

/**
 * The SDK's model interface over our own reader of the provider's stream, so that what differs is the SDK's path
 * and nothing below it.
 */
function createSdkModel(baseUrl: string, question: string): LanguageModel {
  const tokens = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
  return {
    specificationVersion: "v3",
    provider: "measured",
    modelId: "m",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("Only streams are measured.")),
    doStream: async () => {
      const events = openaiProvider.connect({ baseUrl, apiKey: "sk-test-key" }).open({
        model: "m",
        system: "",
        messages: [{ role: "user", text: question }],
        tools: [],
        maxOutputTokens: 1_000_000,
        signal: silent,
      });
      const iterator = events[Symbol.asyncIterator]();
      return {
        stream: new ReadableStream({
          start: (controller) => controller.enqueue({ type: "text-start", id: "1" }),
          async pull(controller) {
            const { value, done } = await iterator.next();
            if (!done && value.type === "text") {
              controller.enqueue({ type: "text-delta", id: "1", delta: value.text });
              return;
            }
            controller.enqueue({ type: "text-end", id: "1" });
            controller.enqueue({
              type: "finish",
              finishReason: { unified: "stop", raw: "stop" },
              usage: {
                inputTokens: tokens,
                outputTokens: { total: undefined, text: undefined, reasoning: undefined },
              },
            });
            controller.close();
            await iterator.return?.();
          },
        }),
      };
    },
  };
}

async function readSdk({ baseUrl, question }: { baseUrl: string; question: string }): Promise<number> {
  const startedAtMs = performance.now();
  let firstAtMs = 0;
  const model = createSdkModel(baseUrl, question);
  const response = streamText({ model, prompt: question, abortSignal: silent }).toUIMessageStreamResponse();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    if (firstAtMs === 0 && Buffer.from(chunk).includes("word")) firstAtMs = performance.now();
  }
  return firstAtMs - startedAtMs;
}

type Read = typeof readReply;

/** In turns, so that whatever else the machine does falls on both alike. */
async function measureFirstTokens(baseUrl: string): Promise<Record<PathName, number>> {
  const times: Record<PathName, number[]> = { direct: [], reply: [], sdk: [] };
  const calls = Math.max(8, Math.round(200 * scale));
  for (let call = 0; call < calls; call += 1) {
    for (const [name, read] of turned(call))
      times[name].push(await read({ baseUrl, question: "tokens:3:0" }));
  }
  const median = (all: number[]) => all.sort((one, other) => one - other)[Math.floor(all.length / 2)]!;
  return { direct: median(times.direct), reply: median(times.reply), sdk: median(times.sdk) };
}

/** All of them, another one first each time. */
function turned(index: number): (typeof paths)[number][] {
  const first = index % paths.length;
  return [...paths.slice(first), ...paths.slice(0, first)];
}

async function measureTokenMicroseconds(read: Read, baseUrl: string): Promise<number> {
  const tokens = 2_000;
  const calls = Math.max(1, Math.round(6 * scale));
  await read({ baseUrl, question: `tokens:${tokens}:0` });
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call += 1) await read({ baseUrl, question: `tokens:${tokens}:0` });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (tokens * calls);
}

/** Two hundred streams of fifty tokens a second: the share of one core, and the heap a stream. */
async function measureParallel(read: Read, baseUrl: string) {
  const streams = 200;
  globalThis.gc?.();
  const idle = process.memoryUsage();
  const before = process.cpuUsage();
  const startedAtMs = performance.now();
  const reading = Promise.all(
    Array.from({ length: streams }, () => read({ baseUrl, question: "tokens:250:19" })),
  );
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  globalThis.gc?.();
  const busy = process.memoryUsage();
  await reading;
  const { user, system } = process.cpuUsage(before);
  const held = busy.heapUsed + busy.external - idle.heapUsed - idle.external;
  return {
    kilobytesAStream: held / streams / 1024,
    coreShare: (user + system) / 1000 / (performance.now() - startedAtMs),
  };
}

async function measure() {
  const server = fork(fileURLToPath(import.meta.url), ["serve"], { execArgv: ["--import", "tsx"] });
  const [baseUrl] = (await once(server, "message")) as [string];
  // The engine's first calls are nobody's cost.
  await measureFirstTokens(baseUrl);
  const measured: Record<string, unknown>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const firstTokenMs = await measureFirstTokens(baseUrl);
    const costs = new Map<PathName, object>();
    for (const [name, read] of turned(round)) {
      const microsecondsAToken = await measureTokenMicroseconds(read, baseUrl);
      const parallel = await measureParallel(read, baseUrl);
      costs.set(name, { firstTokenMs: firstTokenMs[name], microsecondsAToken, ...parallel });
    }
    measured.push(Object.fromEntries(paths.map(([name]) => [name, costs.get(name)])));
  }
  server.kill();
  console.log(JSON.stringify(measured));
}

await (process.argv[2] === "serve" ? serve() : measure());
