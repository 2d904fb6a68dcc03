import type { Address, Hex } from "viem";
import { WalletError } from "../wallet/wallet-notices";

export type AskChain = (request: { method: string; params: readonly unknown[] }) => Promise<unknown>;

const chainWithinMs = 10_000;
let lastId = 0;

export function createHttpChain(rpcUrl: string): AskChain {
  return async function ask({ method, params }) {
    const response = fetch(rpcUrl, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: (lastId += 1), method, params }),
      signal: AbortSignal.timeout(chainWithinMs),
    });
    const { result, error } = await response
      .then((received) => received.json() as Promise<RpcResponse>)
      .catch((cause: unknown) => {
        throw new WalletError("chain-silent", { cause });
      });
    if (error) throw Object.assign(new Error(error.message), { code: error.code });
    return result;
  };
}

type RpcResponse = { result?: unknown; error?: { code: number; message: string } };

/** Checked one by one. The holder of more keys can type a token ID. */
const maxListedKeys = 50;

/** An encoder would be most of what "Connect" downloads. A test compares these with the ABI. */
export const keyCalls = {
  mint: "0x1249c58b",
  price: "0xa035b1fe",
  ownerOf: "0x6352211e",
  transferTopic: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
} as const;

type Log = { address: string; topics: Hex[] };

/** Token IDs that the wallet holds, newest first, by contract in lower case. */
export async function findHeldKeys(
  ask: AskChain,
  contracts: readonly Address[],
  owner: Address,
): Promise<Map<string, string[]>> {
  const filter = {
    address: contracts.length === 1 ? contracts[0] : contracts,
    fromBlock: "0x0",
    toBlock: "latest",
    topics: [keyCalls.transferTopic, null, toWord(owner)],
  };
  const received = (await ask({ method: "eth_getLogs", params: [filter] })) as Log[];
  const held = contracts.map(async (contract) => {
    const own = received.filter(({ address }) => address.toLowerCase() === contract.toLowerCase());
    const everHeld = own.flatMap(({ topics }) => (topics[3] ? [topics[3]] : []));
    const newest = [...new Set(everHeld)].reverse().slice(0, maxListedKeys);
    const holders = await Promise.all(newest.map((id) => findHolder(ask, contract, id)));
    const ids = newest.filter((_, index) => holders[index] === toWord(owner));
    return [contract.toLowerCase(), ids.map((id) => BigInt(id).toString())] as const;
  });
  return new Map(await Promise.all(held));
}

/** A burned key reverts. */
async function findHolder(ask: AskChain, contract: Address, id: Hex): Promise<string | null> {
  const call = { to: contract, data: `${keyCalls.ownerOf}${id.slice(2)}` };
  try {
    return String(await ask({ method: "eth_call", params: [call, "latest"] })).toLowerCase();
  } catch {
    return null;
  }
}

export async function readPrice(ask: AskChain, contractAddress: Address): Promise<Hex> {
  const call = { to: contractAddress, data: keyCalls.price };
  const price = await ask({ method: "eth_call", params: [call, "latest"] });
  return `0x${BigInt(price as Hex).toString(16)}`;
}

type Mint = {
  ask: AskChain;
  contractAddress: Address;
  hash: Hex;
  minter: Address;
  withinMs?: number;
  pollMs?: number;
};

/** Waits for the mint's receipt and returns the new token ID. */
export async function findMinted(mint: Mint): Promise<string> {
  const { ask, contractAddress, hash, minter, withinMs = 120_000, pollMs = 1_000 } = mint;
  const givesUpAtMs = performance.now() + withinMs;
  while (performance.now() < givesUpAtMs) {
    // A node may fail once during a long wait.
    const found = await ask({ method: "eth_getTransactionReceipt", params: [hash] }).catch(() => null);
    const receipt = found as { status: Hex; logs: Log[] } | null;
    if (receipt) {
      if (BigInt(receipt.status) !== 1n) throw new Error("The contract turned the mint down.");
      const id = receipt.logs.find(
        ({ address, topics }) =>
          address.toLowerCase() === contractAddress.toLowerCase() &&
          topics[0] === keyCalls.transferTopic &&
          topics[2]?.toLowerCase() === toWord(minter),
      )?.topics[3];
      if (!id) throw new Error("The transaction went through, but brought no key.");
      return BigInt(id).toString();
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw new WalletError("mint-slow", { facts: [["Transaction", hash]] });
}

export function toWord(address: Address): string {
  return `0x${address.slice(2).toLowerCase().padStart(64, "0")}`;
}
