import type { Address, Hex } from "viem";
import type { SeenBlock } from "~/platform/chain/seen-block";

/** A signature that only its wallet's own code can judge (ERC-1271, ERC-6492). */
export type WalletSignature = {
  wallet: Address;
  hash: Hex;
  signature: Hex;
  /** Deploys the wallet, where the signature contains that call. */
  deployment: { factory: Address; data: Hex } | null;
};
export type SignatureVerdict =
  | "valid"
  /** Valid once the call in the signature has deployed the wallet. */
  | "valid-undeployed"
  | "invalid"
  /** The wallet has no code, and nothing could be asked to deploy it. */
  | "no-code";

export type Read = {
  target: Address;
  /** Without any, the target's balance is meant. */
  data: Hex;
  /** Its failure does not count: an endpoint that does not know the call may refuse it, as a contract may. */
  isOptional?: boolean;
};
export type Answer = {
  hasCode: boolean;
  success: boolean;
  /** With more gas than its share of a call it might have answered otherwise. */
  tookAllGas?: boolean;
  size: bigint;
  word: bigint;
  /** Of an optional read: what the endpoint said in place of an answer. */
  refusal?: Error;
};
/** As of one block. */
export type Answers = SeenBlock & { answers: readonly Answer[]; verdict: SignatureVerdict | null };
