import type { Outcome } from "~/gate/kinds/requirement";

/** One kind of key, in words. Amounts are in people's units and in base units. */
export type CheckedKind = {
  name: string;
  title: string;
  /** `not-asked`: without an id, a kind with tokens whose other requirements are met. */
  outcome: Outcome | "not-asked";
  /** Null without an id, and for memberships. */
  key: CheckedPart | null;
  requirement: CheckedNode | null;
  /** Null if the key was not requested. */
  kept: {
    tokenId: string;
    usedBy: string | null;
    usedAtMs: number | null;
    departedAtMs: number | null;
  } | null;
  /** The block that was read on each chain, or the chain's outage. */
  blocks: string[];
};

export type CheckedPart = { label: string; outcome: Outcome; facts: string[] };

export type CheckedNode =
  | { type: "group"; words: string; outcome: Outcome; of: CheckedNode[] }
  | ({ type: "leaf"; index: number; isSecret: boolean } & CheckedPart);

type CheckResult = { address: string; kinds: CheckedKind[]; readAtMs: number };

/** The input, and its faults. */
export type CheckForm = {
  address: string;
  tokenId: string;
  faults: { address: string | null; tokenId: string | null };
};

export type CheckPageData = { form: CheckForm; result: CheckResult | null };
