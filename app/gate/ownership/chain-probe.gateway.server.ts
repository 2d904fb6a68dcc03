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
import type { BlockTime } from "~/platform/chain/newest-block.server";
import { findRpcError } from "~/platform/chain/rpc-answer.server";
import { chainUnavailable } from "~/platform/http/refusal";
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
  needsTime?: boolean;
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
      // An older block tells nothing of how new the endpoint's newest one is.
      findBlockTime: (result) => (block === undefined ? readBlockTime(client, result as Hex) : null),
    })) as Hex;
  } catch (error) {
    return { refused: requireRpcError(error) };
  }
  const probed = decodeProbe(output, reads.length);
  const refused = new Error("The answer to a call without a recipient is not what its code returns.");
  if (!probed) return { refused };
  const { answers, blockNumber, blockSeconds } = probed;
  return { answers, blockNumber, blockSeconds, verdict: signed ? judgeSigned(signed, probed) : null };
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

/** The time of the block that was read: the third word. */
function readBlockTime(client: ChainClient, output: Hex): BlockTime | null {
  const word = output.slice(2 + 2 * 64, 2 + 3 * 64);
  if (!isOfOwnChain(client, output) || word.length < 64) return null;
  return { seconds: BigInt(`0x${word}`), isOfHeader: false };
}

function isOfOwnChain(client: ChainClient, output: Hex): boolean {
  return output.startsWith(`0x${client.chain.id.toString(16).padStart(64, "0")}`);
}

function toProbeSignature({ wallet, hash, signature, deployment }: WalletSignature) {
  const { factory, data: factoryData } = deployment ?? { factory: zeroAddress, data: "0x" };
  return { wallet, hash, signature, factory, factoryData };
}
