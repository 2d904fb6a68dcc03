import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startTestChain } from "~e2e/support/chain/chain";
import { listChildren } from "~e2e/support/processes";
import { startServer } from "~e2e/support/running-server";
import { megabyte, readResidentBytes } from "~e2e/faults/server-measures";
import { grantKeys, keySeries, mintKeys } from "../bench-keys";
import type { BenchOptions, BenchResult } from "../bench-options";
import { benchSettings } from "../bench-site";
import { withClosers } from "../close-on-signals";
import { median, medianOrNull } from "../figures";
import { metricsToken } from "../fixed-answers";
import type { Load, LoadResult } from "../load-generator";
import type { GenerateLoad } from "../measure";
import { findProcessCpuMicros } from "../process-cpu";
import { toTable, verdictLines } from "../report";
import { signInOnce } from "../sign-in";
import { startWorkerProcess } from "../worker-process";
import { originOf, repeating } from "./operation";
import type { Operation, Prepare, Target } from "./operation";
import { operations, resetSecret } from "./operations";
import { toolOperations } from "./tool-operations";

/** `cpuMs`: of all threads until it was ready, which other work on the machine changes less than the time. */
export type Start = { ms: number; cpuMs: number | null; residentMB: number | null };
/** With the process that speaks, if there is one: the most there was after a kind, and what stays when all is quiet. */
type Held = { mostMB: number | null; usedMB: number | null };
/** On an empty data folder, again on what that left, and what it holds when each kind was asked for ten times. */
export type StartRound = { first: Start; again: Start } & Held;
export type StartFigures = StartRound & { kinds: readonly string[] };

const aims = { startMs: 1_000, usedMB: 120 };
const requestsOfAKind = 10;
/** Longer than a voice waits for another text before its memory is given back. */
const quietMs = 15_000;
const keys = { firstTokenId: 1_000_000, count: 4_000 };

/** The answers that are embedded: no model is asked. */
const chat: Prepare = repeating({
  method: "POST",
  path: "/api/chat",
  headers: { Accept: "text/event-stream" },
  json: { messages: [{ role: "user", content: "How do I get a key?" }] },
  expected: { holds: "[DONE]" },
});
const elsewhere = ["operator-table", "operator-export", "chat", "quota"];
/** Everything that a server with the embedded defaults answers; the chat's operation is about a model. */
const kinds: readonly Pick<Operation, "slug" | "sides">[] = [
  ...operations.filter(({ slug }) => !elsewhere.includes(slug)),
  ...toolOperations,
  { slug: "chat", sides: { Latchkey: chat } },
];

/** How soon a server is ready, and how much memory it takes with what is embedded. */
export async function benchStart({ rounds }: BenchOptions): Promise<BenchResult<StartFigures>> {
  return await withClosers(async (closers) => {
    const chain = await startTestChain();
    closers.push(chain.stop);
    const holders = await mintKeys(chain);
    await grantKeys({ chain, ...keys });
    const takeUnusedKeys = keySeries(keys);
    const generator = startWorkerProcess<Load, LoadResult>("load-generator.ts");
    closers.push(generator.stop);
    const { chainId } = chain;
    const newTarget = (port: number): Target => ({
      port,
      chainId,
      accessToken: "",
      operatorCookie: "",
      holders,
      takeUnusedKeys,
      needsSignatures: true,
    });
    const env = {
      NODE_ENV: "production",
      RPC_URL: chain.rpcUrl,
      KEY_CONTRACT_ADDRESS: chain.key.address,
      METRICS_TOKEN: metricsToken,
      AI_QUOTA_RESET_SECRET: resetSecret,
      ...benchSettings,
    };
    const measured: StartRound[] = [];
    for (let round = 0; round < rounds; round++) {
      console.error(`start, round ${round + 1} …`);
      measured.push(await measureStart({ env, newTarget, generateLoad: generator.ask }));
    }
    const figures = summarizeStarts(measured);
    return { rounds, verdicts: judgeStarts(figures), figures, measured };
  });
}

type MeasureStartOptions = {
  env: Record<string, string>;
  newTarget: (port: number) => Target;
  generateLoad: GenerateLoad;
};

