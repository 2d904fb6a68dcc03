import { encodeAbiParameters, keccak256, padHex } from "viem";
import type { TestChain } from "~e2e/support/chain/chain";
import { developmentAccount } from "../../contracts/local-chain.mjs";
import type { Holder } from "./http-requests";

const wallets = 10;
const sharedKeys = 40;
const firstTokenId = 1_000_000;
/** The slot where OpenZeppelin's ERC-721 keeps its mapping of owners. */
const ownersSlot = 2n;

export type BenchKeys = { holders: Holder[]; takeUnusedKeys: (count: number) => Holder[] };

/** Writes owners straight into the contract's storage: minting would take minutes, and the contract answers the same. */
export async function grantKeys(chain: TestChain, count: number): Promise<BenchKeys> {
  const keys = Array.from({ length: count }, (_, index) => toHolder(firstTokenId + index));
  const calls = keys.map(({ tokenId, address }, id) => {
    const slot = encodeAbiParameters(
      [{ type: "uint256" }, { type: "uint256" }],
      [BigInt(tokenId), ownersSlot],
    );
    const params = [chain.key.address, keccak256(slot), padHex(address, { size: 32 })];
    return { jsonrpc: "2.0", id, method: "anvil_setStorageAt", params };
  });
  const response = await fetch(chain.rpcUrl, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(calls),
  });
  if (!response.ok) throw new Error(`The chain answered ${response.status}.`);
  const last = keys.at(-1)!;
  const call = { ...chain.key, functionName: "ownerOf", args: [BigInt(last.tokenId)] };
  const owner = await chain.viewer.readContract(call);
  if (owner !== last.address) throw new Error(`Key ${last.tokenId} has no owner.`);
  let taken = sharedKeys;
  return {
    holders: keys.slice(0, sharedKeys),
    takeUnusedKeys(wanted) {
      const unused = keys.slice(taken, (taken += wanted));
      if (unused.length < wanted) throw new Error(`All ${count} keys are used.`);
      return unused;
    },
  };
}

function toHolder(tokenId: number): Holder {
  const { account } = developmentAccount(tokenId % wallets);
  const { address } = account;
  return { tokenId: String(tokenId), address, sign: (message) => account.signMessage({ message }) };
}
