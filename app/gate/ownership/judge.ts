import type { Address } from "viem";
import type { SeenBlock, WatchedBlock } from "~/platform/chain/seen-block";
import type { Judgement, KeyKind } from "../kinds/kind";
import type { KeyReading, SignatureVerdict, WalletSignature } from "./reads/read";

/** Whether `signer` holds the key or, with a `vault`, whether the vault does and named the signer its delegate. */
export type KeyQuestion = {
  kind: KeyKind;
  /** A canonical decimal string. Memberships ignore it. */
  tokenId: string;
  signer: Address;
  vault: Address | null;
};

export type ChainHead = {
  chainId: number;
  newest: SeenBlock;
  confirmations: bigint;
  /** The block that many confirmations earlier, or the first one. */
  olderNumber: bigint;
};

/** An outage makes things unknown. It is thrown only where stated. */
export type Judge = {
  /** Shared within a block; `fresh` always reads the chains. */
  judge: (question: KeyQuestion & { fresh?: boolean }) => Promise<Judgement>;
  /**
   * Reads afresh, and verifies a signature of the signer by its wallet's code in the same calls. Throws
   * chain-unavailable if the kind's own chain is unavailable.
   */
  judgeSigned: (
    question: KeyQuestion & { signed: WalletSignature },
  ) => Promise<{ verdict: SignatureVerdict; judgement: Judgement }>;
  /** Before a key is used up: now, and some confirmations earlier. An Unlock key renewed since then counts as held. */
  judgeAtDepth: (
    question: KeyQuestion,
  ) => Promise<{ now: Judgement; then: Judgement; heads: readonly ChainHead[] }>;
  /** For the operator: reads afresh, caches nothing, and returns the key's own reading. */
  inspect: (question: KeyQuestion) => Promise<{ judgement: Judgement; key: KeyReading | null }>;
  /** Not for memberships. `exists` is null if an ERC-1155 contract doesn't count its supply. Throws chain-unavailable. */
  readOwner: (question: {
    kind: KeyKind;
    tokenId: string;
  }) => Promise<{ exists: boolean | null; owner: Address | null }>;
  /** Drops cached readings of some keys of a contract. */
  forget: (contract: { chainId: number; contractAddress: string }, tokenIds: ReadonlySet<string>) => void;
  /** Older blocks' readings are no longer shared or accepted. */
  noteBlock: (chainId: number, block: WatchedBlock) => void;
  /** Whether a newer block of a chain that was read is known by now. */
  isOutdated: (judgement: Pick<Judgement, "blocks">) => boolean;
  /** A reorganisation may make the chain shorter. */
  forgetChain: (chainId: number) => void;
};

/** Called after each call to a chain. */
export type OnReading = (reading: { chainId: number; outcome: "ok" | "unavailable" }) => void;
