import type { Address } from "viem";
import { membershipId } from "~/gate/kinds/kind-of-key";
import { kindNamed } from "./page-kind";
import type { PageKind, PageKinds } from "./page-kind";
import type { RequirementNode } from "./requirement-tree";
import { toSignedKey } from "./signed-key";
import type { SignedKey } from "./signed-key";

/** What the wallet's own network says of one kind of key, before anything is proven. */
export type KindFinding = {
  name: string;
  /** Null where the chain could not list the keys; of memberships there are none. */
  tokenIds: string[] | null;
  /** Null where the kind asks for nothing but its key. */
  requirement: RequirementNode | null;
};

/** The keys of one kind. `unlisted`: the chain could not say, the number has to be typed. */
export type HeldKeys =
  { status: "loading" } | { status: "listed"; tokenIds: string[] } | { status: "unlisted" };

/** With which key a visitor signs in. */
export type KeyChoice = {
  /** Null while none was chosen: then it is what was found first. */
  kindName: string | null;
  /** Those that the wallet can use first; null while they are read. */
  findings: readonly KindFinding[] | null;
  tokenId: string;
  /** As typed: the wallet that holds the key, where that is another one. */
  vault: string;
  /** Of the chosen kind; while it takes none, the vault stays typed and does not count. */
  takesDelegates: boolean;
};

export type ChoiceEvent =
  /** `holder`: whose keys were looked for. */
  | { type: "keys-read"; holder: Address; findings: readonly KindFinding[] }
  | { type: "kind-chosen"; kindName: string; takesDelegates: boolean }
  | { type: "token-id-typed"; tokenId: string; kindName: string }
  /** `kindName`: the kind that it was typed for, which takes delegates. */
  | { type: "vault-typed"; vault: string; kindName: string }
  | { type: "key-minted"; tokenId: string; kindName: string };

export const noChoice: KeyChoice = {
  kindName: null,
  findings: null,
  tokenId: "",
  vault: "",
  takesDelegates: false,
};

export function reduceChoice(choice: KeyChoice, event: ChoiceEvent, account: Address): KeyChoice {
  switch (event.type) {
    case "keys-read": {
      if (event.holder !== holderOf(choice, account)) return choice;
      const kindName = choice.kindName ?? event.findings[0]?.name ?? null;
      // A proposal never overwrites what the visitor typed.
      const tokenId = choice.tokenId || firstOf(event.findings, kindName);
      return { ...choice, findings: event.findings, tokenId };
    }
    case "kind-chosen": {
      const { kindName, takesDelegates } = event;
      const changed = { ...choice, kindName, takesDelegates, tokenId: firstOf(choice.findings, kindName) };
      return forgetOthers(changed, choice, account);
    }
    case "token-id-typed":
      // The number is one of this kind, whatever is found of the others afterwards.
      return { ...choice, tokenId: event.tokenId, kindName: event.kindName };
    case "vault-typed": {
      const { vault, kindName } = event;
      return forgetOthers({ ...choice, vault, kindName, takesDelegates: true }, choice, account);
    }
    case "key-minted": {
      const { kindName, tokenId } = event;
      const findings = choice.findings?.map((each) =>
        each.name === kindName ? addKey(each, tokenId) : each,
      );
      // It is in the connected wallet, whose vault's keys may be the ones that were found.
      const changed = { ...choice, kindName, vault: "", findings: findings ?? null };
      return { ...forgetOthers(changed, choice, account), tokenId };
    }
  }
}

/** What was found in one wallet says nothing of another's keys. */
function forgetOthers(changed: KeyChoice, before: KeyChoice, account: Address): KeyChoice {
  if (holderOf(changed, account) === holderOf(before, account)) return changed;
  return { ...changed, findings: null, tokenId: "" };
}

/** Whose key it is: the vault's once its address is whole and the kind takes delegates, else the connected account's. */
export function holderOf(
  { vault, takesDelegates }: Pick<KeyChoice, "vault" | "takesDelegates">,
  account: Address,
): Address {
  return (takesDelegates ? vaultOf(vault, account) : null) ?? account;
}

/** Null where nobody else is named. */
function vaultOf(typed: string, account: Address): Address | null {
  const address = typed.trim().toLowerCase();
  if (!/^0x[0-9a-f]{40}$/.test(address)) return null;
  return address === account.toLowerCase() ? null : (address as Address);
}

/** With which key the visitor signs in, as it is chosen now. */
export function chosenKey(
  kinds: PageKinds,
  { choice, account }: { choice: KeyChoice; account: { address: Address } },
): SignedKey {
  const { name, standard, takesDelegates } = chosenKind(kinds, choice);
  const vault = takesDelegates ? vaultOf(choice.vault, account.address) : null;
  // Of a membership the number is not typed: it is that of the wallet that holds it.
  const tokenId = standard === "membership" ? membershipId(vault ?? account.address) : choice.tokenId.trim();
  return toSignedKey(kinds, { kindName: name, tokenId, vault });
}

export function chosenKind(kinds: PageKinds, { kindName, findings }: KeyChoice): PageKind {
  return kindNamed(kinds, kindName ?? findings?.[0]?.name ?? null);
}

export function findingOf(
  { findings }: KeyChoice,
  { name }: Pick<PageKind, "name">,
): KindFinding | undefined {
  return findings?.find((each) => each.name === name);
}

export function keysOf(choice: KeyChoice, kind: Pick<PageKind, "name">): HeldKeys {
  if (choice.findings === null) return { status: "loading" };
  const tokenIds = findingOf(choice, kind)?.tokenIds;
  return tokenIds ? { status: "listed", tokenIds } : { status: "unlisted" };
}

function firstOf(findings: KeyChoice["findings"], kindName: string | null): string {
  return findings?.find(({ name }) => name === kindName)?.tokenIds?.[0] ?? "";
}

function addKey(finding: KindFinding, tokenId: string): KindFinding {
  const { tokenIds } = finding;
  if (tokenIds === null) return finding;
  return { ...finding, tokenIds: [tokenId, ...tokenIds.filter((held) => held !== tokenId)] };
}
