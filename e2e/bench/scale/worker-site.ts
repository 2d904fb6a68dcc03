import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { startTestChain } from "~e2e/support/chain/chain";
import { listChildren } from "~e2e/support/processes";
import { startServer } from "~e2e/support/running-server";
import { mintKeys } from "../bench-keys";
import { benchSettings } from "../bench-site";
import type { Operation, Prepared, Target } from "../costs/operation";
import { ownSide } from "../figures";
import type { Load, LoadResult } from "../load-generator";
import type { GenerateLoad } from "../measure";
import type { BareSetup } from "../peers/bare-server";
import { findThreadsCpuMicros } from "../process-cpu";
import { signInOnce } from "../sign-in";
import { startWorkerProcess } from "../worker-process";
import { apartSide } from "./worker-table";
import type { WorkerRound, WorkerVariant } from "./worker-table";

/** The last: servers that share nothing but the machine, each with a port, a database and a log of its own. */
type Side = typeof ownSide | "bare Node" | typeof apartSide;
type Started = { pid: number; target: Target };
/** So many processes of one side, each a server with a target of its own, or all started by the one that has it. */
type Family = {
  side: Side;
  workers: number;
  started: readonly Started[];
  stdout?: Readable;
};
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
  async function startOwn(workers: number) {
    const env = { RPC_URL: chain.rpcUrl, KEY_CONTRACT_ADDRESS: key.address, ...benchSettings };
    const server = await startServer({ env: { ...env, WORKERS: String(workers) }, startLimitMs });
    closers.push(server.stop);
    const { accessToken } = (await signInOnce(newTarget(server.port), holder)).answer;
    granted = await readGrant(server.port, accessToken);
    const started = { pid: server.pid, target: newTarget(server.port, accessToken) };
    return { started, stdout: server.child.stdout! };
  }
  for (const workers of counts) {
    const { started, stdout } = await startOwn(workers);
    families.push({ side: ownSide, workers, started: [started], stdout });
  }
  const apart: Started[] = [];
  const most = Math.max(...counts);
  while (apart.length < most) apart.push((await startOwn(1)).started);
  families.push({ side: apartSide, workers: most, started: apart });
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
    const started = [{ pid: bare.pid, target: newTarget(port, "any") }];
    families.push({ side: "bare Node", workers, started });
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
  const { started } = families.find((each) => each.side === side && each.workers === workers)!;
  const own = started.map(({ pid }) => pid);
  const children = own.flatMap(listChildren);
  const prepare = operation.sides[side === apartSide ? ownSide : side]!;
  const prepared: Prepared[] = [];
  for (const { target } of started) prepared.push(await prepare({ target, requests, generateLoad }));
  const cores = os.cpus().map((_, index) => index);
  // One that has started no others serves itself.
  const serving = own.length === workers ? own : children;
  if (isPinned) serving.forEach((each, index) => pin(each, [cores[index % cores.length]!]));
  try {
    const pids = [...own, ...children];
    const before = pids.map(findThreadsCpuMicros);
    const { requests: answered, seconds } = await generateLoad({
      ...prepared[0]!,
      port: started.map(({ target }) => target.port),
      requests: prepared.map((each) => each.requests[0]!),
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
  const { started, stdout } = families.find(({ side, workers }) => side === ownSide && workers === 2)!;
  const replaced = new Promise<void>((resolve) => {
    stdout!.on("data", function look(lines: Buffer) {
      if (!lines.includes('"worker replaced"')) return;
      stdout!.off("data", look);
      resolve();
    });
  });
  const killedAtMs = performance.now();
  process.kill(listChildren(started[0]!.pid)[0]!, "SIGKILL");
  await replaced;
  return performance.now() - killedAtMs;
}

/** All threads of a process. Where there is no `taskset` pinned rounds cannot be measured, and the run says so. */
function pin(pid: number, cores: readonly number[]): void {
  execFileSync("taskset", ["--all-tasks", "--cpu-list", "--pid", cores.join(), String(pid)], {
    stdio: "ignore",
  });
}
