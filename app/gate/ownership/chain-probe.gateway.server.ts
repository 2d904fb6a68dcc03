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
import type { Read, ReadResults, SignatureVerdict, WalletSignature } from "./reads/read";
import chainProbe from "../../../contracts/artifacts/ChainProbe.json";
import { isChainOutage, readBlockHeader } from "~/platform/chain/chain-client.server";

/** EIP-3860 and EIP-170 limit the code and its result: some 224 bytes a read of 49,152, and 160 of 24,576. */
export const maxReadsInProbe = 150;

export type Question = {
  client: ChainClient;
  reads: readonly Read[];
  signed?: WalletSignature;
  /** The newest block by default. An endpoint that lacks the block reports an error. */
  block?: bigint;
};

/** An unused address. Some contracts grant the zero address more in a simulation. */
export const caller = "0x1a7c5e00000000000000000000000000001a7c5e";

const probeOutput = parseAbiParameters(
  "uint256 chainId, uint256 blockNumber, uint256 blockTimestamp, bool hasWallet, bool isSigned, (bool hasCode, bool success, bool tookAllGas, uint256 size, uint256 word)[] results",
);
const unsigned: WalletSignature = { wallet: zeroAddress, hash: zeroHash, signature: "0x", deployment: null };

/** Makes every read in one call that brings its own code. Returns `refused` if the chain doesn't run such code. */
export async function readByProbe(question: Question): Promise<ReadResults | { refused: Error }> {
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
      // A named block says nothing about the endpoint's newest one.
      findNewestBlock: (result) => (block === undefined ? readBlock(client, result as Hex) : null),
      mustBeNewest: true,
    })) as Hex;
  } catch (error) {
    return { refused: requireRpcError(error) };
  }
  const probed = decodeProbe(output, reads.length);
  if (!probed)
    return { refused: new Error("A call without a recipient returned something else than its code does.") };
  const { results, blockNumber, blockSeconds } = probed;
  const verdict = signed ? judgeSigned(signed, probed) : null;
  return { results, blockNumber, blockSeconds, isOfHeader: false, verdict };
}

function judgeSigned(
  { deployment }: WalletSignature,
  { hasWallet, isSigned }: { hasWallet: boolean; isSigned: boolean },
): SignatureVerdict {
  if (isSigned) return hasWallet ? "valid" : "valid-undeployed";
  return hasWallet || deployment ? "invalid" : "no-code";
}

/** The endpoint's own error. Throws chain-unavailable if no endpoint responded. */
export function requireRpcError(error: unknown): Error {
  const found = findRpcError(error);
  if (found) return found;
  throw error instanceof BaseError ? chainUnavailable(error) : error;
}

export function nameBlock(block: bigint | undefined): "latest" | Hex {
  return block === undefined ? "latest" : numberToHex(block);
}

/** Null if the probe did not run: it never fails itself. */
function decodeProbe(output: Hex, count: number) {
  try {
    const [chainId, blockNumber, blockSeconds, hasWallet, isSigned, results] = decodeAbiParameters(
      probeOutput,
      output,
    );
    return results.length === count
      ? { chainId, blockNumber, blockSeconds, hasWallet, isSigned, results }
      : null;
  } catch {
    return null;
  }
}

function findOtherChain(client: ChainClient, output: Hex, count: number): bigint | null {
  if (isOfOwnChain(client, output)) return null;
  return decodeProbe(output, count)?.chainId ?? null;
}

/** The second and third word. */
function readBlock(client: ChainClient, output: Hex): SeenBlock | null {
  if (!isOfOwnChain(client, output) || output.length < 2 + 3 * 64) return null;
  const readWordAt = (index: number) => BigInt(`0x${output.slice(2 + index * 64, 2 + (index + 1) * 64)}`);
  return { blockNumber: readWordAt(1), blockSeconds: readWordAt(2), isOfHeader: false };
}

function isOfOwnChain(client: ChainClient, output: Hex): boolean {
  return output.startsWith(`0x${client.chain.id.toString(16).padStart(64, "0")}`);
}

function toProbeSignature({ wallet, hash, signature, deployment }: WalletSignature) {
  const { factory, data: factoryData } = deployment ?? { factory: zeroAddress, data: "0x" };
  return { wallet, hash, signature, factory, factoryData };
}

/** Reads the header because contracts on some chains see another block number. The newest block by default. */
export async function readHeader(client: ChainClient, block?: bigint): Promise<SeenBlock> {
  const params = [nameBlock(block), false];
  try {
    const header = await client.ask({ method: "eth_getBlockByNumber", params, mustBeNewest: true });
    const found = readBlockHeader(header);
    if (found) return found;
  } catch (error) {
    throw isChainOutage(error) ? chainUnavailable(error) : error;
  }
  throw chainUnavailable(new Error("The endpoint does not have the requested block."));
}
