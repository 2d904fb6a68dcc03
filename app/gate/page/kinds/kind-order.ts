import type { Outcome } from "~/gate/kinds/requirement";
import { allOf } from "~/gate/kinds/evaluate";
import type { KindFinding } from "./key-choice";
import { kindNamed } from "./page-kind";
import type { PageKind, PageKinds } from "./page-kind";
import type { RequirementNode } from "./requirement-tree";

const ranks: Record<Outcome, number> = { met: 0, unknown: 1, unmet: 2 };

/** Whether a wallet can use a kind, by what its own network says; the server decides. */
export function usabilityOf(kind: PageKind, finding: KindFinding | undefined): Outcome {
  if (!finding) return "unknown";
  const { requirement } = finding;
  return allOf([keyOutcome(kind, finding), kind.requirement ? outcomeOf(requirement) : "met"]);
}

function outcomeOf(requirement: RequirementNode | null): Outcome {
  return requirement === null || requirement.type === "secret" ? "unknown" : requirement.outcome;
}

function keyOutcome(kind: PageKind, { tokenIds }: KindFinding): Outcome {
  if (kind.standard === "membership") return "met";
  if (tokenIds === null) return "unknown";
  return tokenIds.length > 0 ? "met" : "unmet";
}

/** Those that the wallet can use first, then those that cannot be told; else as the operator has them. */
export function orderFindings(kinds: PageKinds, findings: readonly KindFinding[]): KindFinding[] {
  const rankOf = (finding: KindFinding) => ranks[usabilityOf(kindNamed(kinds, finding.name), finding)];
  return [...findings].sort((one, other) => rankOf(one) - rankOf(other));
}
