import { expect, test } from "vitest";
import { exampleKinds, founder, onlyKind, patron } from "~e2e/support/example-kinds";
import {
  chosenKey,
  chosenKind,
  holderOf,
  keysOf,
  noChoice,
  reduceChoice,
  orderFindings,
  usabilityOf,
} from "./key-choice";
import type { ChoiceEvent, KeyChoice, KindFinding } from "./key-choice";
import type { PageKind } from "./page-kind";

const address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const vault = `0x${"aB".repeat(20)}`;
const met = { label: "2.5 USDC", outcome: "met", needed: "1", held: "1", chainId: 1 } as const;

function after(...events: ChoiceEvent[]): KeyChoice {
  return events.reduce((choice, event) => reduceChoice(choice, event, address), noChoice);
}

function finding(name: string, tokenIds: string[] | null, requirement: KindFinding["requirement"] = null) {
  return { name, tokenIds, requirement };
}

function read(...findings: KindFinding[]): Extract<ChoiceEvent, { type: "keys-read" }> {
  return { type: "keys-read", holder: address, findings };
}

function choose({ name: kindName, takesDelegates }: PageKind): ChoiceEvent {
  return { type: "kind-chosen", kindName, takesDelegates };
}

function typeVault(typed: string): ChoiceEvent {
  return { type: "vault-typed", vault: typed, kindName: founder.name };
}

test("the first kind is chosen until it is known what the wallet can use, and then that is", () => {
  expect(chosenKind(exampleKinds, noChoice)).toBe(onlyKind);
  const choice = after(read(finding("founder", ["4"], met), finding("key", [])));
  expect(chosenKind(exampleKinds, choice)).toBe(founder);
  expect(choice.tokenId).toBe("4");
});

test("what the visitor chose or typed stays chosen, whatever is found later", () => {
  const found = read(finding("founder", ["4"]), finding("key", ["7"]));
  expect(chosenKind(exampleKinds, after(choose(onlyKind), found))).toBe(onlyKind);
  const typed = after({ type: "token-id-typed", tokenId: "9", kindName: "key" }, found);
  expect(typed).toMatchObject({ kindName: "key", tokenId: "9" });
});

test("another kind comes with its own key", () => {
  const found = read(finding("founder", ["4"]), finding("key", ["7"]), finding("patron", []));
  expect(after(found, choose(onlyKind)).tokenId).toBe("7");
  expect(after(found, choose(patron)).tokenId).toBe("");
});

test("keys are loading, listed, or cannot be listed", () => {
  const choice = after(read(finding("key", ["7"]), finding("founder", null)));
  expect(keysOf(noChoice, onlyKind)).toEqual({ status: "loading" });
  expect(keysOf(choice, onlyKind)).toEqual({ status: "listed", tokenIds: ["7"] });
  expect(keysOf(choice, founder)).toEqual({ status: "unlisted" });
});

test("a vault counts once its address is whole, and its keys are looked for again", () => {
  const found = read(finding("founder", ["4"]));
  const typing = after(found, typeVault(vault.slice(0, 20)));
  expect(holderOf(typing, address)).toBe(address);
  expect(typing.findings).not.toBeNull();
  const typed = after(found, typeVault(vault));
  expect(typed).toMatchObject({ findings: null, tokenId: "" });
  expect(holderOf(typed, address)).toBe(vault.toLowerCase());
  // Results for the signer's own wallet arrive too late.
  expect(reduceChoice(typed, found, address).findings).toBeNull();
});

test("one's own wallet is nobody's vault", () => {
  const choice = after(typeVault(address.toLowerCase()));
  expect(holderOf(choice, address)).toBe(address);
});

test("with a kind that takes no delegates the vault does not count, and with one that does it counts again", () => {
  const holder = vault.toLowerCase() as `0x${string}`;
  const ofVault: ChoiceEvent = { ...read(finding("founder", ["5"]), finding("key", ["42"])), holder };
  const forVault = after(read(finding("founder", ["4"])), typeVault(vault), ofVault);
  expect(forVault).toMatchObject({ kindName: "founder", tokenId: "5" });

  const switched = reduceChoice(forVault, choose(onlyKind), address);
  expect(holderOf(switched, address)).toBe(address);
  expect(switched).toMatchObject({ findings: null, tokenId: "" });
  // Results for the vault arrive too late.
  expect(reduceChoice(switched, ofVault, address).tokenId).toBe("");
  const own = reduceChoice(switched, read(finding("key", ["7"])), address);
  expect(own.tokenId).toBe("7");

  const back = reduceChoice(own, choose(founder), address);
  expect(holderOf(back, address)).toBe(holder);
  expect(back).toMatchObject({ vault, findings: null, tokenId: "" });
});

test("the kind for which a vault is typed stays chosen while the vault's keys are looked for", () => {
  expect(after(read(finding("founder", ["4"]), finding("key", ["7"])), typeVault(vault)).kindName).toBe(
    "founder",
  );
});

test("a minted key is the connected wallet's, whatever vault was typed", () => {
  const minted: ChoiceEvent = { type: "key-minted", tokenId: "8", kindName: "key" };
  const choice = after(typeVault(vault), minted);
  expect(holderOf(choice, address)).toBe(address);
  expect(choice).toMatchObject({ kindName: "key", tokenId: "8", findings: null });
});

test("the key that is signed for names its kind but for the first, and the vault where the kind takes one", () => {
  const account = { address } as const;
  const keyOf = (kindName: string) =>
    chosenKey(exampleKinds, { account, choice: { ...noChoice, kindName, tokenId: " 7 ", vault } });
  expect(keyOf("key")).toMatchObject({ isNamed: false, tokenId: "7", vault: null, chainId: 31337 });
  expect(keyOf("founder")).toMatchObject({ isNamed: true, tokenId: "7", vault: vault.toLowerCase() });
  // A membership's number is its holder's address.
  expect(keyOf("patron")).toMatchObject({ tokenId: BigInt(address).toString(), chainId: 8453 });
});

test("kinds that the wallet can use come first, then those nobody can tell, else in the operator's order", () => {
  const unmet = { ...met, outcome: "unmet" } as const;
  const names = (...findings: KindFinding[]) => orderFindings(exampleKinds, findings).map(({ name }) => name);
  expect(names(finding("key", []), finding("founder", null), finding("patron", [], met))).toEqual([
    "patron",
    "founder",
    "key",
  ]);
  expect(names(finding("key", ["1"]), finding("founder", ["2"], unmet), finding("patron", [], met))).toEqual([
    "key",
    "patron",
    "founder",
  ]);
});

test("a kind is usable with its key and what it asks for, and nobody knows of what could not be read", () => {
  expect(usabilityOf(onlyKind, finding("key", ["1"]))).toBe("met");
  expect(usabilityOf(founder, finding("founder", ["1"], met))).toBe("met");
  expect(usabilityOf(founder, finding("founder", ["1"], { secret: true }))).toBe("unknown");
  expect(usabilityOf(founder, finding("founder", ["1"]))).toBe("unknown");
  expect(usabilityOf(founder, finding("founder", null, { ...met, outcome: "unmet" }))).toBe("unmet");
  expect(usabilityOf(patron, undefined)).toBe("unknown");
});
