import { BaseError, encodeDeployData, zeroAddress, zeroHash } from "viem";
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
  let output: unknown;
  try {
    output = await client.ask({ method: "eth_call", params: [{ from: caller, data }, "latest"] });
  } catch (error) {
    const refused = findRpcError(error);
    if (refused) return { refused };
    if (error instanceof BaseError) throw chainUnavailable(error);
    throw error;
  }
  const read = readProbeOutput({ output: String(output), count });
  if (read) return read;
  // The probe never fails itself, so it was not run.
  return { refused: new Error("The answer to a call without a recipient is not what its code returns.") };
}

/** Words before the answers: chain id, block, its time, verdict, where the list begins, and how long it is. */
const headWords = 6;
const listStart = 5n * 32n;
const wordsPerAnswer = 4;
const wordDigits = 64;

/**
 * `(uint256 chainId, uint256 blockNumber, uint256 blockTimestamp, bool isSigned, (bool hasCode, bool success, uint256
 * size, uint256 word)[] answers)`, or null where it is anything else. By hand, because each part is one word, and the
 * general decoder takes as long as the request itself (docs/decisions/030-what-a-sign-in-costs.md).
 */
export function readProbeOutput({ output, count }: { output: string; count: number }): ProbeOutput | null {
  const digits = output.slice(2);
  if (digits.length !== (headWords + count * wordsPerAnswer) * wordDigits) return null;
  if (!/^0x[0-9a-fA-F]+$/.test(output)) return null;
  const word = (index: number) => BigInt(`0x${digits.slice(index * wordDigits, (index + 1) * wordDigits)}`);
  const flags = [word(3)];
  const answers = Array.from({ length: count }, (_, index): Answer => {
    const at = headWords + index * wordsPerAnswer;
    const [hasCode, success] = [word(at), word(at + 1)];
    flags.push(hasCode, success);
    return { hasCode: hasCode === 1n, success: success === 1n, size: word(at + 2), word: word(at + 3) };
  });
  if (flags.some((flag) => flag > 1n) || word(4) !== listStart || word(5) !== BigInt(count)) return null;
  return { chainId: word(0), blockNumber: word(1), isSigned: flags[0] === 1n, answers };
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
