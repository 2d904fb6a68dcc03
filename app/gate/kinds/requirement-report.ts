import type { Judgement, KeyKind } from "./kind";
import { labelOf } from "./leaf-label";
import type { Leaf, Offer, Outcome, Verdict } from "./requirement";

/** What a wallet that was proven is told of a leaf. Amounts in base units. */
export type LeafReport = {
  label: string;
  outcome: Outcome;
  needed?: string;
  held?: string;
  /** Where it is known, for showing amounts to people. */
  decimals?: number;
  chainId?: number;
  get?: Offer;
};

export type RequirementReport =
  | LeafReport
  | { secret: true }
  | { outcome: Outcome; all: RequirementReport[] }
  | { outcome: Outcome; any: RequirementReport[] }
  | { outcome: Outcome; not: RequirementReport };

export type Judged = {
  kind: Pick<KeyKind, "title" | "standard" | "chainId" | "get">;
  tokenId: string;
  judgement: Pick<Judgement, "outcome" | "key" | "requirement">;
};

/** The whole tree, also where its first part decided. */
export function reportRequirements({ kind, tokenId, judgement }: Judged): RequirementReport {
  const { outcome, key, requirement } = judgement;
  if (!key && requirement) return reportVerdict(requirement);
  const parts = requirement ? [reportVerdict(requirement)] : [];
  return { outcome, all: key ? [reportKey(kind, tokenId, key.outcome), ...parts] : parts };
}

function reportKey(
  { standard, chainId, get }: Judged["kind"],
  tokenId: string,
  outcome: Outcome,
): LeafReport {
  const place = { chainId, ...(get && { get }) };
  if (standard === "membership") return { label: "may sign in for this wallet", outcome, ...place };
  const needed = standard === "unlock" ? validMembership : "1";
  return { label: `holds key #${tokenId}`, outcome, needed, ...place };
}

const validMembership = "valid membership";
const nativeDecimals = 18;

export function reportVerdict(verdict: Verdict): RequirementReport {
  const { outcome } = verdict;
  switch (verdict.type) {
    case "all":
      return { outcome, all: verdict.of.map(reportVerdict) };
    case "any":
      return { outcome, any: verdict.of.map(reportVerdict) };
    case "not":
      return { outcome, not: reportVerdict(verdict.of) };
    case "leaf":
      return verdict.leaf.isSecret ? { secret: true } : reportLeaf(verdict);
  }
}

/** Secret leaves too: for the operator. */
export function reportLeaf({ leaf, outcome, reading }: Extract<Verdict, { type: "leaf" }>): LeafReport {
  const decimals = reading.decimals ?? (leaf.type === "native" ? nativeDecimals : undefined);
  return {
    label: labelOf(leaf),
    outcome,
    ...neededOf(leaf),
    ...("atLeast" in leaf && reading.held !== undefined && { held: reading.held.toString() }),
    ...(decimals !== undefined && { decimals }),
    ...("chainId" in leaf && { chainId: leaf.chainId }),
    ...(leaf.get && { get: leaf.get }),
  };
}

function neededOf(leaf: Leaf): { needed?: string } {
  if (leaf.type === "unlock") return { needed: validMembership };
  return "atLeast" in leaf ? { needed: leaf.atLeast.toString() } : {};
}

const maxMissingChars = 300;

/** A sentence for `detail`: whether the key is held, by whichever wallet, and what is missing. Null where the key is missing. */
export function describeMissing({ kind, tokenId, judgement }: Judged): string | null {
  const { key, requirement } = judgement;
  if (requirement?.outcome !== "unmet" || key?.outcome === "unmet") return null;
  const told = findMissing(requirement);
  const ofToken =
    key?.outcome === "unknown"
      ? `Whether key #${tokenId} is held cannot be checked right now, and something else is missing for certain`
      : `Key #${tokenId} is held, and something else is missing`;
  const beginning = kind.standard === "membership" ? `What ${kind.title} asks for is not met` : ofToken;
  if (told === null) return `${beginning}: what it is, is not told.`;
  return `${beginning}: ${told.length > maxMissingChars ? "`requirements` lists it" : told}.`;
}

/** Of an unmet verdict, in words; null where only secret leaves are to blame. */
function findMissing(verdict: Verdict): string | null {
  switch (verdict.type) {
    case "all":
      return join(verdict.of.filter(({ outcome }) => outcome === "unmet").map(findMissing), " and ");
    case "any":
      return join(verdict.of.map(findMissing), " or ");
    case "not":
      return negate(describeWhole(verdict.of));
    case "leaf":
      return verdict.leaf.isSecret ? null : labelOf(verdict.leaf);
  }
}

/** Secret leaves are left out. */
function describeWhole(verdict: Verdict): string | null {
  switch (verdict.type) {
    case "all":
    case "any":
      return join(verdict.of.map(describeWhole), verdict.type === "all" ? " and " : " or ");
    case "not":
      return negate(describeWhole(verdict.of));
    case "leaf":
      return verdict.leaf.isSecret ? null : labelOf(verdict.leaf);
  }
}

function negate(words: string | null): string | null {
  return words === null ? null : `not “${words}”`;
}

function join(parts: readonly (string | null)[], word: string): string | null {
  const told = parts.filter((part) => part !== null);
  return told.length === 0 ? null : told.join(word);
}
