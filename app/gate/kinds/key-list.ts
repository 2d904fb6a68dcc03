import type { KeyKind } from "./kind";
import type { KeyList, PublicRequirement } from "./keys.openapi";
import { labelOf } from "./requirement-report";
import type { Leaf, Requirement } from "./requirement";

/** The public part: no addresses of lists, no secret leaves. */
export function toKeyList(kinds: readonly KeyKind[]): KeyList {
  return { keys: kinds.map(toPublicKind) };
}

function toPublicKind({ name, title, standard, chainId, contract, requirement, ...rest }: KeyKind) {
  const shown = requirement && toPublicRequirement(requirement);
  return {
    name,
    title,
    standard,
    chainId,
    ...(contract && { contract }),
    ...(shown && (standard === "membership" ? { requires: shown } : { also: shown })),
    opens: [...rest.opens],
    ...(rest.get && { get: rest.get }),
  };
}

function toPublicRequirement(requirement: Requirement): PublicRequirement {
  switch (requirement.type) {
    case "all":
      return { all: requirement.of.map(toPublicRequirement) };
    case "any":
      return { any: requirement.of.map(toPublicRequirement) };
    case "not":
      return { not: toPublicRequirement(requirement.of) };
    case "leaf":
      return requirement.leaf.isSecret ? { secret: true } : toPublicLeaf(requirement.leaf);
  }
}

function toPublicLeaf(leaf: Leaf): PublicRequirement {
  const notes = { label: labelOf(leaf), ...(leaf.get && { get: leaf.get }) };
  if (leaf.type === "addresses") return { list: true, ...notes };
  const { chainId } = leaf;
  if (leaf.type === "unlock") return { unlock: leaf.contract, chainId, ...notes };
  const counted = { chainId, atLeast: leaf.atLeast.toString(), ...notes };
  switch (leaf.type) {
    case "erc721":
      return { erc721: leaf.contract, ...counted };
    case "erc20":
      return { erc20: leaf.contract, ...counted };
    case "erc1155":
      return { erc1155: leaf.contract, tokenId: leaf.tokenId, ...counted };
    case "native":
      return { native: true, ...counted };
  }
}
