import type { Address } from "viem";
import type { KeyStandard } from "~/gate/kinds/kind";
import type { PublicRequirement } from "~/gate/kinds/keys.openapi";
import { allOf, anyOf, opposite } from "~/gate/kinds/requirement";
import type { Outcome } from "~/gate/kinds/requirement";
import type { RequirementReport } from "~/gate/kinds/requirement-report";
import { findHeldKeys, toWord } from "../entry/key-calls";
import type { AskChain } from "../entry/key-calls";
import type { KindFinding } from "./key-choice";
import type { PageKind } from "./page-kind";

/** A test compares them with the signatures. */
export const balanceCalls = {
  balanceOf: "0x70a08231",
  balanceOfId: "0x00fdd58e",
  getHasValidKey: "0x6d8ea5b4",
  decimals: "0x313ce567",
} as const;

/** The server reads all of them at sign-in. */
const maxReads = 60;

/** Rented keys and ERC-1155 can't be found by transfers. */
const listableStandards: readonly KeyStandard[] = ["erc721", "unlock"];

type Reach = { ask: AskChain; chainId: number };

/**
 * Reads each kind through the wallet's network before anything is signed. Lists, secrets and other chains stay unknown
 * until the server checks.
 */
export async function findInWallet(
  { ask, chainId }: Reach,
  kinds: readonly PageKind[],
  holder: Address,
): Promise<KindFinding[]> {
  const isListable = (kind: PageKind) =>
    kind.chainId === chainId && listableStandards.includes(kind.standard);
  const contracts = [...new Set(kinds.filter(isListable).flatMap(({ contract }) => contract ?? []))];
  const report = createReporter({ ask, chainId }, holder);
  const [held, requirements] = await Promise.all([
    // Many public nodes refuse to search the whole history.
    contracts.length > 0 ? findHeldKeys(ask, contracts, holder).catch(() => null) : null,
    Promise.all(kinds.map(({ requirement }) => requirement && report(requirement))),
  ]);
  const heldOf = ({ contract }: PageKind) => contract && held?.get(contract.toLowerCase());
  return kinds.map((kind, index) => ({
    name: kind.name,
    tokenIds: kind.standard === "membership" ? [] : ((isListable(kind) ? heldOf(kind) : null) ?? null),
    requirement: requirements[index] ?? null,
  }));
}

type PublicLeaf = Exclude<
  PublicRequirement,
  { all: unknown } | { any: unknown } | { not: unknown } | { secret: true } | { list: true }
>;

/** Reports what the server would, and reads equal leaves once. */
function createReporter({ ask, chainId }: Reach, holder: Address) {
  const results = new Map<string, Promise<bigint | null>>();
  const word = toWord(holder).slice(2);

  function read(method: string, ...params: readonly unknown[]): Promise<bigint | null> {
    const name = JSON.stringify([method, params]);
    const known = results.get(name);
    if (known) return known;
    if (results.size >= maxReads) return Promise.resolve(null);
    const result = ask({ method, params: [...params, "latest"] }).then(toAmount, () => null);
    results.set(name, result);
    return result;
  }

  const call = (to: string, data: string) => read("eth_call", { to, data });

  async function readHeld(leaf: PublicLeaf): Promise<bigint | null> {
    if ("native" in leaf) return read("eth_getBalance", holder);
    if ("unlock" in leaf) return call(leaf.unlock, `${balanceCalls.getHasValidKey}${word}`);
    if ("erc1155" in leaf) {
      const id = BigInt(leaf.tokenId).toString(16).padStart(64, "0");
      return call(leaf.erc1155, `${balanceCalls.balanceOfId}${word}${id}`);
    }
    return call("erc20" in leaf ? leaf.erc20 : leaf.erc721, `${balanceCalls.balanceOf}${word}`);
  }

  async function readDecimals(leaf: PublicLeaf): Promise<number | null> {
    if ("native" in leaf) return 18;
    const decimals = "erc20" in leaf ? await call(leaf.erc20, balanceCalls.decimals) : null;
    return decimals === null || decimals > 77n ? null : Number(decimals);
  }

  async function reportLeaf(leaf: PublicLeaf): Promise<RequirementReport> {
    const [held, decimals] =
      leaf.chainId === chainId ? await Promise.all([readHeld(leaf), readDecimals(leaf)]) : [null, null];
    const atLeast = "unlock" in leaf ? 1n : BigInt(leaf.atLeast);
    return {
      label: leaf.label,
      outcome: held === null ? "unknown" : held >= atLeast ? "met" : "unmet",
      needed: "unlock" in leaf ? "valid membership" : leaf.atLeast,
      ...(held !== null && !("unlock" in leaf) && { held: held.toString() }),
      ...(decimals !== null && { decimals }),
      chainId: leaf.chainId,
      ...(leaf.get && { get: leaf.get }),
    };
  }

  return async function report(node: PublicRequirement): Promise<RequirementReport> {
    if ("all" in node) {
      const all = await Promise.all(node.all.map(report));
      return { outcome: allOf(all.map(outcomeOf)), all };
    }
    if ("any" in node) {
      const any = await Promise.all(node.any.map(report));
      return { outcome: anyOf(any.map(outcomeOf)), any };
    }
    if ("not" in node) {
      const not = await report(node.not);
      return { outcome: opposite[outcomeOf(not)], not };
    }
    if ("secret" in node) return node;
    if ("list" in node) {
      return { label: node.label, outcome: "unknown", ...(node.get && { get: node.get }) };
    }
    return reportLeaf(node);
  };
}

function outcomeOf(report: RequirementReport): Outcome {
  return "secret" in report ? "unknown" : report.outcome;
}

/** Empty without a contract. */
function toAmount(result: unknown): bigint | null {
  return typeof result === "string" && /^0x[0-9a-f]{1,64}$/i.test(result) ? BigInt(result) : null;
}
