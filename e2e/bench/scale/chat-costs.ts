import { setTimeout as delay } from "node:timers/promises";
import { memoryReportOptions, readMemory } from "~e2e/support/measure/memory-report";
import { startServer } from "~e2e/support/running-server";
import { benchSettings } from "../bench-site";
import type { BenchOptions, BenchResult } from "../bench-options";
import { withClosers } from "../close-on-signals";
import { takeTurns } from "../measure";
import type { AiSdkAnswer, AiSdkOrder } from "../peers/ai-sdk-server";
import { findThreadsCpuMicros } from "../process-cpu";
import { startWorkerProcess } from "../worker-process";
import type { ReadersAnswer, ReadersOrder } from "./chat-readers-process";
import { summarizeChats } from "./chat-table";
import type { ChatFigures, ChatRound } from "./chat-table";
import { askForWords, askToBeHeld } from "./ask-for-words";
import type { ModelAnswer, ModelOrder } from "./model-process";

type Side = {
  name: string;
  url: string;
  pid: number | null;
  toBody: (question: string) => object;
  readHeldBytes: (() => Promise<number>) | null;
};
type People = {
  model: (order: ModelOrder) => Promise<ModelAnswer>;
  readers: (order: ReadersOrder) => Promise<ReadersAnswer>;
};

const streamCounts = [10, 100, 1000];
/** About as fast as people read. */
const everyMs = 250;
const windowMs = 2000;
const mostRounds = 3;
const warmUp = { streams: 100, words: 200 };

/** Answers of a model that many read at once: through Latchkey, through the AI SDK, and from the model itself. */
export async function benchChats({ rounds, scale }: BenchOptions): Promise<BenchResult<ChatFigures[]>> {
  return await withClosers(async (closers) => {
    const readers = startWorkerProcess<ReadersOrder, ReadersAnswer>("scale/chat-readers-process.ts");
    closers.push(readers.stop);
    const { model, sides } = await openSides(closers);
    const roundCount = Math.min(rounds, mostRounds);
    const people: People = { model, readers: readers.ask };
    for (const side of sides) {
      const streams = Math.max(2, Math.round(warmUp.streams * scale));
      await readAll({ side, people, streams, words: warmUp.words });
    }
    const measured: ChatRound[] = [];
    for (const count of streamCounts) {
      const streams = Math.max(2, Math.round(count * scale));
      console.error(`${streams} chats at once …`);
      const runners = Object.fromEntries(
        sides.map((side) => [side.name, () => measureStreams({ side, people, streams })]),
      );
      const turns = await takeTurns(runners, roundCount);
      measured.push(...turns.flatMap((turn) => Object.values(turn)));
    }
    const figures = summarizeChats(measured);
    return { rounds: roundCount, verdicts: [], figures, measured };
  });
}

async function openSides(
  closers: (() => Promise<unknown>)[],
): Promise<{ model: People["model"]; sides: Side[] }> {
  const model = startWorkerProcess<ModelOrder, ModelAnswer>("scale/model-process.ts");
  closers.push(model.stop);
  const baseUrl = requireMember(await model.ask({ order: "start" }), "baseUrl");
  const server = await startServer({
    env: {
      RPC_URL: "http://127.0.0.1:9",
      KEY_CONTRACT_ADDRESS: `0x${"12".repeat(20)}`,
      ...benchSettings,
      AI_PROVIDER: "local",
      AI_BASE_URL: baseUrl,
      AI_CHAT_MAX_DURATION: "120",
    },
    nodeOptions: memoryReportOptions,
  });
  closers.push(server.stop);
  const nodeOptions = ["--expose-gc"];
  const sdk = startWorkerProcess<AiSdkOrder, AiSdkAnswer>("peers/ai-sdk-server.ts", { nodeOptions });
  closers.push(sdk.stop);
  const sdkPort = requireMember(await sdk.ask({ order: "start", baseUrl }), "port");
  const toMessages = (question: string) => ({ messages: [{ role: "user", content: question }] });
  const sides: Side[] = [
    {
      name: "Latchkey",
      url: `http://127.0.0.1:${server.port}/api/chat`,
      pid: server.pid,
      toBody: toMessages,
      readHeldBytes: async () => (await readMemory(server)).heldBytes,
    },
    {
      name: "AI SDK",
      url: `http://127.0.0.1:${sdkPort}/`,
      pid: sdk.pid,
      toBody: toMessages,
      readHeldBytes: async () => requireMember(await sdk.ask({ order: "memory" }), "heldBytes"),
    },
    {
      name: "the model itself",
      url: `${baseUrl}/chat/completions`,
      pid: null,
      readHeldBytes: null,
      toBody: (question) => ({ model: "m", stream: true, ...toMessages(question) }),
    },
  ];
  return { model: model.ask, sides };
}

