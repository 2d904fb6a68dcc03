import {
  BaseError,
  decodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  parseAbi,
  parseAbiParameters,
  zeroAddress,
  zeroHash,
} from "viem";
import type { Address, Hex } from "viem";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import { chainUnavailable } from "~/platform/http/refusal";
import chainProbe from "../../contracts/artifacts/ChainProbe.json";

export type KeyStandard = "erc721" | "erc1155" | "unlock";
export type KeyContract = { client: ChainClient; contractAddress: Address; standard: KeyStandard };

/** A signature that only its wallet's own code can judge (ERC-1271, ERC-6492). */
export type WalletSignature = {
  wallet: Address;
  hash: Hex;
  signature: Hex;
  /** What makes the wallet exist, when the signature brings it along. */
  deployment: { factory: Address; data: Hex } | null;
};
/** Where in the chain an answer comes from. */
export type AskedBlock = { blockNumber: bigint; blockTimestamp: bigint };
export type KeyReading = AskedBlock & {
  /** null: the contract has no such key, or (ERC-1155) there is no single owner. */
  owner: Address | null;
  /** Units held by the wallet asked about; only ERC-1155 counts them. */
  balance: bigint | null;
  /** Only an Unlock membership can have run out. */
  hasExpired: boolean;
  /** null: no signature was asked about. */
  isSignatureValid: boolean | null;
};

type Read = { target: Address; data: Hex };
type Answer = { hasCode: boolean; success: boolean; size: bigint; word: bigint };

const keyAbi = parseAbi([
  "function ownerOf(uint256 tokenId) view returns (address)",
  "function isValidKey(uint256 tokenId) view returns (bool)",
  "function balanceOf(address holder, uint256 id) view returns (uint256)",
  "function exists(uint256 id) view returns (bool)",
  "function totalSupply(uint256 id) view returns (uint256)",
]);
const probeAnswer = parseAbiParameters(
  "uint256 chainId, uint256 blockNumber, uint256 blockTimestamp, bool isSigned, (bool hasCode, bool success, uint256 size, uint256 word)[] answers",
);
const unsigned = {
  wallet: zeroAddress,
  hash: zeroHash,
  signature: "0x",
  factory: zeroAddress,
  factoryData: "0x",
} as const;
/**
 * Whom the calls seem to come from: nobody. Not the zero address, to which some contracts grant more during
 * a simulation than anybody gets in a transaction.
 */
const caller = "0x1a7c5e00000000000000000000000000001a7c5e";
const biggestAddress = (1n << 160n) - 1n;

/**
 * What the contract says of a key and, where asked, whether a wallet stands behind a signature: one HTTP
 * request either way. Throws chain-unavailable when there is no answer, or none that such a contract gives.
 */
export async function readKey({
  client,
  contractAddress,
  standard,
  tokenId,
  holder,
  signed,
}: KeyContract & { tokenId: string; holder: Address; signed?: WalletSignature }): Promise<KeyReading> {
  const id = BigInt(tokenId);
  const ask = (data: Hex): Read => ({ target: contractAddress, data });
  if (standard === "erc1155") {
    const data = encodeFunctionData({ abi: keyAbi, functionName: "balanceOf", args: [holder, id] });
    const { answers, ...rest } = await probe({ client, reads: [ask(data)], signed });
    const balance = readWord({ answer: answers[0], name: "balanceOf", contractAddress }) ?? 0n;
    return { ...rest, owner: null, balance, hasExpired: false };
  }
  const reads = [ask(encodeFunctionData({ abi: keyAbi, functionName: "ownerOf", args: [id] }))];
  if (standard === "unlock") {
    reads.push(ask(encodeFunctionData({ abi: keyAbi, functionName: "isValidKey", args: [id] })));
  }
  const { answers, ...rest } = await probe({ client, reads, signed });
  const owner = readOwnerWord({ answer: answers[0], contractAddress });
  const isValidKey =
    standard !== "unlock" || readWord({ answer: answers[1], name: "isValidKey", contractAddress }) === 1n;
  return { ...rest, owner, balance: null, hasExpired: owner !== null && !isValidKey };
}

/** Whether an ERC-1155 id exists, where the contract counts its supply; null where it does not tell. */
export async function readSupply({
  client,
  contractAddress,
  tokenId,
}: Omit<KeyContract, "standard"> & { tokenId: string }): Promise<AskedBlock & { exists: boolean | null }> {
  const args = [BigInt(tokenId)] as const;
  const { answers, blockNumber, blockTimestamp } = await probe({
    client,
    reads: [
      { target: contractAddress, data: encodeFunctionData({ abi: keyAbi, functionName: "exists", args }) },
      {
        target: contractAddress,
        data: encodeFunctionData({ abi: keyAbi, functionName: "totalSupply", args }),
      },
    ],
  });
  requireCode({ answer: answers[0], contractAddress });
  const told = answers.find((answer) => answer.success && answer.size === 32n);
  return { blockNumber, blockTimestamp, exists: told ? told.word !== 0n : null };
}

