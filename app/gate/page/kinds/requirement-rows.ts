import { formatAmount } from "~/gate/kinds/amount";
import type { LeafNode, RequirementNode } from "./requirement-tree";
import type { Outcome } from "~/gate/kinds/requirement";

/** One leaf. `isNegated`: it must not be held; the outcome is of that. */
export type RequirementRow = LeafNode & { isNegated: boolean };

/** `outcome` is null where it could tell of a secret leaf. */
export type RequirementGroup = {
  type: "all" | "any";
  outcome: Outcome | null;
  of: (RequirementRow | RequirementGroup)[];
  /** Whether something is asked for that is not told. */
  hasUntold: boolean;
};

/**
 * The tree as it is drawn: groups of rows, a row for each leaf. A `not` goes down to the leaves, where people
 * understand it; a group in a group of the same kind, or with one member, is none of its own.
 */
export function toRequirementGroup(node: RequirementNode): RequirementGroup {
  const drawn = draw(node, false);
  return drawn.type === "all" || drawn.type === "any"
    ? drawn
    : toGroup("all", drawn.type === "leaf" ? drawn.outcome : null, [drawn]);
}

type Drawn = RequirementGroup | RequirementRow | { type: "secret" };

function draw(node: RequirementNode, isNegated: boolean): Drawn {
  switch (node.type) {
    case "secret":
      return node;
    case "leaf":
      return { ...node, isNegated, outcome: turn(node.outcome, isNegated) };
    case "not":
      return draw(node.of, !isNegated);
    default: {
      // None of some: each of them not. Not all of them: one of them not.
      const type = isNegated ? (node.type === "all" ? "any" : "all") : node.type;
      const of = node.of.map((each) => draw(each, isNegated));
      return of.length === 1 ? of[0]! : toGroup(type, turn(node.outcome, isNegated), of);
    }
  }
}

function toGroup(type: "all" | "any", outcome: Outcome | null, members: readonly Drawn[]): RequirementGroup {
  const merged = members.flatMap((each): Drawn[] =>
    each.type === type ? [...each.of, ...(each.hasUntold ? [{ type: "secret" } as const] : [])] : [each],
  );
  const of = merged.filter((each) => each.type !== "secret");
  const hasUntold = of.length < merged.length;
  return { type, outcome: hasUntold || of.some(isSilent) ? null : outcome, of, hasUntold };
}

function isSilent(each: RequirementRow | RequirementGroup): boolean {
  return each.outcome === null;
}

function turn(outcome: Outcome, isNegated: boolean): Outcome {
  if (!isNegated || outcome === "unknown") return outcome;
  return outcome === "met" ? "unmet" : "met";
}

/** What is needed and what is held, in people's units where the token says its decimals; empty where neither is known. */
export function amountsText({ needed, held, decimals, isNegated }: RequirementRow): string {
  const facts = [
    needed && `Needed: ${isNegated ? lessThan(needed, decimals) : inUnits(needed, decimals)}.`,
    held && `Held: ${inUnits(held, decimals)}.`,
  ];
  return facts.filter(Boolean).join(" ");
}

function lessThan(needed: string, decimals: number | null): string {
  if (!/^\d+$/.test(needed)) return `no ${needed}`;
  return needed === "1" && !decimals ? "none" : `less than ${inUnits(needed, decimals)}`;
}

/** What is no number, "valid membership", is said as it is. */
function inUnits(amount: string, decimals: number | null): string {
  return /^\d+$/.test(amount) ? formatAmount(amount, decimals ?? 0) : amount;
}