type Reading = { side: Side; people: People; streams: number };

async function open({ side, people, streams, question }: Reading & { question: string }): Promise<number[]> {
  const body = JSON.stringify(side.toBody(question));
  return requireMember(await people.readers({ order: "open", url: side.url, body, streams }), "firstWordMs");
}

/** Every stream to its end, each with all of its words. */
async function readAll({ words, ...reading }: Reading & { words: number }): Promise<number[]> {
  const firstWordMs = await open({ ...reading, question: askForWords(words) });
  await reading.people.readers({ order: "finish" });
  return firstWordMs;
}

/**
 * Everybody hears a first word, and the model then waits until all have: that is the time to the first token. Then it
 * speaks, and what that costs is read; of the model itself there is nothing more to know. At last everybody hears the end.
 */
async function measureStreams({ side, people, streams }: Reading): Promise<ChatRound> {
  const { name, readHeldBytes } = side;
  const { model, readers } = people;
  await model({ order: "hold" });
  const idleBytes = readHeldBytes && (await readHeldBytes());
  const firstWordMs = await open({ side, people, streams, question: askToBeHeld(everyMs) });
  await model({ order: "speak" });
  const costs = await readCosts({ side, people });
  if (!requireMember(await readers({ order: "count" }), "isAllOpen"))
    throw new Error(`A stream of ${name} ended before its time.`);
  await model({ order: "end" });
  await readers({ order: "finish" });
  const { heldBytes, cpuMicrosAWord } = costs;
  const kilobytesAStream =
    idleBytes === null || heldBytes === null ? null : (heldBytes - idleBytes) / streams / 1024;
  return { side: name, streams, firstWordMs, cpuMicrosAWord, kilobytesAStream };
}

/** For a while processor time and words are counted, with all streams open; then what is held is read. */
async function readCosts({ side: { pid, readHeldBytes }, people }: Pick<Reading, "side" | "people">) {
  if (pid === null || readHeldBytes === null) return { cpuMicrosAWord: null, heldBytes: null };
  const read = async () => ({
    cpuMicros: findThreadsCpuMicros(pid),
    words: requireMember(await people.readers({ order: "count" }), "words"),
  });
  // All have begun to hear more by then.
  await delay(everyMs);
  const before = await read();
  await delay(windowMs);
  const after = await read();
  const cpuMicrosAWord =
    before.cpuMicros === null || after.cpuMicros === null
      ? null
      : (after.cpuMicros - before.cpuMicros) / (after.words - before.words);
  return { cpuMicrosAWord, heldBytes: await readHeldBytes() };
}

/** The one member that was asked for, of an answer that may be of another kind. */
function requireMember<Answer extends object, Name extends string>(
  answer: Answer,
  name: Name,
): Extract<Answer, Record<Name, unknown>>[Name] {
  if (!(name in answer)) throw new Error(`An answer lacks ${name}: ${JSON.stringify(answer)}`);
  return (answer as Extract<Answer, Record<Name, unknown>>)[name];
}
