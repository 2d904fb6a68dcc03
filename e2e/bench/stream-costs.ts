import { setTimeout as delay } from "node:timers/promises";
import { memoryReportOptions, readMemory } from "~e2e/support/measure/memory-report";
import { startServer } from "~e2e/support/running-server";
import { benchSettings, withoutChain } from "./bench-site";
import { withClosers } from "./close-on-signals";
import { findCpuMs, median, takeTurns } from "./measure";
import { startModel } from "./model";
import type { Model } from "./model";
import { askForWords, askToBeHeld } from "./model-words";
import { startPeer } from "./peer-process";
import type { AiSdkSetup } from "./peers/ai-sdk-server";
import type { Row } from "./report";
import { openReaders } from "./stream-readers";

export const streamSlug = "streams";

const streams = 1000;
/** Reading speed: four words a second. */
const everyMs = 250;
const windowMs = 2000;
const warmUp = { streams: 100, words: 200 };

/** `readHeldBytes` exists for the built server only. */
type Side = { url: string; pid: number; readHeldBytes: (() => Promise<number>) | null };
type Round = { cpuMs: number; kilobytes: number };

/** Measures a thousand replies at once: CPU time per word received, and memory per open stream. */
export async function measureStreams(rounds: number): Promise<Row[]> {
  return await withClosers(async (closers) => {
    const model = await startModel(closers);
    const { baseUrl } = model;
    const settings = { AI_PROVIDER: "local", AI_BASE_URL: baseUrl, AI_CHAT_MAX_DURATION: "120" };
    const env = { ...withoutChain, ...benchSettings, ...settings };
    const server = await startServer({ env, nodeOptions: memoryReportOptions });
    closers.push(server.stop);
    const sdk = await startPeer<AiSdkSetup>(closers, "peers/ai-sdk-server.ts", { baseUrl });
    const sides: Side[] = [
      {
        url: `http://127.0.0.1:${server.port}/api/chat`,
        pid: server.pid,
        readHeldBytes: async () => (await readMemory(server)).heldBytes,
      },
      { url: `http://127.0.0.1:${sdk.port}/`, pid: sdk.pid, readHeldBytes: null },
    ];
    for (const { url } of sides)
      await (await openReaders(url, askForWords(warmUp.words), warmUp.streams)).finish();
    const runners = sides.map((side) => () => measureRound(model, side));
    return toRows(await takeTurns(runners, rounds));
  });
}

function toRows(rounds: readonly Round[][]): Row[] {
  const times = median(rounds.map(([own, sdk]) => own!.cpuMs / sdk!.cpuMs));
  return [
    {
      slug: streamSlug,
      name: "a token of a stream, 1,000 at once",
      unit: "ms of CPU",
      value: median(rounds.map(([own]) => own!.cpuMs)),
      atMost: 0.1,
      peers: [{ name: "AI SDK", times, atMost: 0.6, by: "cpu" }],
    },
    {
      slug: streamSlug,
      name: "memory of each of 1,000 streams",
      unit: "KB",
      value: median(rounds.map(([own]) => own!.kilobytes)),
      atMost: 60,
      peers: [],
    },
  ];
}

/** The model continues once every reader has a first word. Every stream is read to its end. */
async function measureRound(model: Model, { url, pid, readHeldBytes }: Side): Promise<Round> {
  model.hold();
  const idleBytes = (await readHeldBytes?.()) ?? 0;
  const readers = await openReaders(url, askToBeHeld(everyMs), streams);
  model.speak();
  await delay(everyMs);
  const before = { cpuMs: findCpuMs(pid), words: readers.countWords() };
  await delay(windowMs);
  const after = { cpuMs: findCpuMs(pid), words: readers.countWords() };
  const heldBytes = (await readHeldBytes?.()) ?? 0;
  if (!readers.isAllOpen()) throw new Error(`A stream of ${url} ended before its time.`);
  model.end();
  await readers.finish();
  return {
    cpuMs: (after.cpuMs - before.cpuMs) / (after.words - before.words),
    kilobytes: (heldBytes - idleBytes) / streams / 1024,
  };
}
