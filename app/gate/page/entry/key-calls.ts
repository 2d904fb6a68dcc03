import type { Address, Hex } from "viem";
import { WalletTrouble } from "../wallet/wallet-trouble";

/** Asks the chain one thing. */
export type AskChain = (request: { method: string; params: readonly unknown[] }) => Promise<unknown>;

/** More keys than this are not checked one by one; their holder can still type an id. */
const maxListedKeys = 50;
const receiptPollMs = 1_000;
const receiptWithinMs = 120_000;

/**
 * The few calls the page makes itself, as the bytes they are: an encoder for contracts in general would be most of
 * what a visitor downloads at "Connect". A test compares them with the contract's interface.
 */
export const keyCalls = {
  mint: "0x1249c58b",
  price: "0xa035b1fe",
  ownerOf: "0x6352211e",
  transferTopic: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
} as const;

type Log = { address: string; topics: Hex[] };

/** Ids of the keys this wallet holds, newest first. */
export async function findHeldKeys(
  ask: AskChain,
  contractAddress: Address,
  owner: Address,
): Promise<string[]> {
  const filter = {
    address: contractAddress,
    fromBlock: "0x0",
    toBlock: "latest",
    topics: [keyCalls.transferTopic, null, toWord(owner)],
  };
  const received = (await ask({ method: "eth_getLogs", params: [filter] })) as Log[];
  const everHeld = received.flatMap(({ topics }) => (topics[3] ? [topics[3]] : []));
  const newest = [...new Set(everHeld)].reverse().slice(0, maxListedKeys);
  const holders = await Promise.all(newest.map((id) => findHolder(ask, contractAddress, id)));
  return newest.filter((_, index) => holders[index] === toWord(owner)).map((id) => BigInt(id).toString());
}

/** A burned key has no owner, and says so by reverting. */
async function findHolder(ask: AskChain, contractAddress: Address, id: Hex): Promise<string | null> {
  const call = { to: contractAddress, data: `${keyCalls.ownerOf}${id.slice(2)}` };
  try {
    return String(await ask({ method: "eth_call", params: [call, "latest"] })).toLowerCase();
  } catch {
    return null;
  }
}

/** What one key costs, as the amount of a transaction. */
export async function readPrice(ask: AskChain, contractAddress: Address): Promise<Hex> {
  const call = { to: contractAddress, data: keyCalls.price };
  const price = await ask({ method: "eth_call", params: [call, "latest"] });
  return `0x${BigInt(price as Hex).toString(16)}`;
}

type FindMintedOptions = {
  ask: AskChain;
  contractAddress: Address;
  hash: Hex;
  minter: Address;
  withinMs?: number;
  pollMs?: number;
};

/** Waits until the chain has recorded the mint, and answers the new key's id. */
export async function findMinted({
  ask,
  contractAddress,
  hash,
  minter,
  withinMs = receiptWithinMs,
  pollMs = receiptPollMs,
}: FindMintedOptions): Promise<string> {
  const givesUpAtMs = performance.now() + withinMs;
  while (performance.now() < givesUpAtMs) {
    // A node that stumbles once in a long wait has decided nothing.
    const receipt = (await ask({ method: "eth_getTransactionReceipt", params: [hash] }).catch(
      () => null,
    )) as {
      status: Hex;
      logs: Log[];
    } | null;
    if (receipt) return readMinted(receipt, contractAddress, minter);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw new WalletTrouble("mint-slow", { facts: [["Transaction", hash]] });
}

function readMinted(
  receipt: { status: Hex; logs: Log[] },
  contractAddress: Address,
  minter: Address,
): string {
  if (BigInt(receipt.status) !== 1n) throw new Error("The contract turned the mint down.");
  const minted = receipt.logs.find(
    ({ address, topics }) =>
      address.toLowerCase() === contractAddress.toLowerCase() &&
      topics[0] === keyCalls.transferTopic &&
      topics[2]?.toLowerCase() === toWord(minter),
  );
  if (!minted?.topics[3]) throw new Error("The transaction went through, but brought no key.");
  return BigInt(minted.topics[3]).toString();
}

function toWord(address: Address): string {
  return `0x${address.slice(2).toLowerCase().padStart(64, "0")}`;
}
