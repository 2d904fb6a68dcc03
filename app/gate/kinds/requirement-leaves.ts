import type { KeyKind } from "./kind";
import type { Leaf, Requirement } from "./requirement";

/** A leaf, and where in its kind it stands: `also.any[0]`. */
export type PlacedLeaf = { leaf: Leaf; place: string };

/** From left to right, as `index` in a verdict counts them. */
export function listLeaves(requirement: Requirement): Leaf[] {
  return walk(requirement, "").map(({ leaf }) => leaf);
}

/** In the same order. */
export function placeLeaves({ requirement, standard }: KeyKind): PlacedLeaf[] {
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
