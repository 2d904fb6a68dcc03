import { mkdtemp, rm, writeFile, chmod } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { shownHost, startNginxProxy } from "~e2e/support/door/site-proxies";
import { openSitesBehindProxy, walkIn, wikiOrigin } from "~e2e/support/door/sites-behind-proxy";
import type { SitesBehindProxy } from "~e2e/support/door/sites-behind-proxy";
import type { BenchOptions, BenchResult } from "../bench-options";
import { withClosers } from "../close-on-signals";
import { bareSide, judge, median, medianOrNull, ownSide, toMeasurement } from "../figures";
import type { Verdict } from "../figures";
import type { Load, LoadResult } from "../load-generator";
import { takeTurns } from "../measure";
import type { GenerateLoad } from "../measure";
import { toOperationTable } from "../operation-table";
import type { OperationFigures } from "../operation-table";
import type { BareSetup } from "../peers/bare-server";
import { findFamilyCpuMicros, findProcessCpuMicros } from "../process-cpu";
import { toTable, verdictLines } from "../report";
import { startWorkerProcess } from "../worker-process";

/** `perPage`: of a page of 80 files, of a visitor who opens one page after the other. */
export type PageRound = { side: string; pages: number; seconds: number; cpuMicros: Cpu; questions: number };
type Cpu = Record<"nginx" | "latchkey", number | null>;
type PageFigures = { side: string; msPerPage: number; cpuMicrosPerPage: Cpu; questionsPerPage: number };
/** `readings`: how often the chain was asked about the key while so many blocks came. */
type BlockFigures = { questions: number; blocks: number; readings: number };
export type DoorFigures = OperationFigures & { blocks: BlockFigures; pages: PageFigures[] };

const filesOfPage = 80;
const fileBytes = 4096;
const pagesOfRound = 50;
const questionsOfRound = 5000;
/** As many as a browser opens to one host. */
const connectionsOfBrowser = 6;
const connections = 8;
const maxSeconds = 30;
const aims = { maxCpuTimes: { side: bareSide, times: 1.6 }, rpcCallsPerRequest: 0 };
/** Longer than a run: a reading then ends with a block and with nothing else. */
const freshSeconds = 300;
const blockEveryMs = 500;
const secondsOfBlocks = 5;
const pageSides = [
  { side: "nginx alone", isOpen: true },
  { side: "nginx and the door" },
  { side: "nginx and the door, with nginx's cache", isCaching: true },
];

/** One question beside bare Node with the same statement; a page of many files beside nginx that asks nobody. */
export async function benchSitesBehind({ rounds, scale }: BenchOptions): Promise<BenchResult<DoorFigures>> {
  return await withClosers(async (closers) => {
    const env = { OWNERSHIP_CACHE_SECONDS: String(freshSeconds) };
    const sites = await openSitesBehindProxy(startNginxProxy, { env });
    closers.push(sites.close);
    const visitor = sites.openVisitor();
    const holder = await sites.mintKey(1);
    await sites.signIn(visitor, holder);
    await walkIn(visitor, `${wikiOrigin}/`);
    const cookie = `__Host-latchkey-door=${visitor.cookieOf(shownHost, "__Host-latchkey-door")}`;
    const generator = startWorkerProcess<Load, LoadResult>("load-generator.ts");
    closers.push(generator.stop);
    const shared = { sites, cookie, generateLoad: generator.ask, closers };

    console.error("One question …");
    const question = await prepareQuestions({ ...shared, requests: scaled(questionsOfRound, scale) });
    const measurement = toMeasurement({
      operation: "GET /api/door, 200",
      requestsPerRound: scaled(questionsOfRound, scale),
      rounds: await takeTurns(question, rounds),
    });
    console.error(`A page of ${filesOfPage} files …`);
    const turns = await takeTurns(
      await preparePages({ ...shared, pages: scaled(pagesOfRound, scale) }),
      rounds,
    );
    const pageRounds = turns.flatMap((turn) => Object.values(turn));
    console.error("One question, while blocks come …");
    const blocks = await askWhileBlocksCome(shared);
    const { rounds: questionRounds, ...figures } = measurement;
    return {
      rounds,
      verdicts: verdictLines([...judge(measurement, aims), judgeBlocks(blocks)]),
      figures: { operations: [figures], blocks, pages: summarizePages(pageRounds) },
      measured: { question: questionRounds, blocks, pages: pageRounds },
    };
  });
}

const scaled = (count: number, scale: number) => Math.max(1, Math.round(count * scale));

type Shared = {
  sites: SitesBehindProxy;
  cookie: string;
  generateLoad: GenerateLoad;
  closers: (() => Promise<unknown>)[];
};

async function prepareQuestions({
  sites,
  cookie,
  generateLoad,
  closers,
  requests,
}: Shared & { requests: number }) {
  const { chain, server } = sites;
  const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-questions-"));
  closers.push(() => rm(dir, { recursive: true, force: true }));
  const bare = startWorkerProcess<BareSetup, { port: number }>("peers/bare-server.ts");
  closers.push(bare.stop);
  const { port } = await bare.ask({
    databaseUrl: pathToFileURL(path.join(dir, "bare.db")).href,
    key: { chainId: chain.chainId, contractAddress: chain.key.address, tokenId: "1" },
    holder: chain.addressOf(1),
    bodies: { signIn: "", bearer: "", session: "" },
  });
  const request = toQuestion(cookie);
  const sides = { [ownSide]: { port: server.port, pid: server.pid }, [bareSide]: { port, pid: bare.pid } };
  const runners = Object.entries(sides).map(([name, side]) => {
    const ask = async (repeat: number) => {
      const load = { requests: [request], repeat, connections, maxSeconds, expected: { holds: "" } };
      const readingsBefore = await sites.countReadings();
      const cpuBefore = findProcessCpuMicros(side.pid);
      const result = await generateLoad({ port: side.port, ...load });
      const cpuAfter = findProcessCpuMicros(side.pid);
      const cpuMicros = cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore;
      const rpcCalls = name === ownSide ? (await sites.countReadings()) - readingsBefore : null;
      return { ...result, bodies: undefined, cpuMicros, rpcCalls };
    };
    return [name, ask] as const;
  });
  for (const [, ask] of runners) await ask(requests);
  return Object.fromEntries(runners.map(([name, ask]) => [name, () => ask(requests)]));
}

