import { maxReadsInProbe, readByProbe, caller } from "./chain-probe.gateway.server";
import type { Question } from "./chain-probe.gateway.server";
import type { OnReading } from "./judge";
import { readPlainly } from "./plain-reads.gateway.server";
import type { ReadResult, ReadResults } from "./reads/read";
import type { Address } from "viem";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import { makeOptionalRead, makeRead, requireCode } from "./reads/read";

type ChainQuestion = Question & {
  /** Probes together with other questions. */
  probe?: typeof readByProbe;
  onReading?: OnReading | undefined;
};

/** Reads in one request that also returns chain and block, or in ordinary calls if the endpoint refuses the probe. */
export async function readChain({ onReading, ...question }: ChainQuestion): Promise<ReadResults> {
  const chainId = question.client.chain.id;
  try {
    const results = await readOnce(question);
    onReading?.({ chainId, outcome: "ok" });
    return results;
  } catch (error) {
    onReading?.({ chainId, outcome: "unavailable" });
    throw error;
  }
}

/** For any number of reads. */
export async function readInGroups({ reads, ...question }: Omit<Question, "signed">): Promise<ReadResult[]> {
  const results: ReadResult[] = [];
  for (let start = 0; start < reads.length; start += maxReadsInProbe) {
    const group = reads.slice(start, start + maxReadsInProbe);
    results.push(...(await readChain({ ...question, reads: group })).results);
  }
  return results;
}

async function readOnce({ probe = readByProbe, ...question }: ChainQuestion): Promise<ReadResults> {
  const { client, signed } = question;
  const { deployless } = client;
  // Only the probe can verify a wallet that is not deployed yet, so try it even after a refusal.
  if (!signed?.deployment && !deployless.shouldTry()) return await readPlainly(question, null);
  // The signer chooses a wallet's code, which could spoil the call for others.
  const probed = await (signed ? readByProbe : probe)(question);
  if (!("refused" in probed)) {
    deployless.forget();
    return probed;
  }
  // Unlike the probe, plain calls don't say which chain they ran on.
  client.recheckChain();
  // A revert needs no second call if plain calls have worked before.
  const results = await readPlainly(question, deployless.wasRefused() ? null : probed.refused);
  // An endpoint that lacks the block also fails, which says nothing about the probe.
  if (question.block === undefined) deployless.noteRefusal();
  return results;
}

type CountedContract = { client: ChainClient; contractAddress: Address };

/** Whether an ERC-1155 ID exists; null if the contract doesn't count its supply. */
export async function readSupply({ client, contractAddress }: CountedContract, tokenId: string) {
  const words = [BigInt(tokenId)];
  const reads = [
    // Every ERC-1155 contract supports this call. If it fails, the others mean nothing.
    makeRead(contractAddress, "balanceOf(address,uint256)", [BigInt(caller), ...words]),
    makeOptionalRead(contractAddress, "exists(uint256)", words),
    makeOptionalRead(contractAddress, "totalSupply(uint256)", words),
  ];
  const { results, verdict: _, ...block } = await readChain({ client, reads });
  requireCode(results[0], contractAddress);
  const counted = results.slice(1).find(({ success, size }) => success && size === 32n);
  return { ...block, exists: counted ? counted.word !== 0n : null };
}

/** Each holder's units of an ERC-1155 ID as of a block, in order. Null if the contract doesn't say, 0 if it is gone. */
export async function readBalances(
  { client, contractAddress }: CountedContract,
  holdings: readonly { holder: Address; tokenId: bigint }[],
  block: bigint,
): Promise<(bigint | null)[]> {
  const reads = holdings.map(({ holder, tokenId }) =>
    makeRead(contractAddress, "balanceOf(address,uint256)", [BigInt(holder), tokenId]),
  );
  const results = await readInGroups({ client, reads, block });
  return results.map(({ hasCode, success, size, word }) => {
    if (!hasCode) return 0n;
    return success && size >= 32n ? word : null;
  });
}
