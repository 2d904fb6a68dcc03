import type { SeenBlock } from "~/platform/chain/seen-block";
import type { Address } from "viem";
import type { Offer, Requirement, Verdict, Outcome } from "./requirement";
import type { KeyRef } from "./token-id";
import { Refusal } from "~/platform/refusals/refusal";

export type KeyStandard = "erc721" | "erc1155" | "unlock" | "erc4907" | "membership";

/** The room includes the form. A door is a site that this gate protects. */
export type Opening = "room" | "chat" | "tts" | "tools" | `door:${string}`;

/** Identifies used keys, quotas and departures. */
type KeptUnder = { chainId: number; contractAddress: string };

export type KeyKind = {
  name: string;
  title: string;
  standard: KeyStandard;
  /** The chain of signed messages, contract wallets and delegations, and of the token if there is one. */
  chainId: number;
  /** Null for memberships. */
  contract: Address | null;
  /** Chain 0 and `membership:<name>` for memberships. */
  keptUnder: KeptUnder;
  delegation: "none" | "full" | "latchkey";
  /** Whether a delegate may use the key up, by the form or a payment. */
  delegatesMayUse: boolean;
  /** `also` of a token, or `requires` of a membership. */
  requirement: Requirement | null;
  opens: readonly Opening[];
  get?: Offer | undefined;
};

/** Never empty. The first is the default. */
export type KeyKinds = {
  list: readonly KeyKind[];
  /** False without KEYS_FILE: then responses and tokens name no kind. */
  areNamed: boolean;
};

export type NotHeld = "not-owner" | "does-not-exist" | "expired" | "not-delegate";

export type Judgement = {
  outcome: Outcome;
  /** Includes the delegation. Null for memberships without one. */
  key: { outcome: Outcome; reason: NotHeld | null } | null;
  /** Also null if the signer may be no delegate of the vault. */
  requirement: Verdict | null;
  /** One for each chain that was read. */
  blocks: readonly (SeenBlock & { chainId: number })[];
  /** Why something is unknown. */
  cause: unknown;
};

export function firstKind({ list }: KeyKinds): KeyKind {
  const [first] = list;
  if (first === undefined) throw new TypeError("There must be a kind of key.");
  return first;
}

/** The first kind by default. Null for an unknown name. */
export function findKind(kinds: KeyKinds, name: string | undefined): KeyKind | null {
  if (name === undefined) return firstKind(kinds);
  return kinds.list.find((kind) => kind.name === name) ?? null;
}

export function keyRefOf({ keptUnder }: KeyKind, tokenId: string): KeyRef {
  return { tokenId, ...keptUnder };
}

/** The kind's name, if kinds have names. */
export function namedKind({ areNamed }: KeyKinds, { name }: KeyKind): { key?: string } {
  return areNamed ? { key: name } : {};
}

/** Without features that are switched off. */
export function omitOpenings({ list }: KeyKinds, off: readonly Opening[]): KeyKind[] {
  return list.map((kind) => ({ ...kind, opens: kind.opens.filter((opening) => !off.includes(opening)) }));
}

export function opensRoom({ opens }: Pick<KeyKind, "opens">): boolean {
  return opens.includes("room");
}

/** A membership's token ID is its holder's address. */
export function membershipId(holder: Address): string {
  return BigInt(holder).toString();
}

/** The name of the key's own files in the content folder. */
export function contentNameOf(kinds: KeyKinds, kind: KeyKind, tokenId: string): string {
  return kind === firstKind(kinds) ? tokenId : `${kind.name}-${tokenId}`;
}

export const unknownKind = "There is no kind of key of that name here. GET /api/keys lists them.";

/** The first kind by default. Ignores the name if kinds have none. */
export function requireKind(kinds: KeyKinds, name: string | undefined): KeyKind {
  const kind = findKind(kinds, kinds.areNamed ? name : undefined);
  if (kind) return kind;
  const errors = [{ path: "key", message: unknownKind }];
  throw new Refusal("invalid-request", { detail: unknownKind, members: { errors } });
}