async function askWhileBlocksCome({ sites, cookie, generateLoad }: Shared): Promise<BlockFigures> {
  let blocks = 0;
  const before = await sites.countReadings();
  const timer = setInterval(() => {
    blocks += 1;
    void sites.chain.control.mine({ blocks: 1 });
  }, blockEveryMs);
  try {
    const { requests: questions } = await generateLoad({
      port: sites.server.port,
      requests: [toQuestion(cookie)],
      repeat: Number.MAX_SAFE_INTEGER,
      connections,
      maxSeconds: secondsOfBlocks,
      expected: { holds: "" },
    });
    return { questions, blocks, readings: (await sites.countReadings()) - before };
  } finally {
    clearInterval(timer);
  }
}

function judgeBlocks({ readings, blocks, questions }: BlockFigures): Verdict {
  return {
    aim: "GET /api/door at most one RPC call for each block",
    isMet: readings <= blocks,
    measured: `${readings} in ${blocks} blocks and ${questions} questions`,
  };
}

async function preparePages({ sites, cookie, generateLoad, closers, pages }: Shared & { pages: number }) {
  const filesDir = await mkdtemp(path.join(os.tmpdir(), "latchkey-files-"));
  closers.push(() => rm(filesDir, { recursive: true, force: true }));
  // nginx's workers run as a user of their own.
  await chmod(filesDir, 0o755);
  await writeFile(path.join(filesDir, "file.txt"), "a".repeat(fileBytes));
  const { pid: latchkeyPid, port: latchkeyPort } = sites.server;
  const request = toRequest("/file.txt", [`Cookie: ${cookie}`]);
  const runners: Record<string, () => Promise<PageRound>> = {};
  for (const { side, ...options } of pageSides) {
    const proxied = { latchkeyPort, sites: { [shownHost]: sites.wiki.port }, filesDir };
    const proxy = await startNginxProxy({ ...proxied, ...options });
    closers.push(proxy.stop);
    const readCpu = (): Cpu => ({
      nginx: findFamilyCpuMicros(proxy.pid),
      latchkey: findProcessCpuMicros(latchkeyPid),
    });
    runners[side] = async () => {
      const [questionsBefore, before] = [await sites.countQuestions(), readCpu()];
      const { seconds } = await generateLoad({
        port: proxy.port,
        requests: [request],
        repeat: pages * filesOfPage,
        connections: connectionsOfBrowser,
        maxSeconds,
        expected: { holds: "aaaa", bytes: fileBytes },
      });
      const [after, questions] = [readCpu(), (await sites.countQuestions()) - questionsBefore];
      const spent = (who: keyof Cpu) =>
        after[who] === null || before[who] === null ? null : after[who] - before[who];
      const cpuMicros = { nginx: spent("nginx"), latchkey: spent("latchkey") };
      return { side, pages, seconds, cpuMicros, questions };
    };
  }
  for (const warmUp of Object.values(runners)) await warmUp();
  return runners;
}

const toQuestion = (cookie: string) =>
  toRequest("/api/door", [
    `Cookie: ${cookie}`,
    `X-Original-URL: ${wikiOrigin}/files/1`,
    "X-Original-Method: GET",
  ]);

function toRequest(target: string, headers: readonly string[]): string {
  return [`GET ${target} HTTP/1.1`, `Host: ${shownHost}`, ...headers, "", ""].join("\r\n");
}

export function summarizePages(rounds: readonly PageRound[]): PageFigures[] {
  return [...new Set(rounds.map(({ side }) => side))].map((side) => {
    const own = rounds.filter((round) => round.side === side);
    const cpuOf = (who: keyof Cpu) =>
      medianOrNull(
        own.map(({ cpuMicros, pages }) => (cpuMicros[who] === null ? null : cpuMicros[who] / pages)),
      );
    return {
      side,
      msPerPage: median(own.map(({ seconds, pages }) => (seconds * 1000) / pages)),
      cpuMicrosPerPage: { nginx: cpuOf("nginx"), latchkey: cpuOf("latchkey") },
      questionsPerPage: median(own.map(({ questions, pages }) => questions / pages)),
    };
  });
}

export function describeSitesBehind({ operations, blocks, pages }: DoorFigures): string {
  const show = (micros: number | null) => (micros === null ? "n/a" : (micros / 1000).toFixed(1));
  const table = toTable(
    [`A page of ${filesOfPage} files`, "ms", "nginx, CPU ms", "Latchkey, CPU ms", "Questions"],
    pages.map(({ side, msPerPage, cpuMicrosPerPage: cpu, questionsPerPage }) => [
      ...[side, msPerPage.toFixed(1), show(cpu.nginx), show(cpu.latchkey), questionsPerPage.toFixed(2)],
    ]),
    1,
  );
  const { questions, blocks: came, readings } = blocks;
  const asked = `While ${came} blocks came, ${questions} questions of one visitor had the chain asked ${readings} times.`;
  return [toOperationTable(operations), "", asked, "", table].join("\n");
}
