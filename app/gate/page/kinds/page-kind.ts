import type { Address } from "viem";
import { toKeyList } from "../../kinds/key-list";
import type { PublicRequirement } from "../../kinds/keys.openapi";
import type { KeyKind, KeyStandard, Opening } from "../../kinds/kind";
import type { Offer } from "../../kinds/requirement";

/** The public part of a kind, and what delegates may do. */
export type PageKind = {
  name: string;
  title: string;
  standard: KeyStandard;
  chainId: number;
  contract: Address | null;
  requirement: PublicRequirement | null;
  opens: readonly Opening[];
  get: Offer | null;
  takesDelegates: boolean;
  /** Whether delegates may use the key up. */
  delegatesMayUse: boolean;
};

/** The same as GET /api/keys. */
export function toPageKinds(kinds: readonly KeyKind[]): PageKinds {
  const { keys } = toKeyList(kinds);
  const [first, ...others] = keys.map(({ requires, also, contract, get, ...listed }, index) => ({
    ...listed,
    opens: listed.opens as Opening[],
    contract: (contract as Address | undefined) ?? null,
    requirement: requires ?? also ?? null,
    get: get ?? null,
    takesDelegates: kinds[index]?.delegation !== "none",
    delegatesMayUse: kinds[index]?.delegatesMayUse === true,
  }));
  if (!first) throw new Error("There is no kind of key.");
  return [first, ...others];
}

/** Never empty. The first is the default. */
export type PageKinds = readonly [PageKind, ...PageKind[]];

/** An unknown name is a kind added later. */
export function kindNamed(kinds: PageKinds, name: string | null): PageKind {
  return kinds.find((kind) => kind.name === name) ?? kinds[0];
}

export type SignedKey = {
  kindName: string;
  /** False for the first kind, the default. */
  isNamed: boolean;
  tokenId: string;
  /** The holder in lower case, if the signer is a delegate. */
  vault: Address | null;
  isMembership: boolean;
  opens: readonly Opening[];
  opensRoom: boolean;
  /** Whether the signer may send the form. */
  mayUse: boolean;
  /** The chain of signed messages. */
  chainId: number;
  /** "key #7", "key #7 (Founder's key)", "the membership “Patrons”". */
  words: string;
  /** Unique. */
  id: string;
};

type Named = { kindName: string | null; tokenId: string; vault: string | null };

export function toSignedKey(kinds: PageKinds, { kindName, tokenId, vault }: Named): SignedKey {
  const { name, title, standard, chainId, contract, opens, delegatesMayUse } = kindNamed(kinds, kindName);
  const number = kinds.length === 1 ? `key #${tokenId}` : `key #${tokenId} (${title})`;
  const isMembership = standard === "membership";
  return {
    kindName: name,
    isNamed: name !== kinds[0].name,
    tokenId,
    vault: vault === null ? null : (vault.toLowerCase() as Address),
    isMembership,
    opens,
    opensRoom: opens.includes("room"),
    mayUse: vault === null || delegatesMayUse,
    chainId,
    words: isMembership ? `the membership “${title}”` : number,
    id: isMembership
      ? `membership:${name}:${tokenId}`
      : `${chainId}:${contract?.toLowerCase() ?? ""}:${tokenId}`,
  };
}
