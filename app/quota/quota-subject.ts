import type { KeyRef } from "~/gate/kinds/token-id";

/**
 * `token`: by key, for chat. `speech`: by key, in characters. `crypto`: by address; payments have their own rows, and
 * this names what a reset clears.
 */
export const quotaKinds = ["token", "crypto", "speech"] as const;
export type QuotaKind = (typeof quotaKinds)[number];

/** `subject` is unique within its kind. */
export type QuotaOwner = { kind: QuotaKind; subject: string };

/** A key on another chain or of another contract has its own quota. */
export function ownerOfKey(key: KeyRef): QuotaOwner {
  return { kind: "token", subject: subjectOf(key) };
}

export function ownerOfSpeech(key: KeyRef): QuotaOwner {
  return { kind: "speech", subject: subjectOf(key) };
}

function subjectOf({ chainId, contractAddress, tokenId }: KeyRef): string {
  return `${chainId}:${contractAddress.toLowerCase()}:${tokenId}`;
}

export function ownerOfAddress(address: string): QuotaOwner {
  return { kind: "crypto", subject: address.toLowerCase() };
}
