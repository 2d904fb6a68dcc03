// The embedded chain with its key contract, and the settings of a server that stands before it.
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { projectDir } from "./prepare.mjs";
import { deployCoinContract, deployKeyContract, startLocalChain } from "../../contracts/local-chain.mjs";

const chainId = "31337";

/** @param {{ dataDir: string, mode: "demo" | "development", origin: string | null }} options `origin`: the demo's own */
export async function openDemoChain({ dataDir, mode, origin }) {
  mkdirSync(dataDir, { recursive: true });
  console.log("Starting a local chain …");
  const chain = await startLocalChain({ stateFile: path.join(dataDir, "chain.json"), log: console.log });
  const contract = await deployKeyContract({ rpcUrl: chain.rpcUrl });
  return {
    chain,
    contract,
    env: {
      CONTENT_DIR: path.join(projectDir, "app/demo/content"),
      CHAIN_POLL_SECONDS: "1",
      // Another one with every start; production refuses what begins so.
      OPERATOR_SECRET: `demo-${randomBytes(9).toString("hex")}`,
      ...process.env,
      LATCHKEY_MODE: mode,
      DATA_DIR: dataDir,
      ...(origin === null ? oneKind(chain, contract) : await manyKinds({ chain, contract, dataDir, origin })),
    },
  };
}

/** @typedef {{ rpcUrl: string }} Chain */
/** @typedef {{ address: string }} Contract */

/** The demo's key can be made to expire, and its contract answers as a lock does. */
const standard = "unlock";

/** @param {Chain} chain @param {Contract} contract */
function oneKind(chain, contract) {
  return {
    CHAIN_ID: chainId,
    RPC_URL: chain.rpcUrl,
    KEY_CONTRACT_ADDRESS: contract.address,
    KEY_STANDARD: standard,
  };
}

/**
 * Besides the key a membership that asks for one of two tokens, so that the list of what is missing can be seen.
 *
 * @param {{ chain: Chain, contract: Contract, dataDir: string, origin: string }} options
 */
async function manyKinds({ chain, contract, dataDir, origin }) {
  const coin = await deployCoinContract({ rpcUrl: chain.rpcUrl, name: "Lamp oil", symbol: "OIL" });
  const onChain = { chainId: Number(chainId) };
  const faucet = `${origin}/demo/faucet?token=${coin.address}`;
  const oil = { label: "2.5 lamp oil", get: { url: faucet, text: "Get 5 lamp oil" } };
  const key = { label: "A key of this demo" };
  const file = {
    chains: { [chainId]: {} },
    keys: [
      { name: "key", title: "Keeper's key", standard, ...onChain, contract: contract.address },
      {
        name: "friends",
        title: "Friends of the light",
        standard: "membership",
        ...onChain,
        requires: {
          any: [
            { erc20: coin.address, ...onChain, atLeast: "2500000", ...oil },
            { erc721: contract.address, ...onChain, atLeast: "1", ...key },
          ],
        },
        opens: ["room", "chat", "tts"],
      },
    ],
  };
  const keysFile = path.join(dataDir, "keys.json");
  writeFileSync(keysFile, `${JSON.stringify(file, null, 2)}\n`);
  // Both the file and these would be a mistake: those of the surroundings are for another start.
  const none = {
    CHAIN_ID: undefined,
    RPC_URL: undefined,
    KEY_CONTRACT_ADDRESS: undefined,
    KEY_STANDARD: undefined,
  };
  return { ...none, KEYS_FILE: keysFile, [`RPC_URL_${chainId}`]: chain.rpcUrl };
}
