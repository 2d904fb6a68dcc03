import { signRecoverable } from "tiny-secp256k1";
import { bytesToHex, encodeAbiParameters, hashMessage, hexToBytes, keccak256, padHex } from "viem";
import type { Hex } from "viem";
import type { TestChain } from "~e2e/support/chain/chain";
import { developmentAccount } from "../../contracts/local-chain.mjs";
import type { Holder } from "./costs/operation";

const wallets = 10;
const keysPerWallet = 4;
/** Where the contract, being OpenZeppelin's ERC-721, keeps its mapping of owners. */
const ownersSlot = 2n;
const granted = 1000;

/** Keys that were minted as visitors mint them. */
export async function mintKeys(chain: TestChain): Promise<Holder[]> {
  const holders: Holder[] = [];
  for (let index = 0; index < wallets * keysPerWallet; index++) {
    holders.push(toHolder(await chain.mintKey(index % wallets), index % wallets));
  }
  return holders;
}

type GrantKeysOptions = {
  chain: TestChain;
  firstTokenId: number;
  count: number;
  step?: number;
};

/**
 * Thousands of keys at once, written where the contract keeps its owners: minting them would take minutes, and what
 * the contract answers is the same. The first and the last of them are asked for.
 */
export async function grantKeys({ chain, firstTokenId, count, step = 1 }: GrantKeysOptions): Promise<void> {
  const tokenIds = Array.from({ length: count }, (_, index) => BigInt(firstTokenId + index * step));
  for (let from = 0; from < count; from += granted) {
    const calls = tokenIds.slice(from, from + granted).map((tokenId, index) => ({
      jsonrpc: "2.0",
      id: index,
      method: "anvil_setStorageAt",
      params: [chain.key.address, ownerSlotOf(tokenId), padHex(walletOf(tokenId).address, { size: 32 })],
    }));
    const response = await fetch(chain.rpcUrl, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(calls),
    });
    if (!response.ok) throw new Error(`The chain answered ${response.status}.`);
    await response.arrayBuffer();
  }
  for (const tokenId of [tokenIds[0]!, tokenIds.at(-1)!]) {
    const call = { ...chain.key, functionName: "ownerOf", args: [tokenId] };
    const owner = await chain.viewer.readContract(call);
    if (owner !== walletOf(tokenId).address) throw new Error(`Key ${tokenId} was granted to nobody.`);
  }
}

/** Gives these keys one after the other, and each once. */
export function keySeries({
  firstTokenId,
  count,
}: {
  firstTokenId: number;
  count: number;
}): (wanted: number) => Holder[] {
  let taken = 0;
  return (wanted) => {
    if (taken + wanted > count) throw new Error(`There are ${count} unused keys, and more are wanted.`);
    const first = firstTokenId + taken;
    taken += wanted;
    return Array.from({ length: wanted }, (_, index) => toGrantedHolder(first + index));
  };
}

export function toGrantedHolder(tokenId: number): Holder {
  return toHolder(String(tokenId), tokenId % wallets);
}

function walletOf(tokenId: bigint) {
  return developmentAccount(Number(tokenId % BigInt(wallets)));
}

function ownerSlotOf(tokenId: bigint): Hex {
  return keccak256(encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [tokenId, ownersSlot]));
}

function toHolder(tokenId: string, wallet: number): Holder {
  const { address, privateKey } = developmentAccount(wallet);
  return { tokenId, address, sign: (message) => signMessage(message, privateKey) };
}

/** Some thousand signatures are made for a run, which takes viem ten times as long. */
function signMessage(message: string, privateKey: Hex): Hex {
  const { signature, recoveryId } = signRecoverable(hashMessage(message, "bytes"), hexToBytes(privateKey));
  return `${bytesToHex(signature)}${(recoveryId + 27).toString(16)}`;
}
