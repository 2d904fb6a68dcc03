import { formatAmount, labelOf } from "~/gate/kinds/requirement-report";
import type { SurveyedKind } from "~/gate/ownership/survey.server";
import type { KeyKind } from "~/gate/kinds/kind";
import type { Leaf, Reading, Verdict } from "~/gate/kinds/requirement";
import { listLeaves } from "~/gate/kinds/requirement";
import type { CheckedKind, CheckedNode, CheckedPart } from "./check-view";

type KeyFacts = SurveyedKind["key"];

export function describeKind(surveyed: SurveyedKind): CheckedKind {
  const { kind, tokenId, judgement, state } = surveyed;
  const { name, title } = kind;
  return {
    name,
    title,
    // What a kind asks for besides can be enough to refuse, never to admit.
    outcome: tokenId === null && judgement.outcome === "met" ? "not-asked" : judgement.outcome,
    key: judgement.key && { ...describeKey(kind, tokenId!, surveyed.key), outcome: judgement.key.outcome },
    requirement: judgement.requirement && describeNode(judgement.requirement),
    kept: state && {
      tokenId: tokenId!,
      usedBy: state.used?.usedBy ?? null,
      usedAtMs: state.used?.usedAtMs ?? null,
      departedAtMs: state.departedAtMs,
    },
    blocks: describeBlocks(surveyed),
  };
}

function describeKey(
  { contract, chainId, standard }: KeyKind,
  tokenId: string,
  key: KeyFacts,
): Omit<CheckedPart, "outcome"> {
  const label = `Holds key #${tokenId}`;
  const where = `${standard} ${contract} on chain ${chainId}`;
  if (key === null) return { label, facts: [where, "could not be read"] };
  const { owner, user, balance, hasExpired } = key;
  if (balance !== null) return { label, facts: [where, `holds ${balance}`] };
  if (owner === null) return { label, facts: [where, "there is no such key"] };
  return {
    label,
    facts: [
      where,
      `owned by ${owner.toLowerCase()}`,
      ...(user ? [`rented to ${user.toLowerCase()}`] : []),
      ...(hasExpired ? ["its membership has expired"] : []),
    ],
  };
}

const groupWords = { all: "All of these", any: "At least one of these", not: "Not this" } as const;

function describeNode(verdict: Verdict): CheckedNode {
  const { outcome } = verdict;
  if (verdict.type === "leaf") {
    const { leaf, index, reading } = verdict;
    const facts = describeLeaf(leaf, reading);
    return { type: "leaf", index, isSecret: leaf.isSecret, label: labelOf(leaf), outcome, facts };
  }
  const of = verdict.type === "not" ? [verdict.of] : verdict.of;
  return { type: "group", words: groupWords[verdict.type], outcome, of: of.map(describeNode) };
}

function describeLeaf(leaf: Leaf, { outcome, held, decimals }: Reading): string[] {
  if (leaf.type === "addresses") return [outcome === "met" ? "is on the list" : "is not on the list"];
  const where = `${describeAsset(leaf)} on chain ${leaf.chainId}`;
  if (outcome === "unknown") return [where, ...describeNeed(leaf, decimals), "could not be read"];
  if (leaf.type === "unlock")
    return [where, outcome === "met" ? "the membership is valid" : "there is no valid membership"];
  return [where, ...describeNeed(leaf, decimals), `holds ${describeAmount(held ?? 0n, leaf, decimals)}`];
}

function describeNeed(leaf: Leaf, decimals: number | undefined): string[] {
  return "atLeast" in leaf ? [`needs ${describeAmount(leaf.atLeast, leaf, decimals)}`] : [];
}

function describeAsset(leaf: Exclude<Leaf, { type: "addresses" }>): string {
  if (leaf.type === "native") return "coin";
  const id = leaf.type === "erc1155" ? ` #${leaf.tokenId}` : "";
  return `${leaf.type} ${leaf.contract}${id}`;
}

function describeAmount(amount: bigint, { type }: Leaf, decimals: number | undefined): string {
  if (type === "erc721" || type === "erc1155") return String(amount);
  const units = type === "native" ? "wei" : "base units";
  return decimals === undefined
    ? `${amount} ${units}`
    : `${formatAmount(String(amount), decimals)} (${amount} ${units})`;
}

function describeBlocks({ kind, tokenId, judgement }: SurveyedKind): string[] {
  const read = judgement.blocks.map(({ chainId, blockNumber }) => `Chain ${chainId}: block ${blockNumber}.`);
  const known = new Set(judgement.blocks.map(({ chainId }) => chainId));
  const away = listChains(kind, tokenId).filter((chainId) => !known.has(chainId));
  return [...read, ...away.map((chainId) => `Chain ${chainId} could not be read.`)];
}

function listChains({ contract, chainId, requirement }: KeyKind, tokenId: string | null): number[] {
  const leaves = requirement ? listLeaves(requirement) : [];
  const ofKey = contract !== null && tokenId !== null ? [chainId] : [];
  return [...new Set([...ofKey, ...leaves.flatMap((leaf) => ("chainId" in leaf ? [leaf.chainId] : []))])];
}
