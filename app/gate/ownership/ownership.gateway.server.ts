import type { Address } from "viem";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import { caller, maxReadsInProbe } from "./chain-probe.gateway.server";
import type { Answer } from "./reads/chain-answers";
import { askChain } from "./chain-reads.gateway.server";
import { makeRead, readWord, requireCode } from "./reads/read";

export type KeyStandard = "erc721" | "erc1155" | "unlock";
export type KeyContract = { client: ChainClient; contractAddress: Address; standard: KeyStandard };

/** Whether an ERC-1155 id exists; null where the contract does not count its supply. */
export async function readSupply(
  { client, contractAddress }: Omit<KeyContract, "standard">,
  tokenId: string,
) {
  const words = [BigInt(tokenId)];
  const reads = [
    // Every ERC-1155 contract answers this; without it, no answer to the rest means nothing.
    makeRead(contractAddress, "balanceOf(address,uint256)", [BigInt(caller), ...words]),
    { ...makeRead(contractAddress, "exists(uint256)", words), isOptional: true },
    { ...makeRead(contractAddress, "totalSupply(uint256)", words), isOptional: true },
  ];
  const { answers, blockNumber } = await askChain({ client, reads });
  requireCode(answers[0], contractAddress);
  const counted = answers.slice(1).find((answer) => answer.success && answer.size === 32n);
  return { blockNumber, exists: counted ? counted.word !== 0n : null };
}

/** Units each holder has of an id as of a block, in the order asked. Only for ERC-1155. */
export async function readBalances(
  { client, contractAddress }: Omit<KeyContract, "standard">,
  holdings: readonly { holder: Address; tokenId: bigint }[],
  block: bigint,
): Promise<bigint[]> {
  const reads = holdings.map(({ holder, tokenId }) =>
    makeRead(contractAddress, "balanceOf(address,uint256)", [BigInt(holder), tokenId]),
  );
  const answers: Answer[] = [];
  for (let start = 0; start < reads.length; start += maxReadsInProbe) {
    const group = reads.slice(start, start + maxReadsInProbe);
    answers.push(...(await askChain({ client, reads: group, block })).answers);
  }
  return answers.map((answer) => readWord(answer, "balanceOf", contractAddress) ?? 0n);
}

/** ERC-165 names of the standards, in the high bytes of a word. */
const interfaces = { erc721: 0x80ac58cdn << 224n, erc1155: 0xd9b67a26n << 224n };

/** A sentence for the operator, or null. A wrong standard would deny every holder. */
export async function findContractFault(contract: KeyContract): Promise<string | null> {
  const { client, contractAddress, standard } = contract;
  const askInterface = (id: bigint) => ({
    ...makeRead(contractAddress, "supportsInterface(bytes4)", [id]),
    isOptional: true,
  });
  const essential = {
    erc721: makeRead(contractAddress, "ownerOf(uint256)", [0n]),
    erc1155: makeRead(contractAddress, "balanceOf(address,uint256)", [BigInt(caller), 0n]),
    unlock: makeRead(contractAddress, "isValidKey(uint256)", [0n]),
  };
  const { answers } = await askChain({
    client,
    reads: [essential[standard], askInterface(interfaces.erc721), askInterface(interfaces.erc1155)],
  });
  const [isLock, isErc721, isErc1155] = answers.map(
    ({ success, size, word }) => success && size >= 32n && word <= 1n,
  );
  const [, says721, says1155] = answers.map(({ word }) => word === 1n);
  const where = `The contract at ${contractAddress} on chain ${client.chain.id}`;
  if (!answers[0]?.hasCode) return `${where} does not exist. Check KEY_CONTRACT_ADDRESS and CHAIN_ID.`;
  if (standard === "unlock") return isLock ? null : `${where} is no Unlock lock. Check KEY_STANDARD.`;
  // A contract without ERC-165 may still be of the right standard.
  if (!isErc721 || !isErc1155) return null;
  if (standard === "erc721" && !says721) return `${where} is not an ERC-721 contract. Check KEY_STANDARD.`;
  if (standard === "erc1155" && !says1155) return `${where} is not an ERC-1155 contract. Check KEY_STANDARD.`;
  return null;
}
