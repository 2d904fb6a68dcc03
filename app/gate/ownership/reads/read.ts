import { getAddress, toFunctionSelector } from "viem";
import type { Address, Hex } from "viem";
import type { SeenBlock } from "~/platform/chain/seen-block";
import { Refusal, chainUnavailable } from "~/platform/refusals/refusal";

/** A signature that only the wallet's own code can verify (ERC-1271, ERC-6492). */
export type WalletSignature = {
  wallet: Address;
  hash: Hex;
  signature: Hex;
  /** The call that deploys the wallet, if the signature contains one. */
  deployment: { factory: Address; data: Hex } | null;
};
/** `valid-undeployed`: valid once the call in the signature has deployed the wallet. */
export type SignatureVerdict = "valid" | "valid-undeployed" | "invalid" | "no-code";

export type Read = {
  target: Address;
  /** `0x` reads the target's balance. */
  data: Hex;
  /** The other reads still count if an endpoint refuses this one. */
  isOptional?: boolean;
};
export type ReadResult = {
  hasCode: boolean;
  success: boolean;
  /** A probe's read that used nearly all the gas it got. */
  tookAllGas?: boolean;
  size: bigint;
  word: bigint;
  /** The endpoint's error for an optional read. */
  refusal?: Error;
};
/** Results as of one block. */
export type ReadResults = SeenBlock & { results: readonly ReadResult[]; verdict: SignatureVerdict | null };

export type KeyReading = {
  /** Null if there is no such key. ERC-1155 has no single owner. */
  owner: Address | null;
  /** Who rents the key now, and holds it in place of the owner. */
  user: Address | null;
  /** The wallet's units, for ERC-1155 only. */
  balance: bigint | null;
  /** For Unlock memberships only. */
  hasExpired: boolean;
};

const signatures = [
  "supportsInterface(bytes4)",
  "ownerOf(uint256)",
  "isValidKey(uint256)",
  "userOf(uint256)",
  "userExpires(uint256)",
  "balanceOf(address)",
  "balanceOf(address,uint256)",
  "decimals()",
  "getHasValidKey(address)",
  "exists(uint256)",
  "totalSupply(uint256)",
  "checkDelegateForAll(address,address,bytes32)",
  "checkDelegateForERC721(address,address,address,uint256,bytes32)",
  "checkDelegateForERC1155(address,address,address,uint256,bytes32)",
] as const;
type Signature = (typeof signatures)[number];
const selectors = new Map<string, string>(signatures.map((text) => [text, toFunctionSelector(text)]));
const maxAddress = (1n << 160n) - 1n;

/** Encodes by hand: every argument is one word, and viem's encoder hashes the signature each time. */
export function makeRead(target: Address, signature: Signature, words: readonly bigint[]): Read {
  const encoded = words.map((word) => word.toString(16).padStart(64, "0")).join("");
  return { target, data: `${selectors.get(signature) as "0x"}${encoded}` };
}

export function makeOptionalRead(...parameters: Parameters<typeof makeRead>): Read {
  return { ...makeRead(...parameters), isOptional: true };
}

/** A missing contract is a configuration error. It doesn't mean that a key is not held. */
export function requireCode(result: ReadResult | undefined, contract: Address): ReadResult {
  if (result?.hasCode) return result;
  throw unusable(
    `There is no contract at ${contract} on this chain. Check KEY_CONTRACT_ADDRESS and CHAIN_ID, or KEYS_FILE.`,
  );
}

/** Null if the call reverted. */
export function readWord(given: ReadResult | undefined, name: string, contract: Address): bigint | null {
  if (given?.refusal) throw chainUnavailable(given.refusal);
  const result = requireCode(given, contract);
  if (!result.success) return null;
  if (result.size >= 32n) return result.word;
  throw unusable(
    `${contract} returns ${result.size} bytes from ${name}. Check KEY_CONTRACT_ADDRESS and KEY_STANDARD, or KEYS_FILE.`,
  );
}

/** For calls that no sound contract reverts. A revert is unknown here, never zero. */
export function requireWord(given: ReadResult | undefined, name: string, contract: Address): bigint {
  const word = readWord(given, name, contract);
  if (word !== null) return word;
  throw unusable(
    `${contract} does not answer ${name}. Check KEY_CONTRACT_ADDRESS and KEY_STANDARD, or KEYS_FILE.`,
  );
}

/** Null for a revert and for the zero address. */
export function readAddress(result: ReadResult | undefined, name: string, contract: Address): Address | null {
  const word = readWord(result, name, contract);
  if (word === null || word === 0n) return null;
  if (word <= maxAddress) return getAddress(`0x${word.toString(16).padStart(40, "0")}`);
  throw unusable(`${contract} returns something from ${name} that is not an address.`);
}

/** Whether an error means that the chain is unavailable, not a defect of ours. */
export function isUnavailable(error: unknown): error is Refusal {
  return error instanceof Refusal && error.refusalName === "chain-unavailable";
}

function unusable(reason: string) {
  return chainUnavailable(new Error(reason));
}
