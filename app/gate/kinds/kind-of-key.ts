import type { Address } from "viem";
import type { KeyRef } from "./token-id";
import type { KeyKind, KeyKinds, Opening } from "./kind";

export function firstKind({ list }: KeyKinds): KeyKind {
  const [first] = list;
  if (first === undefined) throw new TypeError("There must be a kind of key.");
  return first;
}

/** Without a name the first one. Null where there is none of that name. */
export function findKind(kinds: KeyKinds, name: string | undefined): KeyKind | null {
  if (name === undefined) return firstKind(kinds);
  return kinds.list.find((kind) => kind.name === name) ?? null;
}

/** Under which chain, contract and id a key's use, quotas and departures are kept. */
export function keyRefOf({ keptUnder }: KeyKind, tokenId: string): KeyRef {
  return { tokenId, ...keptUnder };
}

/** For people and programs outside: the kind's name, where kinds have names. */
export function namedKind({ areNamed }: KeyKinds, { name }: KeyKind): { key?: string } {
  return areNamed ? { key: name } : {};
}

/** As pages and programs are told of them: without what is switched off. */
export function omitOpenings({ list }: KeyKinds, off: readonly Opening[]): KeyKind[] {
  return list.map((kind) => ({ ...kind, opens: kind.opens.filter((opening) => !off.includes(opening)) }));
}

export function opensRoom({ opens }: Pick<KeyKind, "opens">): boolean {
  return opens.includes("room");
}

/** A membership has no token: its key's id is the address of whoever holds it. */
export function membershipId(holder: Address): string {
  return BigInt(holder).toString();
}

/** What a key's own files of the content folder go by: the first kind's keys by their id alone. */
export function contentNameOf(kinds: KeyKinds, kind: KeyKind, tokenId: string): string {
  return kind === firstKind(kinds) ? tokenId : `${kind.name}-${tokenId}`;
}
