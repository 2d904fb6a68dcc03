import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import secp256k1 from "secp256k1";
import { bytesToHex, hashMessage, hexToBytes } from "viem";
import type { Hex } from "viem";
import { startTestChain } from "~/testing/chain";
import { startServer } from "~/testing/running-server";
import type { RunningServer } from "~/testing/running-server";
import { developmentAccount } from "../../../contracts/local-chain.mjs";
import type { BareSetup } from "./bare-server";
import { startCountingProxy } from "./counting-proxy";
import type { Load, LoadResult } from "./load-generator";
import { originOf, signInBody } from "./operations";
import type { Holder, Target } from "./operations";
import { startWorkerProcess } from "./worker-process";

export type Side = { target: Target; pid: number };
export type BenchPlace = Awaited<ReturnType<typeof openBenchPlace>>;

const wallets = 10;
const keysPerWallet = 4;

/** Limits would end the run; the watcher's polls would be counted with the requests' own calls to the chain. */
const benchSettings = {
  RATE_LIMIT_NONCE: "0",
  RATE_LIMIT_GATE_ACCESS: "0",
  RATE_LIMIT_TOKEN_STATUS: "0",
  CHAIN_POLL_SECONDS: "300",
};

/** Everything a run needs, each part a process of its own, on loopback, with data that is removed afterwards. */
export async function openBenchPlace({ nodeOptions }: { nodeOptions?: readonly string[] } = {}) {
  const closers: (() => Promise<unknown>)[] = [];
  async function close(): Promise<void> {
    for (const closeOne of closers.splice(0).reverse()) await closeOne();
  }
  try {
    const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-bench-"));
    closers.push(() => rm(dir, { recursive: true, force: true }));
    const chain = await startTestChain();
    closers.push(chain.stop);
    const holders = await mintKeys(chain);
    const proxy = await startCountingProxy({ upstreamUrl: chain.rpcUrl });
    closers.push(proxy.stop);

    const env = {
      RPC_URL: proxy.url,
      KEY_CONTRACT_ADDRESS: chain.key.address,
      NODE_ENV: "production",
      ...benchSettings,
    };
    const start = (): Promise<RunningServer> => startServer({ env });
    const server = await startServer({ env, nodeOptions });
    closers.push(server.stop);
    const generator = startWorkerProcess<Load, LoadResult>("load-generator.ts");
    closers.push(generator.stop);
    const { chainId } = chain;
    const given = { port: server.port, chainId, accessToken: "", holders, needsSignatures: true };
    const bodies = await readBodies(given);
    const ours: Target = { ...given, accessToken: bodies.accessToken };

    const bareServer = startWorkerProcess<BareSetup, { port: number }>("bare-server.ts");
    closers.push(bareServer.stop);
    const { tokenId, address } = holders[0]!;
    const { port } = await bareServer.ask({
      databaseUrl: pathToFileURL(path.join(dir, "bare.db")).href,
      key: { chainId, contractAddress: chain.key.address, tokenId },
      holder: address,
      bodies,
    });
    return {
      ours: { target: ours, pid: server.pid },
      bare: { target: { ...ours, port, needsSignatures: false }, pid: bareServer.pid },
      generateLoad: generator.ask,
      countRpcCalls: proxy.countCalls,
      startAnother: start,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function mintKeys(chain: Awaited<ReturnType<typeof startTestChain>>): Promise<Holder[]> {
  const holders: Holder[] = [];
  for (let index = 0; index < wallets * keysPerWallet; index++) {
    const { address, privateKey } = developmentAccount(index % wallets);
    const tokenId = await chain.mintKey(index % wallets);
    holders.push({ tokenId, address, sign: (message) => signMessage({ message, privateKey }) });
  }
  return holders;
}

/** Some thousand signatures are made for a run, which takes the native library a fraction of a second. */
function signMessage({ message, privateKey }: { message: string; privateKey: Hex }): Hex {
  const { signature, recid } = secp256k1.ecdsaSign(hashMessage(message, "bytes"), hexToBytes(privateKey));
  return `${bytesToHex(signature)}${(recid + 27).toString(16)}`;
}

/** One sign-in and one Bearer call, whose answers the bare handler is then given to send as they are. */
async function readBodies(target: Target) {
  const url = `${originOf(target)}/api/gate-access`;
  const { nonce } = JSON.parse(await readAnswer(await fetch(`${originOf(target)}/api/nonce`))) as {
    nonce: string;
  };
  const body = signInBody({ target, holder: target.holders[0]!, nonce });
  const headers = { "Content-Type": "application/json" };
  const signedIn = await readAnswer(await fetch(url, { method: "POST", headers, body }));
  const { accessToken } = JSON.parse(signedIn) as { accessToken: string };
  const bearer = await readAnswer(
    await fetch(url, { method: "POST", headers: { Authorization: `Bearer ${accessToken}` } }),
  );
  return { signIn: signedIn, bearer, accessToken };
}

async function readAnswer(answer: Response): Promise<string> {
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`The gate answered ${answer.status}: ${text}`);
  return text;
}
