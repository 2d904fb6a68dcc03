// The embedded chain with its key contract, and the settings of a server that stands before it.
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { run } from "./prepare.mjs";
import {
  anvilVersion,
  findAnvilPackage,
  getAnvilBinary,
  LocalChainError,
} from "../../contracts/anvil-binary.mjs";
import { deployKeyContract, startLocalChain } from "../../contracts/local-chain.mjs";

/** The chain's program comes as one package for each platform, of which the lock file names only the commonest. */
async function installLocalChain() {
  try {
    getAnvilBinary();
  } catch (error) {
    const packageName = findAnvilPackage();
    if (!(error instanceof LocalChainError) || !packageName) throw error;
    console.log("Installing the local chain for this platform …");
    await run("npm", ["install", "--no-save", "--no-audit", "--no-fund", `${packageName}@${anvilVersion}`]);
  }
}

/** @param {{ dataDir: string, mode: "demo" | "development" }} options */
export async function openDemoChain({ dataDir, mode }) {
  mkdirSync(dataDir, { recursive: true });
  await installLocalChain();
  console.log("Starting a local chain …");
  const chain = await startLocalChain({ stateFile: path.join(dataDir, "chain.json"), log: console.log });
  const contract = await deployKeyContract({ rpcUrl: chain.rpcUrl });
  return {
    chain,
    contract,
    env: {
      HOST: "127.0.0.1",
      CHAIN_POLL_SECONDS: "1",
      // Another one with every start; production refuses what begins so.
      OPERATOR_SECRET: `demo-${randomBytes(9).toString("hex")}`,
      ...process.env,
      LATCHKEY_MODE: mode,
      DATA_DIR: dataDir,
      CHAIN_ID: "31337",
      RPC_URL: chain.rpcUrl,
      KEY_CONTRACT_ADDRESS: contract.address,
      // The demo's key can be made to expire, and its contract answers as a lock does.
      KEY_STANDARD: "unlock",
    },
  };
}
