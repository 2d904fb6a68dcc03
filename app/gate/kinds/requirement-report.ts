import type { Judgement, KeyKind } from "./kind";
import type { Leaf, Offer, Outcome, Verdict } from "./requirement";
import type { UnmetPart } from "~/platform/refusals/refusal";

/** Amounts are in base units. */
export type LeafReport = {
  label: string;
  outcome: Outcome;
  needed?: string;
  held?: string;
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

/** Reports the whole tree, even if its first part decided. */
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

function reportVerdict(verdict: Verdict): RequirementReport {
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

function reportLeaf({ leaf, outcome, reading }: Extract<Verdict, { type: "leaf" }>): LeafReport {
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

/** A sentence for `detail`. Null if the key itself is missing. */
export function describeMissing({ kind, tokenId, judgement }: Judged): string | null {
  const { key, requirement } = judgement;
  if (requirement?.outcome !== "unmet" || key?.outcome === "unmet") return null;
  const named = findMissing(requirement);
  const ofToken =
    key?.outcome === "unknown"
      ? `Whether key #${tokenId} is held cannot be checked right now, and something else is missing for certain`
      : `Key #${tokenId} is held, and something else is missing`;
  const beginning = kind.standard === "membership" ? `What ${kind.title} asks for is not met` : ofToken;
  if (named === null) return `${beginning}: what it is, is not told.`;
  return `${beginning}: ${named.length > maxMissingChars ? "`requirements` lists it" : named}.`;
}

/** Null if only secret leaves are unmet. */
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

/** Omits secret leaves. */
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
  const named = parts.filter((part) => part !== null);
  return named.length === 0 ? null : named.join(word);
}

/** The operator's label, or a description of the leaf. */
export function labelOf(leaf: Leaf): string {
  return leaf.label ?? describe(leaf);
}

function describe(leaf: Leaf): string {
  switch (leaf.type) {
    case "erc721":
      return `NFT of ${shorten(leaf.contract)} on chain ${leaf.chainId}`;
    case "erc20":
      return `Token ${shorten(leaf.contract)} on chain ${leaf.chainId}`;
    case "erc1155":
      return `Token #${leaf.tokenId} of ${shorten(leaf.contract)} on chain ${leaf.chainId}`;
    case "native":
      return `Coin of chain ${leaf.chainId}`;
    case "unlock":
      return `Membership of ${shorten(leaf.contract)} on chain ${leaf.chainId}`;
    case "addresses":
      return "On a list of addresses";
  }
}

function shorten(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

type LeafVerdict = Extract<Verdict, { type: "leaf" }>;

/** The key itself if it is not held, and the leaves that made the rest unmet. */
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

/** The leaves that decided the outcome. */
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

/** 2500000 base units with 6 decimals are 2.5. Exact, because a rounded amount could look sufficient. */
export function formatAmount(baseUnits: string, decimals: number): string {
  const digits = baseUnits.replace(/^0+(?=\d)/, "").padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  const whole = digits.slice(0, point).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
  const fraction = digits.slice(point).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
