import { getAddress, toFunctionSelector } from "viem";
import type { Address } from "viem";
import { Refusal, chainUnavailable } from "~/platform/refusals/refusal";
import type { Answer, Read } from "./chain-answers";

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
const biggestAddress = (1n << 160n) - 1n;

/** Encoded by hand, because every argument is one word and the general encoder hashes the name each time. */
export function makeRead(target: Address, signature: Signature, words: readonly bigint[]): Read {
  const encoded = words.map((word) => word.toString(16).padStart(64, "0")).join("");
  return { target, data: `${selectors.get(signature) as "0x"}${encoded}` };
}

/** Throws where there is no contract, which is no contract's way of saying no. */
export function requireCode(answer: Answer | undefined, contract: Address): Answer {
  if (answer?.hasCode) return answer;
  throw unusable(
    `There is no contract at ${contract} on this chain. Check KEY_CONTRACT_ADDRESS and CHAIN_ID, or KEYS_FILE.`,
  );
}

/** One word as the contract gave it; null when it reverted, which is its way of saying no. */
export function readWord(given: Answer | undefined, name: string, contract: Address): bigint | null {
  if (given?.refusal) throw chainUnavailable(given.refusal);
  const answer = requireCode(given, contract);
  if (!answer.success) return null;
  if (answer.size >= 32n) return answer.word;
  throw unusable(
    `${contract} answers ${name} with ${answer.size} bytes. Check KEY_CONTRACT_ADDRESS and KEY_STANDARD, or KEYS_FILE.`,
  );
}

/** The same of what no sound contract reverts: then it is not known, and above all it is not zero. */
export function requireWord(given: Answer | undefined, name: string, contract: Address): bigint {
  const word = readWord(given, name, contract);
  if (word !== null) return word;
  throw unusable(
    `${contract} does not answer ${name}. Check KEY_CONTRACT_ADDRESS and KEY_STANDARD, or KEYS_FILE.`,
  );
}

/** Null for a revert and for nobody's address. */
export function readAddress(answer: Answer | undefined, name: string, contract: Address): Address | null {
  const word = readWord(answer, name, contract);
  if (word === null || word === 0n) return null;
  if (word <= biggestAddress) return getAddress(`0x${word.toString(16).padStart(40, "0")}`);
  throw unusable(`${contract} answers ${name} with something that is no address.`);
}

/** Whether something thrown means that it could not be known, rather than a defect of ours. */
export function isUnavailable(error: unknown): error is Refusal {
  return error instanceof Refusal && error.refusalName === "chain-unavailable";
}

function unusable(reason: string) {
  return chainUnavailable(new Error(reason));
}
