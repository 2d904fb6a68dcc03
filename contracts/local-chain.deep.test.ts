import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createPublicClient, createWalletClient, http } from "viem";
import type { Hex } from "viem";
import { afterEach, expect, test } from "vitest";
import { isAlive, waitUntil } from "~e2e/support/processes";
import { getAnvilBinary } from "./anvil-binary.mjs";
import { deployKeyContract, developmentAccount, startLocalChain } from "./local-chain.mjs";

type Started = Awaited<ReturnType<typeof startLocalChain>>;

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(options: Parameters<typeof startLocalChain>[0] = {}): Promise<Started> {
  const chain = await startLocalChain(options);
  cleanups.push(() => chain.stop());
  return chain;
}

function makeStateFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-chain-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "chain.json");
}

async function mint(rpcUrl: string, address: Hex): Promise<void> {
  const { account } = developmentAccount(1);
  const { abi } = await deployKeyContract({ rpcUrl });
  const wallet = createWalletClient({ account, transport: http(rpcUrl) });
  const hash = await wallet.writeContract({ address, abi, functionName: "mint", chain: null });
  const client = createPublicClient({ transport: http(rpcUrl), pollingInterval: 20 });
  expect((await client.waitForTransactionReceipt({ hash })).status).toBe("success");
}

async function countKeys(rpcUrl: string, address: Hex): Promise<unknown> {
  const { abi } = await deployKeyContract({ rpcUrl });
  return await createPublicClient({ transport: http(rpcUrl) }).readContract({
    address,
    abi,
    functionName: "totalSupply",
  });
}

/** A program that starts a chain, prints its address, and runs until it is killed. */
async function startProgramWithChain(stateFile: string): Promise<{ kill: () => void; chain: Started }> {
  const localChainUrl = new URL("./local-chain.mjs", import.meta.url).href;
  const source = `
    const { startLocalChain } = await import(${JSON.stringify(localChainUrl)});
    const chain = await startLocalChain({ stateFile: ${JSON.stringify(stateFile)} });
    console.log(JSON.stringify(chain));
    setInterval(() => {}, 1000);`;
  const program = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  cleanups.push(() => void program.kill("SIGKILL"));
  const [line] = (await once(createInterface({ input: program.stdout }), "line")) as [string];
  return { kill: () => program.kill("SIGKILL"), chain: JSON.parse(line) as Started };
}

test("a chain starts on a free loopback port with the requested chain id, and ends when stopped", async () => {
  const chain = await start({ chainId: 4242 });

  expect(await createPublicClient({ transport: http(chain.rpcUrl) }).getChainId()).toBe(4242);
  expect(new URL(chain.rpcUrl).hostname).toBe("127.0.0.1");
  await chain.stop();
  expect(isAlive(chain.pid)).toBe(false);
  expect(isAlive(chain.guardPid)).toBe(false);
});

test("several chains run beside each other", async () => {
  const chains = await Promise.all([start(), start(), start()]);

  expect(new Set(chains.map((chain) => chain.port)).size).toBe(3);
});

test("a chain with a block time makes blocks by itself", async () => {
  const { rpcUrl } = await start({ blockTimeSeconds: 1 });
  const client = createPublicClient({ transport: http(rpcUrl), cacheTime: 0 });

  await waitUntil(async () => (await client.getBlockNumber()) >= 2n);
});

test("the chain ends and keeps its state when the program that started it is killed", async () => {
  const stateFile = makeStateFile();
  const program = await startProgramWithChain(stateFile);
  const { address } = await deployKeyContract({ rpcUrl: program.chain.rpcUrl });
  await mint(program.chain.rpcUrl, address);

  program.kill();
  await waitUntil(() => !isAlive(program.chain.pid) && !isAlive(program.chain.guardPid));

  const again = await start({ stateFile });
  const redeployed = await deployKeyContract({ rpcUrl: again.rpcUrl });
  expect(redeployed).toMatchObject({ address, isNew: false });
  expect(await countKeys(again.rpcUrl, address)).toBe(1n);
});

test("the chain ends too when its guard is killed", async () => {
  const chain = await start();

  process.kill(chain.guardPid, "SIGKILL");
  await chain.ended;
  await waitUntil(() => !isAlive(chain.pid));
});

test("state saved at intervals survives when chain and guard are killed at once", async () => {
  const stateFile = makeStateFile();
  const chain = await start({ stateFile });
  const { address } = await deployKeyContract({ rpcUrl: chain.rpcUrl });
  await mint(chain.rpcUrl, address);
  const code = (await createPublicClient({ transport: http(chain.rpcUrl) }).getCode({ address })) ?? "?";
  await waitUntil(() => {
    const text = readdirSync(join(stateFile, "..")).includes("chain.json") && readFileSync(stateFile, "utf8");
    return Boolean(text && text.includes(code.slice(2)) && text.includes(`"best_block_number":2`));
  });

  process.kill(chain.guardPid, "SIGKILL");
  process.kill(chain.pid, "SIGKILL");
  await waitUntil(() => !isAlive(chain.pid));

  const again = await start({ stateFile });
  expect(again.brokenStateFile).toBeNull();
  expect(await countKeys(again.rpcUrl, address)).toBe(1n);
});

test.each([
  ["half a file", '{"block":{"number":"0x1"'],
  ["an empty file", ""],
  ["JSON that is no state", '{"hello":1}'],
  ["a state the chain itself refuses", '{"block":7,"accounts":"none"}'],
])(
  "%s in place of the state is set aside and logged, and the chain starts from its beginning",
  async (_what, text) => {
    const stateFile = makeStateFile();
    writeFileSync(stateFile, text);
    const said: string[] = [];

    const chain = await start({ stateFile, log: (message) => said.push(message) });

    expect(await createPublicClient({ transport: http(chain.rpcUrl) }).getBlockNumber()).toBe(0n);
    expect(chain.brokenStateFile).toMatch(/chain\.json\.broken-/);
    expect(readFileSync(chain.brokenStateFile ?? "", "utf8")).toBe(text);
    expect(said).toEqual([expect.stringContaining(chain.brokenStateFile ?? "?")]);
    await chain.stop();
    expect((await start({ stateFile })).brokenStateFile).toBeNull();
  },
);

test("a port that is taken is named in the error", async () => {
  const { port } = await start();

  await expect(startLocalChain({ port })).rejects.toThrow(`Another program listens on port ${port}`);
});

test("a platform without a chain is told apart from a chain that is not installed", () => {
  expect(() => getAnvilBinary({ platform: "aix", arch: "ppc64" })).toThrow(
    "There is no local chain for aix on ppc64",
  );
  expect(() => getAnvilBinary({ platform: "darwin", arch: "arm64" })).toThrow(
    "npm install --no-save @foundry-rs/anvil-darwin-arm64@",
  );
});

test("the key contract is found again on the same terms, and deployed again on other terms", async () => {
  const { rpcUrl } = await start();
  const first = await deployKeyContract({ rpcUrl });

  expect(first.isNew).toBe(true);
  expect(await deployKeyContract({ rpcUrl })).toMatchObject({ address: first.address, isNew: false });
  const lasting = await deployKeyContract({ rpcUrl, keyDurationSeconds: 3600 });
  const second = await deployKeyContract({ rpcUrl, salt: "second" });
  expect(new Set([first.address, lasting.address, second.address]).size).toBe(3);
});

test("two programs that deploy at the same moment get the same contract", async () => {
  const { rpcUrl } = await start();

  const [one, other] = await Promise.all([deployKeyContract({ rpcUrl }), deployKeyContract({ rpcUrl })]);

  expect(one.address).toBe(other.address);
});
