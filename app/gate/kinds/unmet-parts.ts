import type { UnmetPart } from "~/platform/refusals/refusal";
import type { Judgement } from "./kind";
import { labelOf } from "./leaf-label";
import type { Verdict } from "./requirement";

type LeafVerdict = Extract<Verdict, { type: "leaf" }>;

/** The key itself where it is not held, and the leaves that made the rest unmet. */
export function listUnmet({ key, requirement }: Pick<Judgement, "key" | "requirement">): UnmetPart[] {
  const ofKey: UnmetPart[] = key?.outcome === "unmet" ? [{ place: "key", label: null, isSecret: false }] : [];
  const leaves = requirement?.outcome === "unmet" ? listDeciding(requirement) : [];
  return [
    ...ofKey,
    ...leaves.map(({ leaf, index }) => {
      return { place: index, label: labelOf(leaf), isSecret: leaf.isSecret };
    }),
  ];
}

/** Those without which the outcome would be another: of a group the parts that came out as it did. */
function listDeciding(verdict: Verdict): LeafVerdict[] {
  switch (verdict.type) {
    case "leaf":
      return [verdict];
    case "not":
      return listDeciding(verdict.of);
    default:
      return verdict.of.filter(({ outcome }) => outcome === verdict.outcome).flatMap(listDeciding);
  }
}
