import type { Address } from "viem";

export type Offer = { url: string; text: string };

export type AddressList = { has: (address: Address) => boolean };

type LeafNotes = { label?: string | undefined; isSecret: boolean; get?: Offer | undefined };

/** Amounts are in base units. */
export type Leaf = LeafNotes &
  (
    | { type: "erc721" | "erc20"; contract: Address; chainId: number; atLeast: bigint }
    | { type: "erc1155"; contract: Address; chainId: number; tokenId: string; atLeast: bigint }
    | { type: "native"; chainId: number; atLeast: bigint }
    | { type: "unlock"; contract: Address; chainId: number }
    | { type: "addresses"; list: AddressList }
  );

export type Requirement =
  | { type: "all" | "any"; of: readonly Requirement[] }
  | { type: "not"; of: Requirement }
  | { type: "leaf"; leaf: Leaf };

/** `unknown`: it could not be read. */
export type Outcome = "met" | "unmet" | "unknown";

/** Amounts are in base units; `decimals` are the token's, if known. */
export type Reading = { outcome: Outcome; held?: bigint | undefined; decimals?: number | undefined };

/** The requirement's tree with its outcomes. */
export type Verdict = { outcome: Outcome } & (
  | { type: "all" | "any"; of: readonly Verdict[] }
  | { type: "not"; of: Verdict }
  /** `index` counts leaves from left to right, from 0. */
  | { type: "leaf"; leaf: Leaf; index: number; reading: Reading }
);

type ReadLeaf = (leaf: Leaf, index: number) => Reading;

/** Reads every leaf from left to right, because the whole tree is reported. */
export function evaluate(requirement: Requirement, readLeaf: ReadLeaf): Verdict {
  let leaves = 0;

  function judge(node: Requirement): Verdict {
    if (node.type === "leaf") {
      const index = leaves++;
      const reading = readLeaf(node.leaf, index);
      return { type: "leaf", outcome: reading.outcome, leaf: node.leaf, index, reading };
    }
    if (node.type === "not") {
      const of = judge(node.of);
      return { type: "not", outcome: opposite[of.outcome], of };
    }
    const of = node.of.map(judge);
    const outcomes = of.map(({ outcome }) => outcome);
    return { type: node.type, outcome: node.type === "all" ? allOf(outcomes) : anyOf(outcomes), of };
  }

  return judge(requirement);
}

export const opposite = { met: "unmet", unmet: "met", unknown: "unknown" } as const;

/** One unmet part decides, whatever else is unknown. */
export function allOf(outcomes: readonly Outcome[]): Outcome {
  if (outcomes.includes("unmet")) return "unmet";
  return outcomes.includes("unknown") ? "unknown" : "met";
}

/** One met part decides, whatever else is unknown. */
export function anyOf(outcomes: readonly Outcome[]): Outcome {
  if (outcomes.includes("met")) return "met";
  return outcomes.includes("unknown") ? "unknown" : "unmet";
}

/** `place` is the leaf's path in its kind: `also.any[0]`. */
type Rooted = { requirement: Requirement | null; standard: string };

export type PlacedLeaf = { leaf: Leaf; place: string };

/** In the order of `index`. */
export function listLeaves(requirement: Requirement): Leaf[] {
  return walk(requirement, "").map(({ leaf }) => leaf);
}

export function placeLeaves({ requirement, standard }: Rooted): PlacedLeaf[] {
  return requirement ? walk(requirement, standard === "membership" ? "requires" : "also") : [];
}

function walk(requirement: Requirement, place: string): PlacedLeaf[] {
  switch (requirement.type) {
    case "leaf":
      return [{ leaf: requirement.leaf, place }];
    case "not":
      return walk(requirement.of, `${place}.not`);
    default:
      return requirement.of.flatMap((one, index) => walk(one, `${place}.${requirement.type}[${index}]`));
  }
}
