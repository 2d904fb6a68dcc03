import type { Address } from "viem";
import type { SeenBlock, WatchedBlock } from "~/platform/chain/seen-block";
import type { Judgement, KeyKind } from "../kinds/kind";
import type { SignatureVerdict, WalletSignature } from "./reads/chain-answers";

/** Whether `signer` holds the key; with a `vault`, whether that one does and named the signer its delegate. */
export type KeyQuestion = {
  kind: KeyKind;
  /** A canonical decimal string; of memberships, the holder's address as a number, which is not read. */
  tokenId: string;
  signer: Address;
  vault: Address | null;
};

export type KeyOwner =
  /** ERC-1155 has no single owner. */
  | { exists: true; owner: Address | null }
  | { exists: false; owner: null }
  /** An ERC-1155 contract that does not count its supply cannot tell. */
  | { exists: null; owner: null };

/** The kind as of the newest block of each chain it asks, and as of the block so many confirmations before. */
export type DeepJudgement = { now: Judgement; then: Judgement; heads: readonly ChainHead[] };

/** Of a chain that could be asked. */
export type ChainHead = {
  chainId: number;
  newest: SeenBlock;
  confirmations: bigint;
  /** Of the block so many confirmations before, or of the first one. */
  olderNumber: bigint;
};

/** What the chains say of keys. Outages make things unknown and are thrown only where said; nothing is guessed. */
export type Judge = {
  /** Shared within a block; `fresh`: asks the chains even if they were asked a moment ago. */
  judge: (question: KeyQuestion & { fresh?: boolean }) => Promise<Judgement>;
  /**
   * Afresh, and whether the wallet's own code stands behind a signature, in the same calls. `signed.wallet` is the
   * signer. Throws chain-unavailable when the kind's own chain cannot be asked.
   */
  judgeSigned: (
    question: KeyQuestion & { signed: WalletSignature },
  ) => Promise<{ verdict: SignatureVerdict; judgement: Judgement }>;
  /** For using a key up. An Unlock key that had expired then and has not now counts as held. */
  judgeAtDepth: (question: KeyQuestion) => Promise<DeepJudgement>;
  /** Not for memberships. Throws chain-unavailable. */
  readOwner: (question: { kind: KeyKind; tokenId: string }) => Promise<KeyOwner>;
  /** Drops what is cached of some keys of a contract. */
  forget: (contract: { chainId: number; contractAddress: string }, tokenIds: ReadonlySet<string>) => void;
  /** Readings of older blocks are no longer shared, nor believed. */
  noteBlock: (chainId: number, block: WatchedBlock) => void;
  /** Whether a newer block of a chain that was read is known by now. */
  isOutdated: (judgement: Pick<Judgement, "blocks">) => boolean;
  /** After a reorganisation: the chain may be shorter than it was. */
  forgetChain: (chainId: number) => void;
};

/** Of each call to a chain. */
export type OnReading = (reading: { chainId: number; outcome: "ok" | "unavailable" }) => void;
