import { mkdtemp, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { startTestChain } from "~e2e/support/chain/chain";
import type { TestChain } from "~e2e/support/chain/chain";
import { startServer } from "~e2e/support/running-server";
import type { RunningServer } from "~e2e/support/running-server";
import { grantKeys, toGrantedHolder } from "../bench-keys";
import { benchSettings } from "../bench-site";
import type { BenchOptions, BenchResult } from "../bench-options";
import { withClosers } from "../close-on-signals";
import { compare, median, summarize } from "../figures";
import type { Round } from "../figures";
import type { Load, LoadResult } from "../load-generator";
import { measureRound, takeTurns } from "../measure";
import type { GenerateLoad } from "../measure";
import { originOf, toHttp } from "../costs/operation";
import type { Prepared, Target } from "../costs/operation";
import { signInOnce } from "../sign-in";
import { startWorkerProcess } from "../worker-process";
import { fillUsedKeys, probeKeys } from "./fill-used-keys";
import type { UsedKeyFigures } from "./used-key-table";

type Rounds = { status: Round; bearer: Round };
type Site = {
  usedKeys: number;
  databaseBytes: number;
  startMs: number;
  run: (kind: keyof Rounds, of: number) => Promise<Round>;
};

const sizes = [1_000, 10_000, 100_000, 1_000_000];
const smallest = String(sizes[0]);
const requestsPerRound = { status: 2000, bearer: 1500 };
const warmUpRequests = { status: 6000, bearer: 4000 };
const starts = 3;

/** What a table of used keys costs as it grows: one server for each size, all on the same chain, asked in turns. */
export async function benchUsedKeys({ rounds, scale }: BenchOptions): Promise<BenchResult<UsedKeyFigures[]>> {
  return await withClosers(async (closers) => {
    const chain = await startTestChain();
    closers.push(chain.stop);
    const generator = startWorkerProcess<Load, LoadResult>("load-generator.ts");
    closers.push(generator.stop);
    const sites = new Map<string, Site>();
    for (const size of sizes) {
      const usedKeys = Math.max(100, Math.round(size * scale));
      console.error(`${usedKeys} used keys …`);
      const site = await openSite({ chain, usedKeys, generateLoad: generator.ask, closers });
      for (const kind of ["status", "bearer"] as const)
        await site.run(kind, Math.max(8, Math.round(warmUpRequests[kind] * scale)));
      sites.set(String(size), site);
    }
    const runners = Object.fromEntries(
      [...sites].map(([name, { run }]) => [name, () => runBoth({ run, scale })]),
    );
    const measured = await takeTurns(runners, rounds);
    const figures = [...sites].map(([name, { usedKeys, databaseBytes, startMs }]): UsedKeyFigures => {
      const of = (kind: keyof Rounds) => summarize(measured.map((round) => round[name]![kind]));
      const growthOf = (kind: keyof Rounds) =>
        compare(measured.map((round) => ({ ours: round[name]![kind], other: round[smallest]![kind] }))).byCpu;
      const growth = { status: growthOf("status"), bearer: growthOf("bearer") };
      return { usedKeys, databaseBytes, startMs, status: of("status"), bearer: of("bearer"), growth };
    });
    return { rounds, verdicts: [], figures, measured };
  });
}

async function runBoth({ run, scale }: Pick<Site, "run"> & { scale: number }): Promise<Rounds> {
  const count = (kind: keyof Rounds) => Math.max(8, Math.round(requestsPerRound[kind] * scale));
  return { status: await run("status", count("status")), bearer: await run("bearer", count("bearer")) };
}

type OpenSiteOptions = {
  chain: TestChain;
  usedKeys: number;
  generateLoad: GenerateLoad;
  closers: (() => Promise<unknown>)[];
};

/** A server whose database holds so many used keys; what is asked for lies spread among them, used and unused. */
async function openSite({ chain, usedKeys, generateLoad, closers }: OpenSiteOptions): Promise<Site> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), "latchkey-used-keys-"));
  closers.push(() => rm(dataDir, { recursive: true, force: true }));
  const databaseFile = path.join(dataDir, "latchkey.db");
  const { chainId, key } = chain;
  const { used, unused, series } = probeKeys(usedKeys);
  await grantKeys({ chain, ...series });
  await fillUsedKeys({ databaseFile, chainId, contractAddress: key.address, usedKeys, unused });
  const databaseBytes = (await stat(databaseFile)).size;
  const env = { RPC_URL: chain.rpcUrl, KEY_CONTRACT_ADDRESS: key.address, ...benchSettings };
  const { server, startMs } = await startTimed(env, dataDir);
  closers.push(server.stop);

  const holders = unused.map(toGrantedHolder);
  const target: Target = {
    port: server.port,
    chainId,
    accessToken: "",
    operatorCookie: "",
    holders,
    needsSignatures: true,
    takeUnusedKeys: () => [],
  };
  await requireStates(target, used, unused);
  const tokens: string[] = [];
  for (const holder of holders) tokens.push((await signInOnce(target, holder)).answer.accessToken);
  const statusRequests = [...used, ...unused].map((tokenId) =>
    toHttp({ target, method: "GET", path: `/api/token-status/${tokenId}` }),
  );
  const bearerRequests = tokens.map((token) =>
    toHttp({
      target,
      method: "POST",
      path: "/api/gate-access",
      headers: { Authorization: `Bearer ${token}` },
    }),
  );
  const prepare = (kind: keyof Rounds, count: number): Prepared => {
    const all = kind === "status" ? statusRequests : bearerRequests;
    const requests = Array.from({ length: count }, (_, index) => all[index % all.length]!);
    return { requests, expected: { holds: kind === "status" ? '"exists":true' : '"access":"granted"' } };
  };
  const side = { target, pid: server.pid };
  const run: Site["run"] = (kind, count) =>
    measureRound({ generateLoad, side, prepared: prepare(kind, count) });
  return { usedKeys, databaseBytes, startMs, run };
}

/** The last of a few starts is kept. */
async function startTimed(
  env: Record<string, string>,
  dataDir: string,
): Promise<{ server: RunningServer; startMs: number }> {
  const times: number[] = [];
  for (;;) {
    const beganAt = performance.now();
    const server = await startServer({ env, dataDir });
    const { status } = await fetch(`${server.origin}/readyz`);
    times.push(performance.now() - beganAt);
    if (status !== 200) {
      await server.stop();
      throw new Error(`A server that had opened was not ready: ${status}.`);
    }
    if (times.length === starts) return { server, startMs: median(times) };
    await server.stop();
  }
}

/** Before anything is measured: the server knows which keys were used and which were not. */
async function requireStates(
  target: Target,
  used: readonly number[],
  unused: readonly number[],
): Promise<void> {
  const wanted = [
    ...used.map((id) => ({ id, isUsed: true })),
    ...unused.map((id) => ({ id, isUsed: false })),
  ];
  for (const { id, isUsed } of wanted) {
    const response = await fetch(`${originOf(target)}/api/token-status/${id}`);
    const { used: found } = (await response.json()) as { used?: boolean };
    if (found !== isUsed) throw new Error(`Key ${id} should be ${isUsed ? "used" : "unused"} and is not.`);
  }
}
