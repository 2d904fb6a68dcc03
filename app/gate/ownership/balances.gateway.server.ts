import type { Address } from "viem";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import { caller, maxReadsInProbe } from "./chain-probe.gateway.server";
import type { Answer } from "./reads/chain-answers";
import { askChain } from "./chain-reads.gateway.server";
import { makeRead, requireCode } from "./reads/read";

type CountedContract = { client: ChainClient; contractAddress: Address };

/** Whether an ERC-1155 id exists; null where the contract does not count its supply. */
export async function readSupply({ client, contractAddress }: CountedContract, tokenId: string) {
  const words = [BigInt(tokenId)];
  const reads = [
    // Every ERC-1155 contract answers this; without it, no answer to the rest means nothing.
    makeRead(contractAddress, "balanceOf(address,uint256)", [BigInt(caller), ...words]),
    { ...makeRead(contractAddress, "exists(uint256)", words), isOptional: true },
    { ...makeRead(contractAddress, "totalSupply(uint256)", words), isOptional: true },
  ];
  const { answers, verdict: _, ...block } = await askChain({ client, reads });
  requireCode(answers[0], contractAddress);
  const counted = answers.slice(1).find((answer) => answer.success && answer.size === 32n);
  return { ...block, exists: counted ? counted.word !== 0n : null };
}

/**
 * Units each holder has of an id as of a block, in the order asked; null where the contract does not say. Of one that
 * is gone nobody has any. Only for ERC-1155.
 */
export async function readBalances(
  { client, contractAddress }: CountedContract,
  holdings: readonly { holder: Address; tokenId: bigint }[],
  block: bigint,
): Promise<(bigint | null)[]> {
  const reads = holdings.map(({ holder, tokenId }) =>
    makeRead(contractAddress, "balanceOf(address,uint256)", [BigInt(holder), tokenId]),
  );
  const answers: Answer[] = [];
  for (let start = 0; start < reads.length; start += maxReadsInProbe) {
    const group = reads.slice(start, start + maxReadsInProbe);
    answers.push(...(await askChain({ client, reads: group, block })).answers);
  }
  return answers.map(({ hasCode, success, size, word }) => {
    if (!hasCode) return 0n;
    return success && size >= 32n ? word : null;
  });
}
