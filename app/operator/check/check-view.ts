import type { Outcome } from "~/gate/kinds/requirement";

/** What the page shows of one kind of key, in words; amounts in people's units and in base units. */
export type CheckedKind = {
  name: string;
  title: string;
  /** `not-asked`: without an id, a kind with tokens of which nothing else is in the way. */
  outcome: Outcome | "not-asked";
  /** Null where no id was given, and for memberships. */
  key: CheckedPart | null;
  requirement: CheckedNode | null;
  /** Null where the key was not asked for. */
  kept: {
    tokenId: string;
    usedBy: string | null;
    usedAtMs: number | null;
    departedAtMs: number | null;
  } | null;
  /** Which block was read on which chain, or that a chain could not be read. */
  blocks: string[];
};

export type CheckedPart = { label: string; outcome: Outcome; facts: string[] };

export type CheckedNode =
  | { type: "group"; words: string; outcome: Outcome; of: CheckedNode[] }
  | ({ type: "leaf"; index: number; isSecret: boolean } & CheckedPart);

export type CheckResult = { address: string; kinds: CheckedKind[]; readAtMs: number };

/** What was typed, and what is wrong with it. */
export type CheckForm = {
  address: string;
  tokenId: string;
  faults: { address: string | null; tokenId: string | null };
};

export type CheckPageData = { form: CheckForm; result: CheckResult | null };
