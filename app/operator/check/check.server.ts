import type { Address } from "viem";
import { addressSchema } from "~/gate/proofs/gate-bodies";
import { tokenIdSchema } from "~/gate/kinds/token-id";
import type { KeyKind } from "~/gate/kinds/kind";
import type { SurveyedKind, SurveyQuestion } from "~/gate/ownership/survey.server";
import type { Clock } from "~/platform/time/clock";
import type { Actor, SessionStore } from "../sessions.store.server";
import type { CheckedKind, CheckedNode, CheckedPart, CheckForm, CheckPageData } from "./check-view";
import { formatAmount, labelOf } from "~/gate/kinds/requirement-report";
import type { Leaf, Reading, Verdict } from "~/gate/kinds/requirement";
import { listLeaves } from "~/gate/kinds/requirement";

export type CheckDependencies = {
  kinds: readonly KeyKind[];
  survey: (question: SurveyQuestion) => Promise<SurveyedKind[]>;
  sessions: Pick<SessionStore, "recordAudit">;
  clock: Clock;
};

type CheckRequest = {
  searchParams: URLSearchParams;
  actor: Actor;
  /** Called before the chains are read. An error ends the check. */
  requireWithinLimit: () => Promise<unknown>;
};

export function createCheck({ kinds, survey, sessions, clock }: CheckDependencies) {
  /** Without an address only the form. Audits a check before it reads the chains. */
  return async function check({
    searchParams,
    actor,
    requireWithinLimit,
  }: CheckRequest): Promise<CheckPageData> {
    const form = readCheckForm(searchParams);
    const { address, tokenId, faults } = form;
    if (address === "" && tokenId === "") return { form, result: null };
    if (faults.address !== null || faults.tokenId !== null) return { form, result: null };
    await requireWithinLimit();
    const detail = { address, ...(tokenId !== "" && { tokenId }) };
    await sessions.recordAudit({ ...actor, kind: "operator-check", detail });
    const holder = address as Address;
    const surveyed = await survey({ kinds, holder, tokenId: tokenId === "" ? null : tokenId });
    return { form, result: { address, kinds: surveyed.map(describeKind), readAtMs: clock() } };
  };
}

/** An address or an id with some space around it. */
const maxTypedChars = 100;

export function readCheckForm(searchParams: URLSearchParams): CheckForm {
  const [address, tokenId] = ["address", "tokenId"].map((name) => {
    return (searchParams.get(name) ?? "").trim().slice(0, maxTypedChars);
  }) as [string, string];
  const parsed = addressSchema.safeParse(address);
  const id = tokenIdSchema.safeParse(tokenId);
  const isAddressWrong = !parsed.success && (address !== "" || tokenId !== "");
  return {
    address: parsed.success ? address.toLowerCase() : address,
    tokenId: id.success ? id.data : tokenId,
    faults: {
      address: isAddressWrong ? "This is no wallet address: 0x and 40 hex digits." : null,
      tokenId: tokenId === "" || id.success ? null : "This is no id of a key: digits only, at most 2^256-1.",
    },
  };
}

type KeyFacts = SurveyedKind["key"];

export function describeKind(surveyed: SurveyedKind): CheckedKind {
  const { kind, tokenId, judgement, state } = surveyed;
  const { name, title } = kind;
  return {
    name,
    title,
    // Other requirements can refuse without an id, but never admit.
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
