import {
  BaseError,
  decodeAbiParameters,
  encodeDeployData,
  numberToHex,
  parseAbiParameters,
  zeroAddress,
  zeroHash,
} from "viem";
import type { Hex } from "viem";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import type { SeenBlock } from "~/platform/chain/seen-block";
import { findRpcError } from "~/platform/chain/rpc-reply.server";
import { chainUnavailable } from "~/platform/refusals/refusal";
import type { Answers, Read, SignatureVerdict, WalletSignature } from "./reads/chain-answers";
import chainProbe from "../../../contracts/artifacts/ChainProbe.json";

/**
 * Reads are part of the probe's code, some 224 bytes each, of which EIP-3860 allows 49,152. Their answers are what it returns,
 * 160 bytes each, of which EIP-170 allows 24,576.
 */
export const maxReadsInProbe = 150;

export type Question = {
  client: ChainClient;
  reads: readonly Read[];
  signed?: WalletSignature;
  /** The block that is asked: an endpoint that does not have it says so. Unless given, the newest one it has. */
  block?: bigint;
};

/** Nobody's address. Not the zero address, to which some contracts grant more in a simulation. */
export const caller = "0x1a7c5e00000000000000000000000000001a7c5e";

const probeAnswer = parseAbiParameters(
  "uint256 chainId, uint256 blockNumber, uint256 blockTimestamp, bool hasWallet, bool isSigned, (bool hasCode, bool success, bool tookAllGas, uint256 size, uint256 word)[] answers",
);
const unsigned: WalletSignature = { wallet: zeroAddress, hash: zeroHash, signature: "0x", deployment: null };

/** `refused` where the chain does not run such code. */
export type Probed = Answers | { refused: Error };

/** Everything in one call that brings its own code. */
export async function askByProbe(question: Question): Promise<Probed> {
  const { client, reads, signed, block } = question;
  const data = encodeDeployData({
    abi: chainProbe.abi,
    bytecode: chainProbe.bytecode as Hex,
    args: [reads, toProbeSignature(signed ?? unsigned)],
  });
  let output: Hex;
  try {
    output = (await client.ask({
      method: "eth_call",
      params: [{ from: caller, data }, nameBlock(block)],
      findForeignChain: (result) => findOtherChain(client, result as Hex, reads.length),
      // A block that was named tells nothing of how new the endpoint's newest one is.
      findNewestBlock: (result) => (block === undefined ? readBlock(client, result as Hex) : null),
      mustBeNewest: true,
    })) as Hex;
  } catch (error) {
    return { refused: requireRpcError(error) };
  }
  const probed = decodeProbe(output, reads.length);
  const refused = new Error("The answer to a call without a recipient is not what its code returns.");
  if (!probed) return { refused };
  const { answers, blockNumber, blockSeconds } = probed;
  const verdict = signed ? judgeSigned(signed, probed) : null;
  return { answers, blockNumber, blockSeconds, isOfHeader: false, verdict };
}

function judgeSigned(
  { deployment }: WalletSignature,
  { hasWallet, isSigned }: { hasWallet: boolean; isSigned: boolean },
): SignatureVerdict {
  if (isSigned) return hasWallet ? "valid" : "valid-undeployed";
  return hasWallet || deployment ? "invalid" : "no-code";
}

/** What an endpoint answered in place of a result. Throws chain-unavailable where none answered. */
export function requireRpcError(error: unknown): Error {
  const answered = findRpcError(error);
  if (answered) return answered;
  throw error instanceof BaseError ? chainUnavailable(error) : error;
}

export function nameBlock(block: bigint | undefined): "latest" | Hex {
  return block === undefined ? "latest" : numberToHex(block);
}

/** Null when it is not what the probe says. It never fails itself, so it was not run. */
function decodeProbe(output: Hex, count: number) {
  try {
    const [chainId, blockNumber, blockSeconds, hasWallet, isSigned, answers] = decodeAbiParameters(
      probeAnswer,
      output,
    );
    return answers.length === count
      ? { chainId, blockNumber, blockSeconds, hasWallet, isSigned, answers }
      : null;
  } catch {
    return null;
  }
}

/** Looks at the first word alone while that is right: nearly always. */
function findOtherChain(client: ChainClient, output: Hex, count: number): bigint | null {
  if (isOfOwnChain(client, output)) return null;
  return decodeProbe(output, count)?.chainId ?? null;
}

/** The block that was read: the second word and the third. */
function readBlock(client: ChainClient, output: Hex): SeenBlock | null {
  if (!isOfOwnChain(client, output) || output.length < 2 + 3 * 64) return null;
  const readWord = (index: number) => BigInt(`0x${output.slice(2 + index * 64, 2 + (index + 1) * 64)}`);
  return { blockNumber: readWord(1), blockSeconds: readWord(2), isOfHeader: false };
}

function isOfOwnChain(client: ChainClient, output: Hex): boolean {
  return output.startsWith(`0x${client.chain.id.toString(16).padStart(64, "0")}`);
}

function toProbeSignature({ wallet, hash, signature, deployment }: WalletSignature) {
  const { factory, data: factoryData } = deployment ?? { factory: zeroAddress, data: "0x" };
  return { wallet, hash, signature, factory, factoryData };
}
