import type { Address } from "viem";
import type { Leaf, Reading } from "../../kinds/requirement";
import type { Answer, Read } from "./chain-answers";
import { makeRead, readWord, requireWord } from "./read";

/** A leaf that a chain is asked about. */
export type ChainLeaf = Exclude<Leaf, { type: "addresses" }>;

/** Of the coin of every such chain. */
const nativeDecimals = 18;

/** An endpoint that refuses one leaf leaves the others known. */
export function makeLeafRead(leaf: ChainLeaf, holder: Address): Read {
  return { ...encodeLeaf(leaf, BigInt(holder), holder), isOptional: true };
}

function encodeLeaf(leaf: ChainLeaf, holderWord: bigint, holder: Address): Read {
  switch (leaf.type) {
    case "native":
      return { target: holder, data: "0x" };
    case "erc1155":
      return makeRead(leaf.contract, "balanceOf(address,uint256)", [holderWord, BigInt(leaf.tokenId)]);
    case "unlock":
      return makeRead(leaf.contract, "getHasValidKey(address)", [holderWord]);
    default:
      return makeRead(leaf.contract, "balanceOf(address)", [holderWord]);
  }
}

export function makeDecimalsRead(contract: Address): Read {
  return { ...makeRead(contract, "decimals()", []), isOptional: true };
}

/** Null where the token does not say; undefined where it was not heard, so that it is asked again. */
export function readDecimals({ hasCode, refusal, success, size, word }: Answer): number | null | undefined {
  if (!hasCode || refusal) return undefined;
  return success && size >= 32n && word <= 255n ? Number(word) : null;
}

type LeafContext = {
  decimals: number | undefined;
  /** As of an older block: a contract that was deployed after it held nothing for anybody. */
  isPast: boolean;
};

/** Throws chain-unavailable where it cannot be known. */
export function readLeafAnswer(leaf: ChainLeaf, answer: Answer, { decimals, isPast }: LeafContext): Reading {
  if (leaf.type === "native") {
    const held = readWord({ ...answer, hasCode: true }, "a balance", "0x");
    return compare(held ?? 0n, leaf.atLeast, nativeDecimals);
  }
  const isAbsent = isPast && !answer.hasCode;
  if (leaf.type === "unlock") {
    const isValid = !isAbsent && requireWord(answer, "getHasValidKey", leaf.contract) === 1n;
    return { outcome: isValid ? "met" : "unmet" };
  }
  const held = isAbsent ? 0n : requireWord(answer, "balanceOf", leaf.contract);
  return compare(held, leaf.atLeast, decimals);
}

function compare(held: bigint, atLeast: bigint, decimals: number | undefined): Reading {
  return {
    outcome: held >= atLeast ? "met" : "unmet",
    held,
    ...(decimals === undefined ? {} : { decimals }),
  };
}

/** What is known of a leaf whose chain is away. */
export function makeUnknown(leaf: ChainLeaf, decimals: number | undefined): Reading {
  const known = leaf.type === "native" ? nativeDecimals : decimals;
  return { outcome: "unknown", ...(known === undefined ? {} : { decimals: known }) };
}
