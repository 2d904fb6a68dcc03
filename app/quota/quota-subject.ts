import type { KeyRef } from "~/gate/key-ref";

/** `token`: by key, which is what chat counts. `crypto`: by address, with the same operations. */
export const quotaKinds = ["token", "crypto"] as const;
export type QuotaKind = (typeof quotaKinds)[number];

/** Whose quota: `subject` is unique within its kind. */
export type QuotaOwner = { kind: QuotaKind; subject: string };

/** A key on another chain or of another contract is another key, with a quota of its own. */
export function ownerOfKey({ chainId, contractAddress, tokenId }: KeyRef): QuotaOwner {
  return { kind: "token", subject: `${chainId}:${contractAddress.toLowerCase()}:${tokenId}` };
}

export function ownerOfAddress(address: string): QuotaOwner {
  return { kind: "crypto", subject: address.toLowerCase() };
}
