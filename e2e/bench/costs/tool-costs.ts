import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { startTestChain } from "~e2e/support/chain/chain";
import { demoContent } from "~e2e/support/demo-content";
import { startServer } from "~e2e/support/running-server";
import { grantKeys, keySeries } from "../bench-keys";
import { benchSettings } from "../bench-site";
import type { BenchOptions, BenchResult } from "../bench-options";
import { withClosers } from "../close-on-signals";
import { startCountingProxy } from "../counting-proxy";
import type { Load, LoadResult } from "../load-generator";
import type { Side, SideName, Target } from "./operation";
import { measureAll } from "./operation-costs";
import type { OperationFigures } from "../operation-table";
import type { SdkSetup } from "../peers/sdk-tools-server";
import { readAnswer, signInOnce } from "../sign-in";
import { toolOperations } from "./tool-operations";
import { startWorkerProcess } from "../worker-process";

/** Enough keys for a run that uses one up with each call. */
const keys = { firstTokenId: 1_000_000, count: 8000 };
const askingHolders = 10;

/** The tools of the built server and of the official SDK's, in turn. */
export async function benchTools({ rounds, scale }: BenchOptions): Promise<BenchResult<OperationFigures>> {
  return await withClosers(async (closers) => {
    const sides = await openSides(closers);
    const generator = startWorkerProcess<Load, LoadResult>("load-generator.ts");
    closers.push(generator.stop);
    const getSide = (name: SideName) => sides[name]!;
    const site = { getSide, generateLoad: generator.ask };
    return await measureAll({ site, operations: toolOperations, rounds, scale });
  });
}

async function openSides(closers: (() => Promise<unknown>)[]): Promise<Partial<Record<SideName, Side>>> {
  const chain = await startTestChain();
  closers.push(chain.stop);
  await grantKeys({ chain, ...keys });
  const proxy = await startCountingProxy(chain.rpcUrl);
  closers.push(proxy.stop);
  const chainSettings = { RPC_URL: proxy.url, KEY_CONTRACT_ADDRESS: chain.key.address };
  const server = await startServer({ env: { ...chainSettings, ...benchSettings } });
  closers.push(server.stop);
  const dataDir = await mkdtemp(path.join(os.tmpdir(), "latchkey-sdk-tools-"));
  closers.push(() => rm(dataDir, { recursive: true, force: true }));
  const sdk = startWorkerProcess<SdkSetup, { port: number }>("peers/sdk-tools-server.ts");
  closers.push(sdk.stop);

  const takeUnusedKeys = keySeries(keys);
  const holders = takeUnusedKeys(askingHolders);
  const target: Target = {
    port: server.port,
    chainId: chain.chainId,
    accessToken: "",
    operatorCookie: "",
    holders,
    takeUnusedKeys,
    needsSignatures: true,
  };
  const { accessToken } = (await signInOnce(target)).answer;
  const { tokenId, address } = holders[0]!;
  const { port } = await sdk.ask({
    tools: await readTools(server.origin),
    contentDir: demoContent,
    dataDir,
    key: { chainId: chain.chainId, contractAddress: chain.key.address, tokenId },
    holder: address,
    gatedText: await readGatedText({ origin: server.origin, accessToken }),
  });
  return {
    Latchkey: { target: { ...target, accessToken }, pid: server.pid, countRpcCalls: proxy.countCalls },
    "MCP SDK": { target: { ...target, port, needsSignatures: false }, pid: sdk.pid },
  };
}

async function readTools(origin: string): Promise<SdkSetup["tools"]> {
  return (await askTools<{ tools: SdkSetup["tools"] }>({ origin, method: "tools/list" })).tools;
}

/** What the SDK's server is to say to a holder as well. */
async function readGatedText(request: { origin: string; accessToken: string }): Promise<string> {
  const params = { name: "get_gated_content", arguments: {} };
  const { content } = await askTools<{ content: [{ text: string }] }>({
    ...request,
    method: "tools/call",
    params,
  });
  return content[0].text;
}

async function askTools<Result>({
  origin,
  accessToken,
  ...body
}: {
  origin: string;
  accessToken?: string;
  method: string;
  params?: object;
}): Promise<Result> {
  const authorization: Record<string, string> =
    accessToken === undefined ? {} : { Authorization: `Bearer ${accessToken}` };
  const response = await fetch(`${origin}/api/mcp`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...authorization },
    body: JSON.stringify(body),
  });
  return (JSON.parse(await readAnswer(response)) as { result: Result }).result;
}
