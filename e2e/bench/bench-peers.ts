import { writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { TestChain } from "~e2e/support/chain/chain";
import { demoContent } from "~e2e/support/demo-content";
import type { CountingProxy } from "./counting-proxy";
import type { Holder, Side, SideName, Target } from "./costs/operation";
import type { FixedAnswer } from "./fixed-answers";
import type { AiSdkOrder } from "./peers/ai-sdk-server";
import type { PluginSetup } from "./peers/better-auth-server";
import type { FilesSetup } from "./peers/express-files-server";
import type { FastifySetup } from "./peers/fastify-server";
import type { StatementsSetup } from "./peers/gate-statements";
import { startWorkerProcess } from "./worker-process";

export type NewTarget = (port: number, changes?: Partial<Target>) => Target;
/** What the real server said, for those who are to send the same bytes. */
export type RealAnswers = {
  accessToken: string;
  bodies: StatementsSetup["bodies"];
  fixed: readonly FixedAnswer[];
  speech: Buffer;
};
type Peer = {
  name: SideName;
  module: `peers/${"bare" | "fastify" | "better-auth" | "express-files" | "ai-sdk"}-server.ts`;
  setup: object;
  /** Beside what every target is like. */
  changes?: Partial<Target>;
  countRpcCalls?: () => number;
};
type PeersRequest = {
  dir: string;
  chain: TestChain;
  proxy: CountingProxy;
  holders: readonly Holder[];
  answers: RealAnswers;
  /** Of the model that everybody's chat asks. */
  modelUrl: string;
  newTarget: NewTarget;
  closers: (() => Promise<unknown>)[];
};

/** Starts everybody who is measured beside ours, each as a process of its own with data of its own. */
export async function openPeers(request: PeersRequest): Promise<[SideName, Side][]> {
  const { answers, newTarget, closers } = request;
  const sides: [SideName, Side][] = [];
  for (const { name, module, setup, changes, countRpcCalls } of await describePeers(request)) {
    const peer = startWorkerProcess<object, { port: number }>(module);
    closers.push(peer.stop);
    const { port } = await peer.ask(setup);
    const { accessToken } = answers;
    const target = newTarget(port, { accessToken, needsSignatures: false, ...changes });
    sides.push([name, { target, pid: peer.pid, countRpcCalls }]);
  }
  return sides;
}

async function describePeers({
  dir,
  chain,
  proxy,
  holders,
  answers,
  modelUrl,
}: PeersRequest): Promise<Peer[]> {
  const { bodies, fixed, speech } = answers;
  const contractAddress = chain.key.address;
  const { tokenId, address } = holders[0]!;
  const key = { chainId: chain.chainId, contractAddress, tokenId };
  const statements = (name: string): StatementsSetup => ({
    databaseUrl: pathToFileURL(path.join(dir, `${name}.db`)).href,
    key,
    holder: address,
    bodies,
  });
  const speechFile = path.join(dir, "speech.mp3");
  await writeFile(speechFile, speech);
  const plugin: PluginSetup = {
    databaseFile: path.join(dir, "better-auth.db"),
    rpcUrl: proxy.url,
    contractAddress,
    keys: Object.fromEntries(holders.map((holder) => [holder.address, holder.tokenId])),
  };
  return [
    { name: "bare Node", module: "peers/bare-server.ts", setup: statements("bare") },
    {
      name: "Fastify",
      module: "peers/fastify-server.ts",
      setup: { ...statements("fastify"), fixed } satisfies FastifySetup,
    },
    {
      name: "better-auth",
      module: "peers/better-auth-server.ts",
      setup: plugin,
      changes: { needsSignatures: true },
      countRpcCalls: proxy.countCalls,
    },
    {
      name: "Express",
      module: "peers/express-files-server.ts",
      setup: { folder: demoContent, speechFile } satisfies FilesSetup,
    },
    {
      name: "AI SDK",
      module: "peers/ai-sdk-server.ts",
      setup: { order: "start", baseUrl: modelUrl } satisfies AiSdkOrder,
    },
  ];
}
