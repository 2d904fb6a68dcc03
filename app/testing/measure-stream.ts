/**
 * What an answer costs beyond a direct call of the provider: time to the first token, CPU a token, memory a
 * stream. The provider's server runs in a process of its own. `npx tsx --expose-gc app/testing/measure-stream.ts`
 * prints the figures as JSON.
 */
import { fork } from "node:child_process";
import { once, setMaxListeners } from "node:events";
import { request } from "node:http";
import { fileURLToPath } from "node:url";
import { createHostedProvider } from "~/chat/providers/openai.gateway.server";
import { openReply, unmeteredReservation } from "~/chat/reply.server";
import { answerEventStream } from "~/platform/http/sse.server";
import { startOpenAiServer } from "./openai-server";

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
    provider: createHostedProvider({ baseUrl, apiKey: "sk-test-key" }),
    model: "m",
    system: "",
    messages: [{ role: "user", text: question }],
    tools: [],
    caller: null,
    reservation: unmeteredReservation({ maxOutputTokens: 1_000_000 }),
    maxSteps: 5,
    maxDurationMs: 120_000,
    signal: silent,
    shutdownSignal: silent,
    warn: () => undefined,
  });
  const response = answerEventStream({ events, signal: silent });
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    if (firstAtMs === 0 && Buffer.from(chunk).includes("word")) firstAtMs = performance.now();
  }
  return firstAtMs - startedAtMs;
}

type Read = typeof readReply;

/** In turns, so that whatever else the machine does falls on both alike. */
async function measureFirstTokens({ baseUrl }: { baseUrl: string }) {
  const times = { direct: [] as number[], reply: [] as number[] };
  for (let round = 0; round < 500; round += 1) {
    times.direct.push(await readDirectly({ baseUrl, question: "tokens:3:0" }));
    times.reply.push(await readReply({ baseUrl, question: "tokens:3:0" }));
  }
  const median = (all: number[]) => all.slice(100).sort((one, other) => one - other)[200] ?? 0;
  return { direct: median(times.direct), reply: median(times.reply) };
}

async function measureTokenMicroseconds({ read, baseUrl }: { read: Read; baseUrl: string }): Promise<number> {
  const tokens = 2_000;
  await read({ baseUrl, question: `tokens:${tokens}:0` });
  const before = process.cpuUsage();
  for (let round = 0; round < 10; round += 1) await read({ baseUrl, question: `tokens:${tokens}:0` });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (tokens * 10);
}

/** Two hundred streams of fifty tokens a second: the share of one core, and the heap a stream. */
async function measureParallel({ read, baseUrl }: { read: Read; baseUrl: string }) {
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
  const figures: Record<string, unknown> = { firstTokenMs: await measureFirstTokens({ baseUrl }) };
  for (const [name, read] of [
    ["direct", readDirectly],
    ["reply", readReply],
    ["directAgain", readDirectly],
  ] as const) {
    figures[name] = {
      microsecondsAToken: await measureTokenMicroseconds({ read, baseUrl }),
      ...(await measureParallel({ read, baseUrl })),
    };
  }
  server.kill();
  console.log(JSON.stringify(figures, null, 2));
}

await (process.argv[2] === "serve" ? serve() : measure());