/** Units each holder has of an id, in the order asked. Only for ERC-1155. */
export async function readBalances({
  client,
  contractAddress,
  holdings,
}: Omit<KeyContract, "standard"> & { holdings: readonly { holder: Address; tokenId: bigint }[] }): Promise<
  bigint[]
> {
  if (holdings.length === 0) return [];
  const reads = holdings.map(({ holder, tokenId }) => ({
    target: contractAddress,
    data: encodeFunctionData({ abi: keyAbi, functionName: "balanceOf", args: [holder, tokenId] }),
  }));
  const { answers } = await probe({ client, reads });
  return answers.map((answer) => readWord({ answer, name: "balanceOf", contractAddress }) ?? 0n);
}

type ProbeResult = AskedBlock & { answers: readonly Answer[]; isSignatureValid: boolean | null };

async function probe({
  client,
  reads,
  signed,
}: {
  client: ChainClient;
  reads: readonly Read[];
  signed?: WalletSignature;
}): Promise<ProbeResult> {
  const data = encodeDeployData({
    abi: chainProbe.abi,
    bytecode: chainProbe.bytecode as Hex,
    args: [reads, signed ? toProbeSignature(signed) : unsigned],
  });
  let result = await runProbe({ client, data });
  if (result.chainId !== BigInt(client.chain.id)) {
    // The endpoint changed chains since its chain id was checked. Once more, with the check before the answer.
    client.recheckChain();
    result = await runProbe({ client, data });
  }
  if (result.chainId !== BigInt(client.chain.id)) {
    throw chainUnavailable(
      new Error(`The answer came from chain ${result.chainId}, not ${client.chain.id}.`),
    );
  }
  if (result.answers.length !== reads.length) throw chainUnavailable(new Error("The answer is incomplete."));
  return { ...result, isSignatureValid: signed ? result.isSigned : null };
}

async function runProbe({ client, data }: { client: ChainClient; data: Hex }) {
  try {
    const answer = await client.request({ method: "eth_call", params: [{ from: caller, data }, "latest"] });
    const [chainId, blockNumber, blockTimestamp, isSigned, answers] = decodeAbiParameters(
      probeAnswer,
      answer,
    );
    return { chainId, blockNumber, blockTimestamp, isSigned, answers };
  } catch (error) {
    // The probe itself never reverts: whatever comes instead of its answer, nobody was asked.
    if (error instanceof BaseError) throw chainUnavailable(error);
    throw error;
  }
}

function toProbeSignature({ wallet, hash, signature, deployment }: WalletSignature) {
  return {
    wallet,
    hash,
    signature,
    factory: deployment?.factory ?? zeroAddress,
    factoryData: deployment?.data ?? "0x",
  };
}

function requireCode({ answer, contractAddress }: { answer: Answer | undefined; contractAddress: Address }) {
  if (answer?.hasCode) return answer;
  throw chainUnavailable(
    new Error(
      `There is no contract at ${contractAddress} on this chain. Check KEY_CONTRACT_ADDRESS and CHAIN_ID.`,
    ),
  );
}

/** One word as the contract gave it; null when it reverted, which is its way of saying no. */
function readWord({
  answer: given,
  name,
  contractAddress,
}: {
  answer: Answer | undefined;
  name: string;
  contractAddress: Address;
}): bigint | null {
  const answer = requireCode({ answer: given, contractAddress });
  if (!answer.success) return null;
  if (answer.size >= 32n) return answer.word;
  throw chainUnavailable(
    new Error(
      `${contractAddress} answers ${name} with ${answer.size} bytes. Check KEY_CONTRACT_ADDRESS and KEY_STANDARD.`,
    ),
  );
}

function readOwnerWord({
  answer,
  contractAddress,
}: {
  answer: Answer | undefined;
  contractAddress: Address;
}) {
  const word = readWord({ answer, name: "ownerOf", contractAddress });
  if (word === null || word === 0n) return null;
  if (word <= biggestAddress) return getAddress(`0x${word.toString(16).padStart(40, "0")}`);
  throw chainUnavailable(new Error(`${contractAddress} answers ownerOf with something that is no address.`));
}
