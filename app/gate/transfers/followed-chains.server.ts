import type { KeyKind } from "../kinds/kind";
import { placeLeaves } from "../kinds/requirement-leaves";
import type { TokenContract } from "./key-transfers.gateway.server";

export type ChainToFollow = { chainId: number; contracts: readonly TokenContract[] };

/**
 * Every chain that is read, in the order in which the kinds name them, with the contracts of keys on it. Chains of
 * leaves alone are followed for their blocks: readings do not outlive them.
 */
export function listChainsToFollow(kinds: readonly KeyKind[]): ChainToFollow[] {
  const chains = new Map<number, Map<string, TokenContract>>();
  const contractsOn = (chainId: number) => {
    const contracts = chains.get(chainId) ?? new Map<string, TokenContract>();
    chains.set(chainId, contracts);
    return contracts;
  };
  for (const { chainId, contract, standard } of kinds) {
    const contracts = contractsOn(chainId);
    if (contract === null || standard === "membership") continue;
    // Two kinds may share a contract. One that is of two standards is followed for both.
    const name = `${contract.toLowerCase()}:${standard === "erc1155"}`;
    if (!contracts.has(name)) contracts.set(name, { contractAddress: contract, standard });
  }
  for (const { leaf } of kinds.flatMap(placeLeaves)) if (leaf.type !== "addresses") contractsOn(leaf.chainId);
  return [...chains].map(([chainId, contracts]) => ({ chainId, contracts: [...contracts.values()] }));
}
