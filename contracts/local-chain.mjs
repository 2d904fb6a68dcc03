import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeDeployData,
  getAddress,
  getContractAddress,
  http,
} from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { getAnvilBinary, LocalChainError } from "./anvil-binary.mjs";

const guardPath = fileURLToPath(new URL("./anvil-guard.mjs", import.meta.url));

const startWithinMs = 20_000;
const stopWithinMs = 8_000;
const deployWithinMs = 10_000;
const stateIntervalSeconds = 2;
/** The deployer of CREATE2 contracts that every anvil, and nearly every public chain, has at this address. */
const create2Deployer = getAddress(
  "0x4e59b44847b379578588920ca78fbf26c0b4956c",
); /** Published with every development chain: its accounts are worth nothing and belong to everybody. */
const developmentMnemonic = "test test test test test test test test test test test junk";

/**
 * @typedef {object} LocalChain
 * @property {string} rpcUrl
 * @property {number} port
 * @property {number} chainId
 * @property {number} pid the process of anvil itself
 * @property {number} guardPid the process that ends anvil when this one is gone
 * @property {string | null} brokenStateFile where an unreadable state file was moved to, if there was one
 * @property {Promise<void>} ended resolves when the chain has ended, for whatever reason
 * @property {() => Promise<void>} stop keeps the state, ends the chain and waits until it is gone
 */

/** @param {string} stateFile */
function isWholeState(stateFile) {
  try {
    const state = JSON.parse(readFileSync(stateFile, "utf8"));
    return typeof state === "object" && state !== null && "block" in state && "accounts" in state;
  } catch {
    return false;
  }
}

/** @param {string} stateFile */
function setAside(stateFile) {
  const brokenStateFile = `${stateFile}.broken-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
  renameSync(stateFile, brokenStateFile);
  return brokenStateFile;
}

/**
 * Starts a chain that listens on loopback only and ends with this process in any case.
 *
 * @param {object} [options]
 * @param {number} [options.port] default: a free one
 * @param {string} [options.stateFile] where the chain is kept between runs; without it, it is forgotten
 * @param {number} [options.chainId]
 * @param {number} [options.blockTimeSeconds] default: a block for each transaction, at once
 * @param {(message: string) => void} [options.log] is told what a person should know
 * @returns {Promise<LocalChain>}
 */
export async function startLocalChain({
  port = 0,
  stateFile,
  chainId = 31337,
  blockTimeSeconds,
  log = () => {},
} = {}) {
  const binary = getAnvilBinary();
  /** @type {string | null} */
  let brokenStateFile = null;
  if (stateFile) {
    mkdirSync(dirname(stateFile), { recursive: true });
    if (existsSync(stateFile) && !isWholeState(stateFile)) brokenStateFile = setAside(stateFile);
  }
  const options = { binary, port, stateFile, chainId, blockTimeSeconds, log };
  /** @type {Awaited<ReturnType<typeof startGuarded>>} */
  let chain;
  try {
    chain = await startGuarded(options);
  } catch (error) {
    const isRefusedState = /failed to parse|load.?state|deserializ/i.test(String(error));
    if (!stateFile || !existsSync(stateFile) || !isRefusedState) throw error;
    brokenStateFile = setAside(stateFile);
    chain = await startGuarded(options);
  }
  if (brokenStateFile) {
    log(
      `The kept state of the local chain could not be read. It is now at ${brokenStateFile}; the chain starts afresh.`,
    );
  }
  return { ...chain, rpcUrl: `http://127.0.0.1:${chain.port}`, chainId, brokenStateFile };
}

/**
 * @param {{ binary: string, port: number, stateFile: string | undefined, chainId: number,
 *   blockTimeSeconds: number | undefined, log: (message: string) => void }} options
 */
async function startGuarded({ binary, port, stateFile, chainId, blockTimeSeconds, log }) {
  const dumpFile = stateFile && `${stateFile}.dump`;
  const args = ["--host", "127.0.0.1", "--port", String(port), "--chain-id", String(chainId)];
  if (blockTimeSeconds !== undefined) args.push("--block-time", String(blockTimeSeconds));
  if (stateFile && dumpFile) {
    rmSync(dumpFile, { force: true });
    args.push("--dump-state", dumpFile, "--state-interval", String(stateIntervalSeconds));
    if (existsSync(stateFile)) args.push("--load-state", stateFile);
  }
  // The guard has its own process group, so Ctrl-C reaches only the program, which shuts its chain down.
  const guard = spawn(process.execPath, [guardPath, JSON.stringify({ binary, args, stateFile, dumpFile })], {
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
    windowsHide: true,
  });
  /** @type {Promise<void>} */
  const guardEnded = new Promise((resolve) => guard.once("close", () => resolve()));
  const anvil = await listening({ guard, guardEnded, port, log });
  guard.once("close", () => endIfAlive(anvil.pid));
  return {
    ...anvil,
    guardPid: /** @type {number} */ (guard.pid),
    ended: guardEnded,
    async stop() {
      guard.stdin.end();
      const lastResort = setTimeout(() => {
        endIfAlive(anvil.pid);
        guard.kill("SIGKILL");
      }, stopWithinMs);
      await guardEnded;
      clearTimeout(lastResort);
      if (dumpFile) rmSync(dumpFile, { force: true });
    },
  };
}

/** The guard ends anvil before itself. Only a killed guard leaves anvil running. */
function endIfAlive(/** @type {number} */ pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone already, as it should be.
  }
}

/**
 * @param {{ guard: import("node:child_process").ChildProcessByStdio<import("node:stream").Writable, import("node:stream").Readable, null>,
 *   guardEnded: Promise<void>, port: number, log: (message: string) => void }} options
 * @returns {Promise<{ port: number, pid: number }>}
 */
