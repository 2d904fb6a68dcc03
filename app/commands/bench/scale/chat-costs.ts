import os from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { memoryReportOptions, readMemory } from "~/testing/memory-report";
import { startServer } from "~/testing/running-server";
import { benchSettings } from "../bench-place";
import type { BenchOptions } from "../benchmarks";
import { closeOnSignals } from "../close-on-signals";
import { takeTurns } from "../measure";
import type { AiSdkAnswer, AiSdkOrder } from "../peers/ai-sdk-server";
import { findThreadsCpuMicros } from "../process-cpu";
import { startWorkerProcess } from "../worker-process";
import type { ReadersAnswer, ReadersOrder } from "./chat-readers-process";
import { summarizeChats, toChatTable } from "./chat-table";
import type { ChatRound } from "./chat-table";
import { askForWords } from "./ask-for-words";
import { finishScale } from "./scale-report";

type Side = {
  name: string;
  url: string;
  pid: number | null;
  toBody: (question: string) => object;
  readHeldBytes: (() => Promise<number>) | null;
};
type Readers = (order: ReadersOrder) => Promise<ReadersAnswer>;

/** `words`: long enough that every stream is still open when what it costs has been read. */
const sizes = [
  { streams: 10, words: 45 },
  { streams: 100, words: 45 },
  { streams: 1000, words: 100 },
];
const everyMs = 100;
const windowMs = 2000;
const mostRounds = 3;
const warmUpStreams = 200;

/** Answers of a model that many read at once: through Latchkey, through the AI SDK, and from the model itself. */
export async function benchChats({ rounds, scale, ...output }: BenchOptions): Promise<void> {
  const loadBefore = os.loadavg();
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne();
  };
  const stopListening = closeOnSignals(close);
  try {
    const readers = startWorkerProcess<ReadersOrder, ReadersAnswer>("scale/chat-readers-process.ts");
    closers.push(readers.stop);
    const sides = await openSides(closers);
    const roundCount = Math.min(rounds, mostRounds);
    const measured: ChatRound[] = [];
    for (const { name, ...rest } of sides) {
      const warmUp = { streams: Math.max(2, Math.round(warmUpStreams * scale)), words: 20 };
      await readAll({ side: { name, ...rest }, readers: readers.ask, everyMs: 0, ...warmUp });
    }
    for (const size of sizes) {
      const streams = Math.max(2, Math.round(size.streams * scale));
      console.error(`${streams} chats at once …`);
      const runners = Object.fromEntries(
        sides.map((side) => [
          side.name,
          () => measureStreams({ side, readers: readers.ask, streams, words: size.words }),
        ]),
      );
      const turns = await takeTurns({ runners, rounds: roundCount });
      measured.push(...turns.flatMap((turn) => Object.values(turn)));
    }
    const figures = summarizeChats(measured);
    const result = { name: "chats", figures, rounds: measured, table: toChatTable(figures) };
    finishScale({ ...output, ...result, roundCount, loadBefore });
  } finally {
    stopListening();
    await close();
  }
}

async function openSides(closers: (() => Promise<unknown>)[]): Promise<Side[]> {
  const model = startWorkerProcess<{ order: "start" }, { baseUrl: string }>("scale/model-process.ts");
  closers.push(model.stop);
  const { baseUrl } = await model.ask({ order: "start" });
  const server = await startServer({
    env: {
      ...{ RPC_URL: "http://127.0.0.1:9", KEY_CONTRACT_ADDRESS: `0x${"12".repeat(20)}`, ...benchSettings },
      ...{ AI_PROVIDER: "local", AI_BASE_URL: baseUrl },
    },
    nodeOptions: memoryReportOptions,
  });
  closers.push(server.stop);
  const nodeOptions = ["--expose-gc"];
  const sdk = startWorkerProcess<AiSdkOrder, AiSdkAnswer>("peers/ai-sdk-server.ts", { nodeOptions });
  closers.push(sdk.stop);
  const sdkPort = requireMember(await sdk.ask({ order: "start", baseUrl }), "port");
  const toMessages = (question: string) => ({ messages: [{ role: "user", content: question }] });
  return [
    {
      ...{ name: "Latchkey", url: `http://127.0.0.1:${server.port}/api/chat`, pid: server.pid },
      toBody: toMessages,
      readHeldBytes: async () => (await readMemory(server)).heldBytes,
    },
    {
      ...{ name: "AI SDK", url: `http://127.0.0.1:${sdkPort}/`, pid: sdk.pid, toBody: toMessages },
      readHeldBytes: async () => requireMember(await sdk.ask({ order: "memory" }), "heldBytes"),
    },
    {
      ...{ name: "the model itself", url: `${baseUrl}/chat/completions`, pid: null, readHeldBytes: null },
      toBody: (question) => ({ model: "m", stream: true, ...toMessages(question) }),
    },
  ];
}

type Reading = { side: Side; readers: Readers; streams: number; words: number };

async function open({ side, readers, streams, words, everyMs: pauseMs }: Reading & { everyMs: number }) {
  const body = JSON.stringify(side.toBody(askForWords({ words, everyMs: pauseMs })));
  return requireMember(await readers({ order: "open", url: side.url, body, streams }), "firstWordMs");
}

/** Every stream to its end, each with all of its words. */
async function readAll(reading: Reading & { everyMs: number }): Promise<number[]> {
  const firstWordMs = await open(reading);
  await reading.readers({ order: "finish", words: reading.words });
  return firstWordMs;
}

/**
 * Between two readings, with all streams open, processor time and words are counted; then what is held is read. Where
 * a stream ends before that, the machine was too slow and there is no figure.
 */
async function measureStreams({ side, readers, streams, words }: Reading): Promise<ChatRound> {
  const { name, pid, readHeldBytes } = side;
  const round = { side: name, streams, cpuMicrosAWord: null, kilobytesAStream: null };
  if (pid === null || readHeldBytes === null) {
    return { ...round, firstWordMs: await readAll({ side, readers, streams, words: 3, everyMs }) };
  }
  const idleBytes = await readHeldBytes();
  const firstWordMs = await open({ side, readers, streams, words, everyMs });
  const countWords = async () => requireMember(await readers({ order: "count" }), "words");
  const [cpuBefore, wordsBefore] = [findThreadsCpuMicros(pid), await countWords()];
  await delay(windowMs);
  const [cpuAfter, wordsAfter] = [findThreadsCpuMicros(pid), await countWords()];
  const heldBytes = await readHeldBytes();
  const isAllOpen = requireMember(await readers({ order: "count" }), "isAllOpen");
  await readers({ order: "finish", words });
  if (!isAllOpen) return { ...round, firstWordMs };
  return {
    ...round,
    firstWordMs,
    cpuMicrosAWord:
      cpuBefore === null || cpuAfter === null ? null : (cpuAfter - cpuBefore) / (wordsAfter - wordsBefore),
    kilobytesAStream: (heldBytes - idleBytes) / streams / 1024,
  };
}

/** The one member that was asked for, of an answer that may be of another kind. */
function requireMember<Answer extends object, Name extends string>(
  answer: Answer,
  name: Name,
): Extract<Answer, Record<Name, unknown>>[Name] {
  if (!(name in answer)) throw new Error(`An answer lacks ${name}: ${JSON.stringify(answer)}`);
  return (answer as Extract<Answer, Record<Name, unknown>>)[name];
}