async function measureStart({ env, newTarget, generateLoad }: MeasureStartOptions): Promise<StartRound> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), "latchkey-start-"));
  try {
    const { server: firstServer, ...first } = await timeStart(env, dataDir);
    await firstServer.stop();
    const { server, ...again } = await timeStart(env, dataDir);
    try {
      const asking = newTarget(server.port);
      const target = { ...asking, accessToken: (await signInOnce(asking)).answer.accessToken };
      let mostMB: number | null = 0;
      for (const { sides } of kinds) {
        const prepared = await sides.Latchkey!({ target, requests: requestsOfAKind, generateLoad });
        await generateLoad({ port: server.port, ...prepared, connections: 1, maxSeconds: 60 });
        const heldMB = residentMB(server.pid);
        mostMB = heldMB === null || mostMB === null ? null : Math.max(mostMB, heldMB);
      }
      await delay(quietMs);
      return { first: first.start, again: again.start, mostMB, usedMB: residentMB(server.pid) };
    } finally {
      await server.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** From the spawn of the process until /readyz answers 200. */
async function timeStart(env: Record<string, string>, dataDir: string) {
  const spawnedAt = performance.now();
  const server = await startServer({ env, dataDir });
  const { status } = await fetch(`${originOf(server)}/readyz`);
  const ms = performance.now() - spawnedAt;
  const cpuMicros = findProcessCpuMicros(server.pid);
  if (status !== 200) throw new Error(`A server that had opened was not ready: ${status}.`);
  const start: Start = {
    ms,
    cpuMs: cpuMicros === null ? null : cpuMicros / 1_000,
    residentMB: residentMB(server.pid),
  };
  return { server, start };
}

/** Of the server and the processes that it has started. */
function residentMB(pid: number): number | null {
  const own = readResidentBytes(pid);
  if (own === null) return null;
  const all = listChildren(pid).reduce((sum, child) => sum + (readResidentBytes(child) ?? 0), own);
  return all / megabyte;
}

export function summarizeStarts(rounds: readonly StartRound[]): StartFigures {
  const middleOf = (of: "first" | "again"): Start => ({
    ms: median(rounds.map((round) => round[of].ms)),
    cpuMs: medianOrNull(rounds.map((round) => round[of].cpuMs)),
    residentMB: medianOrNull(rounds.map((round) => round[of].residentMB)),
  });
  return {
    first: middleOf("first"),
    again: middleOf("again"),
    mostMB: medianOrNull(rounds.map(({ mostMB }) => mostMB)),
    usedMB: medianOrNull(rounds.map(({ usedMB }) => usedMB)),
    kinds: kinds.map(({ slug }) => slug),
  };
}

export function judgeStarts({ first, again, usedMB }: StartFigures): string[] {
  const startAim = (name: string, { ms }: Start) => ({
    aim: `${name} start to ready within ${aims.startMs / 1000} s`,
    isMet: ms <= aims.startMs,
    measured: `${(ms / 1000).toFixed(2)} s`,
  });
  return verdictLines([
    startAim("first", first),
    startAim("further", again),
    {
      aim: `resident after ${requestsOfAKind} requests of each kind within ${aims.usedMB} MB`,
      isMet: usedMB === null ? null : usedMB <= aims.usedMB,
      measured: usedMB === null ? "unknown" : `${usedMB.toFixed(0)} MB`,
    },
  ]);
}

export function describeStarts({ first, again, mostMB, usedMB, kinds: asked }: StartFigures): string {
  const show = (value: number | null) => value?.toFixed(0) ?? "unknown";
  const row = (name: string, { ms, cpuMs, residentMB: heldMB }: Start) => [
    name,
    ...[ms, cpuMs, heldMB].map(show),
  ];
  const rows = [row("on an empty data folder", first), row("on what that left", again)];
  return [
    toTable(["Start", "to ready, ms", "CPU ms", "resident, MB"], rows, 1),
    "",
    `While ${requestsOfAKind} requests of each kind are answered: at most ${show(mostMB)} MB. ${quietMs / 1000} s after them: ${show(usedMB)} MB.`,
    "",
    `Asked: ${asked.join(", ")}.`,
  ].join("\n");
}
