import type { Leaf, Outcome, Reading, Requirement, Verdict } from "./requirement";

type ReadLeaf = (leaf: Leaf, index: number) => Reading;

/** Every leaf is read, from left to right, also where the outcome is certain before: the whole tree is told. */
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

const opposite = { met: "unmet", unmet: "met", unknown: "unknown" } as const;

/** Unmet for certain as soon as one is, whatever else is unknown. */
export function allOf(outcomes: readonly Outcome[]): Outcome {
  if (outcomes.includes("unmet")) return "unmet";
  return outcomes.includes("unknown") ? "unknown" : "met";
}

/** Met as soon as one is, whatever else is unknown. */
function anyOf(outcomes: readonly Outcome[]): Outcome {
  if (outcomes.includes("met")) return "met";
  return outcomes.includes("unknown") ? "unknown" : "unmet";
}
