import type { Address } from "viem";

/** Where to get what is missing. */
export type Offer = { url: string; text: string };

/** Whether an address is on it, by the list's content of this moment. */
export type AddressList = { has: (address: Address) => boolean };

type LeafNotes = { label?: string | undefined; isSecret: boolean; get?: Offer | undefined };

/** One thing to hold. Amounts are in base units. */
export type Leaf = LeafNotes &
  (
    | { type: "erc721" | "erc20"; contract: Address; chainId: number; atLeast: bigint }
    | { type: "erc1155"; contract: Address; chainId: number; tokenId: string; atLeast: bigint }
    | { type: "native"; chainId: number; atLeast: bigint }
    /** A valid membership of an Unlock lock. */
    | { type: "unlock"; contract: Address; chainId: number }
    | { type: "addresses"; list: AddressList }
  );

export type Requirement =
  | { type: "all" | "any"; of: readonly Requirement[] }
  | { type: "not"; of: Requirement }
  | { type: "leaf"; leaf: Leaf };

/** `unknown`: it could not be read just now. */
export type Outcome = "met" | "unmet" | "unknown";

/** What was found of one leaf. Amounts in base units; `decimals` where the token says so. */
export type Reading = { outcome: Outcome; held?: bigint | undefined; decimals?: number | undefined };

/** The requirement's tree again, with what came out at each node. */
export type Verdict = { outcome: Outcome } & (
  | { type: "all" | "any"; of: readonly Verdict[] }
  | { type: "not"; of: Verdict }
  /** `index` counts the leaves of a requirement from 0, from left to right. */
  | { type: "leaf"; leaf: Leaf; index: number; reading: Reading }
);
