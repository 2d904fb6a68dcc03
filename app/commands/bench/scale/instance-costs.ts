import os from "node:os";
import { startTestChain } from "~/testing/chain";
import { startServer } from "~/testing/running-server";
import type { RunningServer } from "~/testing/running-server";
import { startPostgresql } from "../../../../prisma/shadow-databases.mjs";
import { grantKeys, keySeries, mintKeys } from "../bench-keys";
import { benchSettings } from "../bench-place";
import type { BenchOptions } from "../benchmarks";
import { closeOnSignals } from "../close-on-signals";
import type { Load, LoadResult } from "../load-generator";
import { takeTurns } from "../measure";
import { repeating } from "../operation";
import type { Prepare, Target } from "../operation";
import { findFamilyCpuMicros, findProcessCpuMicros } from "../process-cpu";
import { prepareForms, prepareSignIns } from "../sign-in";
import { startWorkerProcess } from "../worker-process";
import { requireEvenShares, summarizeInstances, toInstanceTable } from "./instance-table";
import type { InstanceRound } from "./instance-table";
import { findPostmasterPid } from "./postmaster";
import type { ProxyAnswer, ProxyOrder } from "./round-robin-process";
import { finishScale } from "./scale-report";

type Work = { operation: string; requests: number; warmUpRequests: number; prepare: Prepare };

const instanceCounts = [1, 2, 3, 4];
const connections = 16;
const maxSeconds = { round: 20, warmUp: 60 };
const mostRounds = 3;
const unusedKeys = { firstTokenId: 1_000_000, count: 10_000 };

const works: readonly Work[] = [
  {
    ...{ operation: "GET /api/nonce", requests: 2000, warmUpRequests: 6000 },
    prepare: repeating({ method: "GET", path: "/api/nonce", expected: { holds: '"nonce":"' } }),
  },
  {
    ...{ operation: "POST /api/gate-access, SIWE", requests: 600, warmUpRequests: 2000 },
    prepare: prepareSignIns,
  },
  {
    ...{ operation: "POST /api/form-submission-gate", requests: 400, warmUpRequests: 1200 },
    prepare: prepareForms,
  },
];

/** One to four instances on one PostgreSQL behind a plain proxy, all running, so many of them asked. */
export async function benchInstances({ rounds, scale, ...output }: BenchOptions): Promise<void> {
  const loadBefore = os.loadavg();
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne();
  };
  const stopListening = closeOnSignals(close);
  try {
    const site = await openSite(closers);
    const roundCount = Math.min(rounds, mostRounds);
    const measured: InstanceRound[] = [];
    for (const work of works) {
      console.error(`${work.operation} on ${instanceCounts.join(", ")} instances …`);
      const counts = { requests: scaled(work.requests, scale), warmUp: scaled(work.warmUpRequests, scale) };
      await site.measure({ work, instances: site.size, requests: counts.warmUp, seconds: maxSeconds.warmUp });
      const runners = Object.fromEntries(
        instanceCounts.map((instances) => [
          `with ${instances}`,
          () => site.measure({ work, instances, requests: counts.requests, seconds: maxSeconds.round }),
        ]),
      );
      const turns = await takeTurns({ runners, rounds: roundCount });
      measured.push(...turns.flatMap((turn) => Object.values(turn)));
    }
    const figures = summarizeInstances(measured);
    const result = { name: "instances", figures, rounds: measured, table: toInstanceTable(figures) };
    finishScale({ ...output, ...result, roundCount, loadBefore });
  } finally {
    stopListening();
    await close();
  }
}

function scaled(count: number, scale: number): number {
  return Math.max(connections, Math.round(count * scale));
}

async function openSite(closers: (() => Promise<unknown>)[]) {
  const chain = await startTestChain();
  closers.push(chain.stop);
  const holders = await mintKeys({ chain });
  await grantKeys({ chain, ...unusedKeys });
  const postgresql = await startPostgresql();
  closers.push(() => postgresql.stop());
  const databaseUrl = await postgresql.createDatabase();
  const databasePid = await findPostmasterPid(databaseUrl);
  const proxy = startWorkerProcess<ProxyOrder, ProxyAnswer>("scale/round-robin-process.ts");
  closers.push(proxy.stop);
  const listening = await proxy.ask({ order: "listen" });
  if (!("port" in listening)) throw new Error("The proxy did not listen.");
  const { port } = listening;
  const servers: RunningServer[] = [];
  for (const _ of instanceCounts) {
    const server = await startServer({
      env: {
        ...{ RPC_URL: chain.rpcUrl, KEY_CONTRACT_ADDRESS: chain.key.address, DATABASE_URL: databaseUrl },
        ...{ NEXT_PUBLIC_DOMAIN: `localhost:${port}`, PUBLIC_ORIGIN: `http://localhost:${port}` },
        ...{ TRUST_PROXY: "loopback", ...benchSettings },
      },
    });
    closers.push(server.stop);
    servers.push(server);
  }
  const generator = startWorkerProcess<Load, LoadResult>("load-generator.ts");
  closers.push(generator.stop);
  const target: Target = {
    ...{ port, chainId: chain.chainId, accessToken: "", holders, needsSignatures: true },
    takeUnusedKeys: keySeries(unusedKeys),
  };

  async function measure({
    work: { operation, prepare },
    instances,
    requests,
    seconds,
  }: {
    work: Work;
    instances: number;
    requests: number;
    seconds: number;
  }): Promise<InstanceRound> {
    const asked = servers.slice(0, instances);
    await proxy.ask({ order: "serve", ports: asked.map((server) => server.port) });
    const prepared = await prepare({ target, requests, generateLoad: generator.ask });
    const readCpu = () => ({
      servers: sum(asked.map(({ pid }) => findProcessCpuMicros(pid))),
      proxy: findProcessCpuMicros(proxy.pid),
      database: findFamilyCpuMicros(databasePid),
    });
    const before = readCpu();
    const { bodies: _, ...result } = await generator.ask({
      port,
      ...prepared,
      connections,
      maxSeconds: seconds,
    });
    const after = readCpu();
    const shares = await proxy.ask({ order: "count" });
    if ("answered" in shares) requireEvenShares(shares.answered);
    const spent = (who: keyof typeof before) =>
      before[who] === null || after[who] === null ? null : after[who] - before[who];
    const cpuMicros = { servers: spent("servers"), proxy: spent("proxy"), database: spent("database") };
    return { operation, instances, ...result, cpuMicros };
  }
  return { size: servers.length, measure };
}

function sum(values: readonly (number | null)[]): number | null {
  return values.reduce((total, value) => (total === null || value === null ? null : total + value), 0);
}