async function listening({ guard, guardEnded, port, log }) {
  return await new Promise((resolve, reject) => {
    let reason = "";
    const timer = setTimeout(() => {
      reason = `it did not listen within ${startWithinMs / 1000} seconds`;
      guard.stdin.end();
    }, startWithinMs);
    guard.once("error", (error) => (reason = error.message));
    // A guard that dies early closes its input. "close" reports the reason.
    guard.stdin.on("error", () => {});
    createInterface({ input: guard.stdout }).on("line", (line) => {
      const message = JSON.parse(line);
      if (message.event === "listening") {
        clearTimeout(timer);
        resolve({ port: message.port, pid: message.pid });
      } else if (message.event === "state-not-kept") {
        log(`The state of the local chain could not be kept: ${message.reason}`);
      } else {
        reason ||= message.reason ?? message.output ?? "";
      }
    });
    void guardEnded.then(() => {
      clearTimeout(timer);
      const advice = /in use/i.test(reason)
        ? ` Another program listens on port ${port}; choose another one.`
        : "";
      reject(
        new LocalChainError(`The local chain did not start: ${reason || "no reason was given"}.${advice}`),
      );
    });
  });
}

/** Deriving one takes some ten milliseconds. @type {Map<number, ReturnType<typeof deriveAccount>>} */
const developmentAccounts = new Map();

/** @param {number} index */
function deriveAccount(index) {
  const account = mnemonicToAccount(developmentMnemonic, { addressIndex: index });
  const privateKey = account.getHdKey().privateKey;
  if (!privateKey) throw new LocalChainError(`There is no development account ${index}.`);
  return {
    account,
    address: account.address,
    privateKey: /** @type {`0x${string}`} */ (`0x${Buffer.from(privateKey).toString("hex")}`),
  };
}

/**
 * One of the ten rich accounts every development chain has.
 *
 * @param {number} index 0 to 9
 */
export function developmentAccount(index) {
  const account = developmentAccounts.get(index) ?? deriveAccount(index);
  developmentAccounts.set(index, account);
  return account;
}

/**
 * Reads a compiled contract of this folder.
 *
 * @param {string} contractName
 * @returns {{ contractName: string, abi: import("viem").Abi, bytecode: `0x${string}` }}
 */
export function readArtifact(contractName) {
  return JSON.parse(readFileSync(new URL(`./artifacts/${contractName}.json`, import.meta.url), "utf8"));
}

/**
 * Deploys the key contract, or finds the earlier deployment: the same code and terms always get the same address.
 *
 * @param {object} options
 * @param {string} options.rpcUrl
 * @param {string} [options.name]
 * @param {string} [options.symbol]
 * @param {bigint} [options.priceWei] 0: keys are free
 * @param {number} [options.keyDurationSeconds] 0: keys do not expire
 * @param {string} [options.salt] another one gives another contract on the same terms
 */
export async function deployKeyContract({
  rpcUrl,
  name = "Latchkey Key",
  symbol = "KEY",
  priceWei = 0n,
  keyDurationSeconds = 0,
  salt = "",
}) {
  const { address: owner } = developmentAccount(0);
  const args = [name, symbol, priceWei, BigInt(keyDurationSeconds), owner];
  return await deployOnce({ rpcUrl, contractName: "LatchkeyKey", args, salt });
}

/** A coin with 6 decimals that anybody may mint. @param {{ rpcUrl: string, name: string, symbol: string }} options */
export async function deployCoinContract({ rpcUrl, name, symbol }) {
  return await deployOnce({ rpcUrl, contractName: "Coin", args: [name, symbol, 6] });
}

/**
 * @param {{ rpcUrl: string, contractName: string, args: readonly unknown[], salt?: string }} options
 * @returns {Promise<{ address: `0x${string}`, abi: import("viem").Abi, isNew: boolean }>}
 */
async function deployOnce({ rpcUrl, contractName, args, salt = "" }) {
  const { account } = developmentAccount(0);
  const publicClient = createPublicClient({ transport: http(rpcUrl), pollingInterval: 50 });
  const chainId = await publicClient.getChainId();
  const chain = defineChain({
    id: chainId,
    name: "Local chain",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  const { abi, bytecode } = readArtifact(contractName);
  const initCode = encodeDeployData({ abi, bytecode, args });
  const paddedSalt = /** @type {`0x${string}`} */ (
    `0x${Buffer.from(salt, "utf8").toString("hex").padStart(64, "0").slice(-64)}`
  );
  const address = getContractAddress({
    opcode: "CREATE2",
    from: create2Deployer,
    salt: paddedSalt,
    bytecode: initCode,
  });
  if (await publicClient.getCode({ address })) return { address, abi, isNew: false };
  if (!(await publicClient.getCode({ address: create2Deployer }))) {
    throw new LocalChainError(`The chain at ${rpcUrl} has no CREATE2 deployer at ${create2Deployer}.`);
  }
  const walletClient = createWalletClient({ account, chain, transport: http(rpcUrl) });
  /** @type {unknown} */
  let refusal;
  try {
    await walletClient.sendTransaction({ to: create2Deployer, data: `${paddedSalt}${initCode.slice(2)}` });
  } catch (error) {
    // Most likely another program deploys the same contract at this moment, with the same account.
    refusal = error;
  }
  for (let waitedMs = 0; waitedMs < deployWithinMs; waitedMs += 50) {
    if (await publicClient.getCode({ address })) return { address, abi, isNew: !refusal };
    await delay(50);
  }
  throw new LocalChainError(`${contractName} could not be deployed on ${rpcUrl}.`, { cause: refusal });
}
