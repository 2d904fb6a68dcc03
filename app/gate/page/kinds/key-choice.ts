import type { Address } from "viem";
import { membershipId } from "../../kinds/kind";
import { kindNamed, toSignedKey } from "./page-kind";
import type { PageKind, PageKinds, SignedKey } from "./page-kind";
import type { RequirementReport } from "../../kinds/requirement-report";
import type { Outcome } from "../../kinds/requirement";
import { allOf } from "../../kinds/requirement";

/** One kind of key, as read through the wallet's network. */
export type KindFinding = {
  name: string;
  /** Null if the keys could not be listed. Empty for memberships. */
  tokenIds: string[] | null;
  /** Null if the kind has no requirement. */
  requirement: RequirementReport | null;
};

/** `unlisted`: the visitor has to type the token ID. */
export type HeldKeys =
  { status: "loading" } | { status: "listed"; tokenIds: string[] } | { status: "unlisted" };

export type KeyChoice = {
  /** Null until chosen: the first one found counts. */
  kindName: string | null;
  /** Usable kinds first. Null while reading. */
  findings: readonly KindFinding[] | null;
  tokenId: string;
  /** The holder's address, as typed. */
  vault: string;
  /** Whether the chosen kind takes delegates. If not, the vault is ignored. */
  takesDelegates: boolean;
};

export type ChoiceEvent =
  | { type: "keys-read"; holder: Address; findings: readonly KindFinding[] }
  | { type: "kind-chosen"; kindName: string; takesDelegates: boolean }
  | { type: "token-id-typed"; tokenId: string; kindName: string }
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
      // Never overwrites what the visitor typed.
      const tokenId = choice.tokenId || firstOf(event.findings, kindName);
      return { ...choice, findings: event.findings, tokenId };
    }
    case "kind-chosen": {
      const { kindName, takesDelegates } = event;
      const changed = { ...choice, kindName, takesDelegates, tokenId: firstOf(choice.findings, kindName) };
      return forgetOthers(changed, choice, account);
    }
    case "token-id-typed":
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
      // The new key is in the connected wallet, not in the vault.
      const changed = { ...choice, kindName, vault: "", findings: findings ?? null };
      return { ...forgetOthers(changed, choice, account), tokenId };
    }
  }
}

/** Another holder has other keys. */
function forgetOthers(changed: KeyChoice, before: KeyChoice, account: Address): KeyChoice {
  if (holderOf(changed, account) === holderOf(before, account)) return changed;
  return { ...changed, findings: null, tokenId: "" };
}

/** The vault if its address is complete and counts, else the connected account. */
export function holderOf(
  { vault, takesDelegates }: Pick<KeyChoice, "vault" | "takesDelegates">,
  account: Address,
): Address {
  return (takesDelegates ? vaultOf(vault, account) : null) ?? account;
}

function vaultOf(typed: string, account: Address): Address | null {
  const address = typed.trim().toLowerCase();
  if (!/^0x[0-9a-f]{40}$/.test(address)) return null;
  return address === account.toLowerCase() ? null : (address as Address);
}

export function chosenKey(
  kinds: PageKinds,
  { choice, account }: { choice: KeyChoice; account: { address: Address } },
): SignedKey {
  const { name, standard, takesDelegates } = chosenKind(kinds, choice);
  const vault = takesDelegates ? vaultOf(choice.vault, account.address) : null;
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

/** Null if a token ID could look like this. */
export function tokenIdFault(text: string): string | null {
  if (/^[0-9]{1,78}$/.test(text.trim())) return null;
  return "The number of a key has digits only, at most 78.";
}

/** Null if an address could look like this, or none was typed. */
export function vaultFault(text: string): string | null {
  if (text.trim() === "" || /^0x[0-9a-fA-F]{40}$/.test(text.trim())) return null;
  return "An address is 0x and 40 more digits, 0 to 9 and a to f.";
}

const ranks: Record<Outcome, number> = { met: 0, unknown: 1, unmet: 2 };

/** According to the wallet's network. The server decides. */
export function usabilityOf(kind: PageKind, finding: KindFinding | undefined): Outcome {
  if (!finding) return "unknown";
  const { requirement } = finding;
  return allOf([keyOutcome(kind, finding), kind.requirement ? outcomeOf(requirement) : "met"]);
}

function outcomeOf(requirement: RequirementReport | null): Outcome {
  return requirement === null || "secret" in requirement ? "unknown" : requirement.outcome;
}

function keyOutcome(kind: PageKind, { tokenIds }: KindFinding): Outcome {
  if (kind.standard === "membership") return "met";
  if (tokenIds === null) return "unknown";
  return tokenIds.length > 0 ? "met" : "unmet";
}

/** Usable kinds first. Null while reading. */
export function orderFindings(kinds: PageKinds, findings: readonly KindFinding[]): KindFinding[] {
  const rankOf = (finding: KindFinding) => ranks[usabilityOf(kindNamed(kinds, finding.name), finding)];
  return [...findings].sort((one, other) => rankOf(one) - rankOf(other));
}
