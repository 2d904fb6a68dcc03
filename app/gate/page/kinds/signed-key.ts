import type { Address } from "viem";
import type { Opening } from "~/gate/kinds/kind";
import { kindNamed } from "./page-kind";
import type { PageKinds } from "./page-kind";

/** The key that somebody signs in with, or is in with. */
export type SignedKey = {
  kindName: string;
  /** False for the first kind, which is meant where none is named. */
  isNamed: boolean;
  tokenId: string;
  /** The wallet that holds the key, in lower case, where it is another one than the signer's. */
  vault: Address | null;
  isMembership: boolean;
  opens: readonly Opening[];
  opensRoom: boolean;
  /** Whether who signs may send the form. */
  mayUse: boolean;
  /** Where messages are judged. */
  chainId: number;
  /** "key #7", "key #7 (Founder's key)", "the membership “Patrons”". */
  words: string;
  /** Other than that of any other key. */
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
