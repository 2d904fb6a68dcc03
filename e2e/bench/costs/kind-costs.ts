import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { startTestChain } from "~e2e/support/chain/chain";
import type { TestChain } from "~e2e/support/chain/chain";
import { deployCoin, mintCoins } from "~e2e/support/chain/key-kinds";
import { startServer } from "~e2e/support/running-server";
import { mintKeys } from "../bench-keys";
import { benchSettings } from "../bench-site";
import type { BenchOptions, BenchResult } from "../bench-options";
import { withClosers } from "../close-on-signals";
import { startCountingProxy } from "../counting-proxy";
import type { Load, LoadResult } from "../load-generator";
import { measureAll } from "./operation-costs";
import type { Operation, Side, Target } from "./operation";
import type { OperationFigures } from "../operation-table";
import { bearer } from "./operations";
import { prepareSignIns, signInOnce } from "../sign-in";
import { startWorkerProcess } from "../worker-process";

type Closers = (() => Promise<unknown>)[];

const leavesOfChain = 10;
const kind = `a key and ${2 * leavesOfChain} leaves on two chains`;

const kindOperations: readonly Operation[] = [
  {
    name: `SIWE, ${kind}`,
    slug: "siwe-of-a-kind",
    requests: 800,
    warmUpRequests: 3000,
    aims: { rpcCallsPerRequest: 2 },
    sides: { Latchkey: prepareSignIns, "one contract": prepareSignIns },
  },
  {
    name: `Bearer, ${kind}`,
    slug: "bearer-of-a-kind",
    requests: 2500,
    warmUpRequests: 5000,
    aims: {},
    sides: { Latchkey: bearer, "one contract": bearer },
  },
];

/** A kind that asks much beside the older settings, which ask for a key alone. */
export async function benchKinds({ rounds, scale }: BenchOptions): Promise<BenchResult<OperationFigures>> {
  return await withClosers(async (closers) => {
    const site = await openKindsSite(closers);
    return await measureAll({ site, operations: kindOperations, rounds, scale });
  });
}

/** Two servers with the same keys on the first of two chains. Calls are counted on both. */
export async function openKindsSite(closers: Closers) {
  const chains = await Promise.all([31_337, 31_338].map((chainId) => startTestChain({ chainId })));
  closers.push(...chains.map((chain) => chain.stop));
  const [home] = chains as [TestChain, TestChain];
  const holders = await mintKeys(home);
  const leaves = (await Promise.all(chains.map((chain) => grantLeaves(chain, holders)))).flat();

  async function openSide(name: string, settingsOf: (urls: string[]) => Promise<object>): Promise<Side> {
    const proxies = await Promise.all(chains.map(({ rpcUrl }) => startCountingProxy(rpcUrl)));
    closers.push(...proxies.map((proxy) => proxy.stop));
    const settings = await settingsOf(proxies.map(({ url }) => url));
    const server = await startServer({ env: { ...benchSettings, ...settings } });
    closers.push(server.stop);
    const target: Target = {
      port: server.port,
      chainId: home.chainId,
      accessToken: "",
      operatorCookie: "",
      holders,
      takeUnusedKeys: () => {
        throw new Error(`No key is used up at ${name}.`);
      },
      needsSignatures: true,
    };
    const { accessToken } = (await signInOnce(target)).answer;
    return {
      target: { ...target, accessToken },
      pid: server.pid,
      countRpcCalls: () => proxies.reduce((calls, proxy) => calls + proxy.countCalls(), 0),
    };
  }

  const contract = home.key.address;
  const sides = new Map<string, Side>([
    [
      "Latchkey",
      await openSide("Latchkey", async ([first, second]) => ({
        CHAIN_ID: undefined,
        KEYS_FILE: await writeKeysFile(closers, contract, leaves),
        RPC_URL_31337: first,
        RPC_URL_31338: second,
      })),
    ],
    [
      "one contract",
      await openSide("one contract", async ([url]) => ({ RPC_URL: url, KEY_CONTRACT_ADDRESS: contract })),
    ],
  ]);
  const generator = startWorkerProcess<Load, LoadResult>("load-generator.ts");
  closers.push(generator.stop);
  return { getSide: (name: string) => sides.get(name)!, generateLoad: generator.ask, chains };
}

/** Coins and ether by turns, of which every wallet has enough. */
async function grantLeaves(chain: TestChain, holders: Target["holders"]): Promise<object[]> {
  const { chainId } = chain;
  const coin = await deployCoin(chain, 6);
  for (const address of new Set(holders.map((holder) => holder.address)))
    await mintCoins(chain, coin, { to: address, amount: BigInt(leavesOfChain) });
  return Array.from({ length: leavesOfChain }, (_, index) => {
    const asked = index % 2 === 0 ? { erc20: coin.address } : { native: true };
    return { ...asked, chainId, atLeast: String(index + 1) };
  });
}

async function writeKeysFile(closers: Closers, contract: string, leaves: object[]): Promise<string> {
  const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-kinds-"));
  closers.push(() => rm(dir, { recursive: true, force: true }));
  const file = path.join(dir, "keys.json");
  const founder = { name: "founder", title: "Founder's key", standard: "erc721", chainId: 31_337, contract };
  const keysFile = { chains: { 31337: {}, 31338: {} }, keys: [{ ...founder, also: { all: leaves } }] };
  await writeFile(file, JSON.stringify(keysFile));
  return file;
}
