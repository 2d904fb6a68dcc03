import {
  BaseError,
  decodeAbiParameters,
  encodeDeployData,
  parseAbiParameters,
  zeroAddress,
  zeroHash,
} from "viem";
import type { Address, Hex } from "viem";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import { findRpcError } from "~/platform/chain/rpc-answer.server";
import { chainUnavailable } from "~/platform/http/refusal";
import chainProbe from "../../contracts/artifacts/ChainProbe.json";

/** A signature that only its wallet's own code can judge (ERC-1271, ERC-6492). */
export type WalletSignature = {
  wallet: Address;
  hash: Hex;
  signature: Hex;
  /** What makes the wallet exist, when the signature brings it along. */
  deployment: { factory: Address; data: Hex } | null;
};
export type SignatureVerdict =
  | "valid"
  | "invalid"
  /** The wallet does not exist yet, and this chain cannot be asked what it would say if it did. */
  | "uncheckable";

export type Read = {
  target: Address;
  data: Hex;
  /** Of no weight: an endpoint that does not know the call may refuse it, as a contract may. */
  isOptional?: boolean;
};
export type Answer = { hasCode: boolean; success: boolean; size: bigint; word: bigint };
export type Answers = {
  answers: readonly Answer[];
  /** null: no signature was asked about. */
  verdict: SignatureVerdict | null;
  /** The block that was asked; null where the answers do not tell. */
  blockNumber: bigint | null;
};
export type Question = { client: ChainClient; reads: readonly Read[]; signed?: WalletSignature };

/**
 * Whom the calls seem to come from: nobody. Not the zero address, to which some contracts grant more during
 * a simulation than anybody gets in a transaction.
 */
export const caller = "0x1a7c5e00000000000000000000000000001a7c5e";

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
 * Everything in one call that brings its own code. `refused` when the chain was reached and does not run such
 * code; throws chain-unavailable when it was not reached, or is another chain.
 */
export async function askByProbe({ client, reads, signed }: Question): Promise<Answers | { refused: Error }> {
  const data = encodeDeployData({
    abi: chainProbe.abi,
    bytecode: chainProbe.bytecode as Hex,
    args: [reads, signed ? toProbeSignature(signed) : unsigned],
  });
  const run = () => runProbe({ client, data, count: reads.length });
  let result = await run();
  if (!("refused" in result) && result.chainId !== BigInt(client.chain.id)) {
    // The endpoint changed chains since its chain id was checked. Once more, with the check before the answer.
    client.recheckChain();
    result = await run();
  }
  if ("refused" in result) return result;
  const { chainId, blockNumber, isSigned, answers } = result;
  if (chainId !== BigInt(client.chain.id)) {
    throw chainUnavailable(new Error(`The answer came from chain ${chainId}, not ${client.chain.id}.`));
  }
  const verdict = isSigned ? "valid" : "invalid";
  return { answers, blockNumber, verdict: signed ? verdict : null };
}

type ProbeOutput = { chainId: bigint; blockNumber: bigint; isSigned: boolean; answers: readonly Answer[] };

async function runProbe({
  client,
  data,
  count,
}: {
  client: ChainClient;
  data: Hex;
  count: number;
}): Promise<ProbeOutput | { refused: Error }> {
  let output: Hex;
  try {
    output = (await client.ask({ method: "eth_call", params: [{ from: caller, data }, "latest"] })) as Hex;
  } catch (error) {
    const refused = findRpcError(error);
    if (refused) return { refused };
    if (error instanceof BaseError) throw chainUnavailable(error);
    throw error;
  }
  try {
    const [chainId, blockNumber, , isSigned, answers] = decodeAbiParameters(probeAnswer, output);
    if (answers.length === count) return { chainId, blockNumber, isSigned, answers };
  } catch {
    // Not what the probe says. It never fails itself, so it was not run.
  }
  return { refused: new Error("The answer to a call without a recipient is not what its code returns.") };
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
