import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { waitUntil } from "~e2e/support/processes";
import type { BenchOptions, BenchResult } from "../bench-options";
import { withClosers } from "../close-on-signals";
import { median } from "../figures";
import { verdictLines } from "../report";
import { takeTurns } from "../measure";
import { findThreadsCpuMicros } from "../process-cpu";
import { askForPace, askForWords, askToBeHeld } from "./ask-for-words";
import type { ReadersAnswer } from "./chat-readers-process";
import { openResumeSite } from "./resume-site";
import type { ResumeServer, ResumeSite } from "./resume-site";
import { judgeResuming, summarizeResuming } from "./resume-table";
import type { CrowdFigures, ResumeFigures, ResumeRound } from "./resume-table";

type Work = {
  name: string;
  question: string;
  answers: number;
  warmUpAnswers: number;
  connections: number;
  /** Before them so many bursts of short ones, of which the first words count as well: those of one burst come by chance. */
  shortBursts: number;
};
type Reading = { site: ResumeSite; server: ResumeServer };

/** As fast as they go, and about as fast as a model speaks. */
const works: readonly Work[] = [
  {
    name: "20 words",
    question: askForWords(20),
    answers: 400,
    warmUpAnswers: 1000,
    connections: 8,
    shortBursts: 0,
  },
  {
    name: "300 words in 6 s",
    question: askForPace({ words: 300, everyMs: 20 }),
    answers: 100,
    warmUpAnswers: 100,
    connections: 100,
    shortBursts: 5,
  },
];
const shortQuestion = askForPace({ words: 3, everyMs: 20 });
const crowd = 1000;
/** About as fast as people read. */
const everyMs = 250;
const crowdMs = 10_000;
/** Kept for 10 s, and deleted within a minute of that. */
const sweptWithinMs = 90_000;

/** What it costs that answers can be taken up again: beside plain ones, and many of them at once. */
export async function benchResuming({
  rounds,
  scale,
  hasProfile,
  resultsDir,
}: BenchOptions): Promise<BenchResult<ResumeFigures>> {
  const nodeOptions = hasProfile ? ["--cpu-prof", `--cpu-prof-dir=${path.resolve(resultsDir)}`] : [];
  return await withClosers(async (closers) => {
    const site = await openResumeSite({ closers, nodeOptions });
    const measured: ResumeRound[] = [];
    for (const server of site.servers)
      for (const work of works) measured.push(...(await compareBoth({ site, server, work, rounds, scale })));
    const spoken: SpokenCrowd[] = [];
    for (const server of site.servers) spoken.push(await measureCrowd({ site, server, scale }));
    const crowds = await Promise.all(spoken.map(awaitSweep));
    const figures = { answers: summarizeResuming(measured), crowds };
    return { rounds, verdicts: verdictLines(judgeResuming(figures)), figures, measured };
  });
}

type Comparison = Reading & { work: Work } & Pick<BenchOptions, "rounds" | "scale">;

async function compareBoth({ work, rounds, scale, ...reading }: Comparison): Promise<ResumeRound[]> {
  console.error(`${work.name} on ${reading.server.database} …`);
  const measure = (isResumable: boolean, answers: number) =>
    measureAnswers({ ...reading, work, isResumable, answers: scaled(answers, scale) });
  for (const isResumable of [false, true]) await measure(isResumable, work.warmUpAnswers);
  const turns = await takeTurns(
    { plain: () => measure(false, work.answers), resumable: () => measure(true, work.answers) },
    rounds,
  );
  return turns.flatMap((turn) => Object.values(turn));
}

type Asking = Reading & { work: Work; isResumable: boolean; answers: number };

async function measureAnswers({ site, server, work, isResumable, answers }: Asking): Promise<ResumeRound> {
  const { database, pid } = server;
  const { name, connections, question, shortBursts } = work;
  const ask = async (content: string) => {
    const order = { order: "ask", ...toQuestion(server, content, isResumable) } as const;
    return requireFirstWords(await site.readers({ ...order, answers, connections }));
  };
  const firstWordMs: number[] = [];
  for (let burst = 0; burst < shortBursts; burst += 1) firstWordMs.push(...(await ask(shortQuestion)));
  const cpuBefore = findThreadsCpuMicros(pid);
  const firstWords = await ask(question);
  const cpuAfter = findThreadsCpuMicros(pid);
  firstWordMs.push(...firstWords);
  const cpuMicrosAnAnswer =
    cpuBefore === null || cpuAfter === null ? null : (cpuAfter - cpuBefore) / firstWords.length;
  return { database, work: name, isResumable, firstWordMs, cpuMicrosAnAnswer };
}

type SpokenCrowd = Omit<CrowdFigures, "bytesAfterSweep"> & { storedBytes: ResumeServer["storedBytes"] };

/** All of them speak for a while, and then they end. */
async function measureCrowd({ site, server, scale }: Reading & { scale: number }): Promise<SpokenCrowd> {
  const { database, storedBytes } = server;
  const streams = Math.max(2, Math.round(crowd * scale));
  console.error(`${streams} resumable chats at once on ${database} …`);
  await waitUntil(async () => (await storedBytes.countAnswers()) === 0, waiting);
  const bytesBefore = await storedBytes.read();
  const { model, readers } = site;
  await model({ order: "hold" });
  const question = toQuestion(server, askToBeHeld(everyMs), true);
  const firstWordMs = requireFirstWords(await readers({ order: "open", streams, ...question }));
  await model({ order: "speak" });
  await delay(crowdMs);
  const counted = await readers({ order: "count" });
  if (!("isAllOpen" in counted) || !counted.isAllOpen)
    throw new Error(`A resumable stream on ${database} ended before its time.`);
  await model({ order: "end" });
  // Rejects where one of them lacks a word or its end.
  await readers({ order: "finish" });
  const bytesKept = await storedBytes.read();
  const { words } = counted;
  return { database, streams, firstWordMs: median(firstWordMs), words, bytesBefore, bytesKept, storedBytes };
}

/** Some time later nothing is left of them. */
async function awaitSweep({ storedBytes, ...crowd }: SpokenCrowd): Promise<CrowdFigures> {
  await waitUntil(async () => (await storedBytes.countAnswers()) === 0, waiting);
  return { ...crowd, bytesAfterSweep: await storedBytes.read() };
}
const waiting = { timeoutMs: sweptWithinMs, everyMs: 1000 };

function toQuestion(server: ResumeServer, content: string, isResumable: boolean) {
  const { url, headers, accessTokens } = server;
  return {
    url,
    headers,
    accessTokens,
    isResumable,
    body: JSON.stringify({ messages: [{ role: "user", content }] }),
  };
}

function requireFirstWords(answer: ReadersAnswer): number[] {
  if (!("firstWordMs" in answer)) throw new Error(`Readers answered ${JSON.stringify(answer)}.`);
  return answer.firstWordMs;
}

function scaled(count: number, scale: number): number {
  return Math.max(8, Math.round(count * scale));
}
