import { startTestChain } from "~e2e/support/chain/chain";
import { startServer } from "~e2e/support/running-server";
import type { RunningServer } from "~e2e/support/running-server";
import { startPostgresql } from "../../../prisma/shadow-databases.mjs";
import { grantKeys, keySeries, mintKeys } from "../bench-keys";
import { benchSettings } from "../bench-site";
import type { Load, LoadResult } from "../load-generator";
import type { GenerateLoad } from "../measure";
import type { Prepare, Target } from "../costs/operation";
import { findFamilyCpuMicros, findProcessCpuMicros } from "../process-cpu";
import { startWorkerProcess } from "../worker-process";
import type { WorkerProcess } from "../worker-process";
import { requireEvenShares } from "./instance-table";
import type { InstanceRound } from "./instance-table";
import { findPostmasterPid } from "./postmaster";
import type { ProxyAnswer, ProxyOrder } from "./round-robin-process";

export type InstanceWork = { operation: string; prepare: Prepare };
export type InstanceSite = {
  target: Target;
  servers: readonly RunningServer[];
  proxy: WorkerProcess<ProxyOrder, ProxyAnswer>;
  databasePid: number;
  generateLoad: GenerateLoad;
};

/** As many as are sent by the load at one time. */
export const connections = 16;
const unusedKeys = { firstTokenId: 1_000_000, count: 10_000 };

/** Instances on one PostgreSQL behind a proxy, and keys for their clients. */
export async function openInstanceSite(
  instances: number,
  closers: (() => Promise<unknown>)[],
): Promise<InstanceSite> {
  const chain = await startTestChain();
  closers.push(chain.stop);
  const holders = await mintKeys(chain);
  await grantKeys({ chain, ...unusedKeys });
  const postgresql = await startPostgresql();
  closers.push(() => postgresql.stop());
  const databaseUrl = await postgresql.createDatabase();
  const proxy = startWorkerProcess<ProxyOrder, ProxyAnswer>("scale/round-robin-process.ts");
  closers.push(proxy.stop);
  const listening = await proxy.ask({ order: "listen" });
  if (!("port" in listening)) throw new Error("The proxy did not listen.");
  const { port } = listening;
  const env = {
    RPC_URL: chain.rpcUrl,
    KEY_CONTRACT_ADDRESS: chain.key.address,
    DATABASE_URL: databaseUrl,
    NEXT_PUBLIC_DOMAIN: `localhost:${port}`,
    PUBLIC_ORIGIN: `http://localhost:${port}`,
    TRUST_PROXY: "loopback",
    ...benchSettings,
  };
  const servers: RunningServer[] = [];
  for (let index = 0; index < instances; index += 1) {
    const server = await startServer({ env });
    closers.push(server.stop);
    servers.push(server);
  }
  const generator = startWorkerProcess<Load, LoadResult>("load-generator.ts");
  closers.push(generator.stop);
  const target: Target = {
    port,
    chainId: chain.chainId,
    accessToken: "",
    operatorCookie: "",
    holders,
    needsSignatures: true,
    takeUnusedKeys: keySeries(unusedKeys),
  };
  const databasePid = await findPostmasterPid(databaseUrl);
  return { target, servers, proxy, databasePid, generateLoad: generator.ask };
}

type MeasureInstancesOptions = {
  site: InstanceSite;
  work: InstanceWork;
  instances: number;
  requests: number;
  maxSeconds: number;
};

/** One round at so many of the instances. What the others do meanwhile, which is little, counts for nobody. */
export async function measureInstances({
  site: { target, servers, proxy, databasePid, generateLoad },
  work: { operation, prepare },
  instances,
  requests,
  maxSeconds,
}: MeasureInstancesOptions): Promise<InstanceRound> {
  const serving = servers.slice(0, instances);
  await proxy.ask({ order: "serve", ports: serving.map(({ port }) => port) });
  const prepared = await prepare({ target, requests, generateLoad });
  const readCpu = () => ({
    servers: sum(serving.map(({ pid }) => findProcessCpuMicros(pid))),
    proxy: findProcessCpuMicros(proxy.pid),
    database: findFamilyCpuMicros(databasePid),
  });
  const before = readCpu();
  const { port } = target;
  const { bodies: _, ...result } = await generateLoad({ port, ...prepared, connections, maxSeconds });
  const after = readCpu();
  const shares = await proxy.ask({ order: "count" });
  if ("answered" in shares) requireEvenShares(shares.answered);
  const spent = (who: keyof typeof before) =>
    before[who] === null || after[who] === null ? null : after[who] - before[who];
  const cpuMicros = { servers: spent("servers"), proxy: spent("proxy"), database: spent("database") };
  return { operation, instances, ...result, cpuMicros };
}

function sum(values: readonly (number | null)[]): number | null {
  return values.reduce((total, value) => (total === null || value === null ? null : total + value), 0);
}
