import { isAddress } from "viem";
import { integer, oneOf, requireUrl, setting, splitList } from "~/platform/config/kinds";
import { InvalidSetting } from "~/platform/config/setting";
import type { SettingReader } from "~/platform/config/setting-reader";

/** Test chains of Ganache, Hardhat and Foundry. */
const localChainIds = [1337, 31337];
const devChain = { id: 31337, rpcUrl: "http://127.0.0.1:8545" };

/** Unset if a file names the keys. */
export const rpcAddresses = {
  name: "RPC_URL",
  text: "JSON-RPC addresses of the chain, comma-separated, tried in turn. With KEYS_FILE one setting for each of its chains, such as RPC_URL_8453. Outside production: http://127.0.0.1:8545.",
};

export const keyContractSettings = {
  id: setting(
    "CHAIN_ID",
    { parse: parseChainId, range: "positive whole number" },
    "Chain the key contract lives on. Outside production: 31337.",
  ),
  rpcUrls: setting(
    "RPC_URL",
    { parse: parseRpcUrls, range: "https:// or http:// addresses", isSecret: true, family: rpcAddresses },
    "Comma-separated JSON-RPC addresses, tried in turn. Outside production: http://127.0.0.1:8545.",
  ),
  contractAddress: setting(
    "KEY_CONTRACT_ADDRESS",
    { parse: parseAddress, range: "0x and 40 hex digits" },
    "Address of the key NFT's contract.",
  ),
  standard: oneOf(
    "KEY_STANDARD",
    { of: ["erc721", "erc1155", "unlock"], default: "erc721" },
    "What the contract's keys are; `unlock`: memberships that expire.",
  ),
};

export const chainSettings = {
  ...keyContractSettings,
  ownershipCacheSeconds: integer(
    "OWNERSHIP_CACHE_SECONDS",
    { min: 0, max: 300, default: 4, switches: { name: "Ownership cached for a moment" } },
    "How long one reading of the chain may serve calls with an access token within the same block; 0 reads every time.",
  ),
  // 64 blocks are two epochs of Ethereum, after which a block is final. Nodes without an archive know 128 blocks.
  keyUseConfirmations: integer(
    "KEY_USE_CONFIRMATIONS",
    { min: 0, max: 64 },
    "How many blocks below the newest one a key must have been in the wallet already before it can be used up. Unset: 0 on the local chains 31337 and 1337, else 1.",
  ),
  pollSeconds: integer(
    "CHAIN_POLL_SECONDS",
    { min: 1, max: 300, default: 4 },
    "How often the watcher asks the chain for transfers of keys.",
  ),
};

const notAnAddress = "must be a contract address: 0x and 40 hex digits, with a right checksum if mixed case.";

export function readKeyContract(reader: SettingReader) {
  const isProduction = reader.mode === "production";
  const { id: givenId, rpcUrls, contractAddress, standard } = reader.read(keyContractSettings);
  for (const row of [chainSettings.id, chainSettings.rpcUrls, chainSettings.contractAddress]) {
    if (isProduction && !reader.isSet(row)) reader.report(row, "must be set in production.");
  }
  const id = givenId ?? devChain.id;
  if (isProduction && isLocalChain(id)) {
    reader.warn(chainSettings.id, "names a local test chain: anybody can make keys there.");
  }
  if (!isProduction && !reader.isSet(chainSettings.contractAddress)) {
    reader.report(chainSettings.contractAddress, notAnAddress);
  }
  return {
    id,
    rpcUrls: rpcUrls ?? [devChain.rpcUrl],
    // Nothing starts without one: the fault is already reported.
    contractAddress: contractAddress ?? "0x",
    standard,
  };
}

export function readChain(reader: SettingReader) {
  const { ownershipCacheSeconds, keyUseConfirmations, pollSeconds } = chainSettings;
  return reader.read({ ownershipCacheSeconds, keyUseConfirmations, pollSeconds });
}

export function isLocalChain(chainId: number): boolean {
  return localChainIds.includes(chainId);
}

/** Local chains make blocks only for transactions, so nobody has to wait for one. */
export function findConfirmations(chainId: number, set: number | null): number {
  return set ?? (isLocalChain(chainId) ? 0 : 1);
}

function parseChainId(given: string): number {
  const id = /^[1-9]\d{0,15}$/.test(given) ? Number(given) : 0;
  if (!Number.isSafeInteger(id) || id < 1) throw new InvalidSetting("must be a positive whole number.");
  return id;
}

export function parseRpcUrls(given: string): string[] {
  const urls = splitList(given);
  if (urls.length === 0) throw new InvalidSetting("must list at least one address.");
  try {
    for (const url of urls) requireUrl(url);
  } catch {
    throw new InvalidSetting("must list addresses that begin with https:// or http://.");
  }
  return urls;
}

function parseAddress(given: string): `0x${string}` {
  if (!isAddress(given)) throw new InvalidSetting(notAnAddress);
  return given.toLowerCase() as `0x${string}`;
}
