import { getAddress, toFunctionSelector } from "viem";
import type { Address } from "viem";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import { chainUnavailable } from "~/platform/http/refusal";
import { askByProbe, caller, maxReadsInProbe } from "./chain-probe.gateway.server";
import type { Answer, Answers, Question, Read, WalletSignature } from "./chain-probe.gateway.server";
import { askPlainly } from "./plain-reads.gateway.server";

export type KeyStandard = "erc721" | "erc1155" | "unlock";
export type KeyContract = { client: ChainClient; contractAddress: Address; standard: KeyStandard };

export type KeyReading = Pick<Answers, "blockNumber" | "verdict"> & {
  /** null: the contract has no such key, or (ERC-1155) there is no single owner. */
  owner: Address | null;
  /** The wallet's units; only ERC-1155 counts them. */
  balance: bigint | null;
  /** Only an Unlock membership can have expired. */
  hasExpired: boolean;
};

/** Encoded by hand, because every argument is one word and the general encoder hashes the name each time. */
const selectors = {
  ownerOf: toFunctionSelector("ownerOf(uint256)"),
  isValidKey: toFunctionSelector("isValidKey(uint256)"),
  balanceOf: toFunctionSelector("balanceOf(address,uint256)"),
  exists: toFunctionSelector("exists(uint256)"),
  totalSupply: toFunctionSelector("totalSupply(uint256)"),
};
const biggestAddress = (1n << 160n) - 1n;

type KeyQuestion = KeyContract & {
  tokenId: string;
  holder: Address;
  signed?: WalletSignature;
  block?: bigint;
};

/** In one round trip. Throws chain-unavailable when there is no answer, or none that such a contract gives. */
export async function readKey(question: KeyQuestion): Promise<KeyReading> {
  const { client, contractAddress, standard, tokenId, holder, signed, block } = question;
  const id = BigInt(tokenId);
  const isCounted = standard === "erc1155";
  const reads = isCounted
    ? [makeRead(contractAddress, "balanceOf", [BigInt(holder), id])]
    : [makeRead(contractAddress, "ownerOf", [id])];
  if (standard === "unlock") reads.push(makeRead(contractAddress, "isValidKey", [id]));
  const { answers, ...rest } = await askChain({ client, reads, signed, block });
  // A contract that was deployed after that block had no keys in it.
  if (block !== undefined && answers[0]?.hasCode === false)
    return { ...rest, owner: null, balance: isCounted ? 0n : null, hasExpired: false };
  if (isCounted) {
    const balance = readWord(answers[0], "balanceOf", contractAddress) ?? 0n;
    return { ...rest, owner: null, balance, hasExpired: false };
  }
  const owner = readOwnerWord(answers[0], contractAddress);
  const isValidKey = standard !== "unlock" || readWord(answers[1], "isValidKey", contractAddress) === 1n;
  return { ...rest, owner, balance: null, hasExpired: owner !== null && !isValidKey };
}

/** Whether an ERC-1155 id exists; null where the contract does not count its supply. */
export async function readSupply({ client, contractAddress }: KeyContract, tokenId: string) {
  const words = [BigInt(tokenId)];
  const reads = [
    // Every ERC-1155 contract answers this; without it, no answer to the rest means nothing.
    makeRead(contractAddress, "balanceOf", [BigInt(caller), ...words]),
    { ...makeRead(contractAddress, "exists", words), isOptional: true },
    { ...makeRead(contractAddress, "totalSupply", words), isOptional: true },
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
    makeRead(contractAddress, "balanceOf", [BigInt(holder), tokenId]),
  );
  const answers: Answer[] = [];
  for (let start = 0; start < reads.length; start += maxReadsInProbe) {
    const group = reads.slice(start, start + maxReadsInProbe);
    answers.push(...(await askChain({ client, reads: group, block })).answers);
  }
  return answers.map((answer) => readWord(answer, "balanceOf", contractAddress) ?? 0n);
}

function makeRead(contractAddress: Address, name: keyof typeof selectors, words: readonly bigint[]): Read {
  const encoded = words.map((word) => word.toString(16).padStart(64, "0")).join("");
  return { target: contractAddress, data: `${selectors[name]}${encoded}` };
}

function requireCode(answer: Answer | undefined, contractAddress: Address) {
  if (answer?.hasCode) return answer;
  throw unusable(
    `There is no contract at ${contractAddress} on this chain. Check KEY_CONTRACT_ADDRESS and CHAIN_ID.`,
  );
}

/** One word as the contract gave it; null when it reverted, which is its way of saying no. */
function readWord(given: Answer | undefined, name: string, contractAddress: Address): bigint | null {
  const answer = requireCode(given, contractAddress);
  if (!answer.success) return null;
  if (answer.size >= 32n) return answer.word;
  throw unusable(
    `${contractAddress} answers ${name} with ${answer.size} bytes. Check KEY_CONTRACT_ADDRESS and KEY_STANDARD.`,
  );
}

function readOwnerWord(answer: Answer | undefined, contractAddress: Address) {
  const word = readWord(answer, "ownerOf", contractAddress);
  if (word === null || word === 0n) return null;
  if (word <= biggestAddress) return getAddress(`0x${word.toString(16).padStart(40, "0")}`);
  throw unusable(`${contractAddress} answers ownerOf with something that is no address.`);
}

function unusable(reason: string) {
  return chainUnavailable(new Error(reason));
}

/** In one request that also tells chain and block or, where the probe is refused, as ordinary calls. */
export async function askChain(question: Question): Promise<Answers> {
  const { client, signed } = question;
  const { deployless } = client;
  // Only the probe can ask a wallet that does not exist yet: worth a try even where it was refused before.
  if (!signed?.deployment && !deployless.shouldTry()) return await askPlainly(question, null);
  const probed = await askByProbe(question);
  if (!("refused" in probed)) {
    deployless.forget();
    return probed;
  }
  // Unlike the probe's, these answers do not say which chain they come from.
  client.recheckChain();
  // A revert needs no second read where plain reads have worked before.
  const answers = await askPlainly(question, deployless.wasRefused() ? null : probed.refused);
  // An endpoint also fails for a block that it lacks, which says nothing about the probe.
  if (question.block === undefined) deployless.noteRefusal();
  return answers;
}
