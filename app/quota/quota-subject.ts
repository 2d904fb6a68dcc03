import type { KeyRef } from "~/gate/key-ref";

/**
 * `token`: by key, which is what chat counts. `crypto`: by address, in millionths of the chain's coin. `speech`: by key,
 * in characters spoken.
 */
export const quotaKinds = ["token", "crypto", "speech"] as const;
export type QuotaKind = (typeof quotaKinds)[number];

/** Whose quota: `subject` is unique within its kind. */
export type QuotaOwner = { kind: QuotaKind; subject: string };

/** A key on another chain or of another contract is another key, with a quota of its own. */
export function ownerOfKey(key: KeyRef): QuotaOwner {
  return { kind: "token", subject: subjectOf(key) };
}

export function ownerOfSpeech(key: KeyRef): QuotaOwner {
  return { kind: "speech", subject: subjectOf(key) };
}

function subjectOf({ chainId, contractAddress, tokenId }: KeyRef): string {
  return `${chainId}:${contractAddress.toLowerCase()}:${tokenId}`;
}

/** Whom all payments together count for. No address is called like this. */
export const ownerOfAllPayments: QuotaOwner = { kind: "crypto", subject: "all-payments" };

export function ownerOfAddress(address: string): QuotaOwner {
  return { kind: "crypto", subject: address.toLowerCase() };
}
