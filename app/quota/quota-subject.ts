import type { KeyRef } from "~/gate/kinds/token-id";

/**
 * `token`: by key, which is what chat counts. `speech`: by key, in characters spoken. `crypto`: by address; what payments
 * cost stands in their own rows, and this names what of it is reset.
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

export function ownerOfAddress(address: string): QuotaOwner {
  return { kind: "crypto", subject: address.toLowerCase() };
}
