import type { Address } from "viem";
import { toKeyList } from "~/gate/kinds/key-list";
import type { PublicRequirement } from "~/gate/kinds/key-list.schema";
import type { KeyKind, KeyStandard, Opening } from "~/gate/kinds/kind";
import type { Offer } from "~/gate/kinds/requirement";

/** A kind of key, as the page knows it: what is public, and what a wallet may do for another one. */
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
  /** The form, and what else uses a key up. */
  delegatesMayUse: boolean;
};

/** From what GET /api/keys tells everybody. */
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

/** At least one; the first is meant where none is named. */
export type PageKinds = readonly [PageKind, ...PageKind[]];

/** A name that the page does not know is a kind that came after it: the first one's words are the best guess. */
export function kindNamed(kinds: PageKinds, name: string | null): PageKind {
  return kinds.find((kind) => kind.name === name) ?? kinds[0];
}
