import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { startTestChain } from "~e2e/support/chain/chain";
import { listChildren, waitUntil } from "~e2e/support/processes";
import { startServer } from "~e2e/support/running-server";
import { mintKeys } from "../bench-keys";
import { benchSettings } from "../bench-site";
import type { Operation, Target } from "../costs/operation";
import type { Load, LoadResult } from "../load-generator";
import type { GenerateLoad } from "../measure";
import type { BareSetup } from "../peers/bare-server";
import { findThreadsCpuMicros } from "../process-cpu";
import { signInOnce } from "../sign-in";
import { startWorkerProcess } from "../worker-process";
import type { WorkerRound, WorkerVariant } from "./worker-table";

type Side = "Latchkey" | "bare Node";
/** So many processes of one side on one port, with a database of their own. `pid`: of the one that started the others. */
type Family = { side: Side; workers: number; pid: number; target: Target; readLog?: () => string };
export type WorkerSite = { families: readonly Family[]; generateLoad: GenerateLoad };

const maxSeconds = 60;
/** It opens when the last of its workers is ready. */
const startLimitMs = 120_000;

/** Each number of workers, of ours and of Node's own cluster, all running and asked in turns. */
export async function openWorkerSite(
  counts: readonly number[],
  closers: (() => Promise<unknown>)[],
): Promise<WorkerSite> {
  const chain = await startTestChain();
  closers.push(chain.stop);
  const holders = await mintKeys(chain);
  const generator = startWorkerProcess<Load, LoadResult>("load-generator.ts");
  closers.push(generator.stop);
  const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-workers-"));
  closers.push(() => rm(dir, { recursive: true, force: true }));
  const { chainId, key } = chain;
  const [holder] = holders as [(typeof holders)[0]];
  const newTarget = (port: number, accessToken = ""): Target => ({
    port,
    chainId,
    accessToken,
    operatorCookie: "",
    holders,
    needsSignatures: true,
    takeUnusedKeys: () => [],
  });
  const families: Family[] = [];
  let granted = "";
  for (const workers of counts) {
    const env = { RPC_URL: chain.rpcUrl, KEY_CONTRACT_ADDRESS: key.address, ...benchSettings };
    const server = await startServer({ env: { ...env, WORKERS: String(workers) }, startLimitMs });
    closers.push(server.stop);
    const { accessToken } = (await signInOnce(newTarget(server.port), holder)).answer;
    granted = await readGrant(server.port, accessToken);
    families.push({
      side: "Latchkey",
      workers,
      pid: server.pid,
      target: newTarget(server.port, accessToken),
      readLog: server.output,
    });
  }
  for (const workers of counts) {
    const bare = startWorkerProcess<BareSetup, { port: number }>("peers/bare-server.ts");
    closers.push(bare.stop);
    const { port } = await bare.ask({
      workers,
      databaseUrl: pathToFileURL(path.join(dir, `bare-${workers}.db`)).href,
      key: { chainId, contractAddress: key.address, tokenId: holder.tokenId },
      holder: holder.address,
      bodies: { signIn: "", bearer: granted, session: "" },
    });
    families.push({ side: "bare Node", workers, pid: bare.pid, target: newTarget(port, "any") });
  }
  return { families, generateLoad: generator.ask };
}

/** What the real server answers to a token, for the other side to send the same bytes. */
async function readGrant(port: number, accessToken: string): Promise<string> {
  const headers = { Authorization: `Bearer ${accessToken}` };
  const answer = await fetch(`http://localhost:${port}/api/gate-access`, { method: "POST", headers });
  return await answer.text();
}

type MeasureWorkersOptions = {
  site: WorkerSite;
  operation: Operation;
  variant: WorkerVariant & { side: Side };
  requests: number;
};

export async function measureWorkers({
  site: { families, generateLoad },
  operation,
  variant,
  requests,
}: MeasureWorkersOptions): Promise<WorkerRound> {
  const { side, workers, connections, isPinned } = variant;
  const { pid, target } = families.find((each) => each.side === side && each.workers === workers)!;
  const children = listChildren(pid);
  const prepared = await operation.sides[side]!({ target, requests, generateLoad });
  const cores = os.cpus().map((_, index) => index);
  // One worker is the process itself.
  const serving = workers === 1 ? [pid] : children;
  if (isPinned) serving.forEach((each, index) => pin(each, [cores[index % cores.length]!]));
  try {
    const pids = [pid, ...children];
    const before = pids.map(findThreadsCpuMicros);
    const { requests: answered, seconds } = await generateLoad({
      port: target.port,
      ...prepared,
      connections,
      maxSeconds,
    });
    const spent = pids.map((each, index) => {
      const [from, to] = [before[index] ?? null, findThreadsCpuMicros(each)];
      return from === null || to === null ? null : to - from;
    });
    const cpuMicros = spent.reduce((sum, each) => (sum === null || each === null ? null : sum + each), 0);
    const busiestShare = cpuMicros === null ? null : Math.max(...spent.map(Number)) / cpuMicros;
    return { operation: operation.name, ...variant, requests: answered, seconds, cpuMicros, busiestShare };
  } finally {
    if (isPinned) for (const each of serving) pin(each, cores);
  }
}

/** Milliseconds from the death of one of two workers until another is ready in its place, as the supervisor tells it. */
export async function measureReplacement({ families }: WorkerSite): Promise<number> {
  const { pid, readLog } = families.find(({ side, workers }) => side === "Latchkey" && workers === 2)!;
  const countReplaced = () => readLog!().split('"worker replaced"').length;
  const before = countReplaced();
  const killedAtMs = performance.now();
  process.kill(listChildren(pid)[0]!, "SIGKILL");
  await waitUntil(() => countReplaced() > before, { everyMs: 2 });
  return performance.now() - killedAtMs;
}

/** All threads of a process. Where there is no `taskset` pinned rounds cannot be measured, and the run says so. */
function pin(pid: number, cores: readonly number[]): void {
  execFileSync("taskset", ["--all-tasks", "--cpu-list", "--pid", cores.join(), String(pid)], {
    stdio: "ignore",
  });
}
