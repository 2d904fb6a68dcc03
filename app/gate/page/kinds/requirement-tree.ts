import type { Offer, Outcome } from "~/gate/kinds/requirement";
import { asRecord } from "~/platform/refusals/notice";

/** One thing to hold, and what came out. Amounts are whole numbers, in base units where `decimals` is known. */
export type LeafNode = {
  type: "leaf";
  label: string;
  outcome: Outcome;
  needed: string | null;
  held: string | null;
  decimals: number | null;
  chainId: number | null;
  offer: Offer | null;
};

/** What a kind of key asks for, with what came out at each node. Of a secret leaf nothing is known. */
export type RequirementNode =
  | { type: "all" | "any"; outcome: Outcome; of: RequirementNode[] }
  | { type: "not"; outcome: Outcome; of: RequirementNode }
  | { type: "secret" }
  | LeafNode;

/** Beyond what any kind can have: the key's own row above a requirement 5 deep, with 50 leaves. */
const maxDepth = 8;
const maxNodes = 400;
const maxTextCharacters = 300;
const maxDecimals = 77;

/** The member `requirements` of a refusal, read without trust; null where it is none. */
export function readRequirements(value: unknown): RequirementNode | null {
  let nodesLeft = maxNodes;

  function read(given: unknown, depth: number): RequirementNode | null {
    nodesLeft -= 1;
    if (nodesLeft < 0 || depth > maxDepth) return null;
    const node = asRecord(given);
    if (node.secret === true) return { type: "secret" };
    const outcome = readOutcome(node.outcome);
    if (outcome === null) return null;
    for (const type of ["all", "any"] as const) {
      if (!Array.isArray(node[type])) continue;
      const of = node[type].map((each) => read(each, depth + 1));
      return of.every((each) => each !== null) ? { type, outcome, of } : null;
    }
    if (node.not !== undefined) {
      const of = read(node.not, depth + 1);
      return of && { type: "not", outcome, of };
    }
    return readLeaf(node, outcome);
  }

  return read(value, 1);
}

function readLeaf(node: Record<string, unknown>, outcome: Outcome): LeafNode | null {
  const label = readText(node.label);
  if (label === null) return null;
  return {
    type: "leaf",
    label,
    outcome,
    needed: readText(node.needed),
    held: readText(node.held),
    decimals: readWhole(node.decimals, maxDecimals),
    chainId: readWhole(node.chainId, Number.MAX_SAFE_INTEGER),
    offer: readOffer(node.get),
  };
}

function readOutcome(value: unknown): Outcome | null {
  return value === "met" || value === "unmet" || value === "unknown" ? value : null;
}

function readText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value.slice(0, maxTextCharacters) : null;
}

function readWhole(value: unknown, max: number): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= max
    ? value
    : null;
}

/** It becomes a link: no other scheme. */
function readOffer(value: unknown): Offer | null {
  const { url, text } = asRecord(value);
  if (typeof url !== "string" || !/^https?:\/\//i.test(url)) return null;
  return { url, text: readText(text) ?? "Get it" };
}
