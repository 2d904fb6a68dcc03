import type { Address } from "viem";
import { evaluate } from "~/gate/kinds/evaluate";
import { listLeaves } from "~/gate/kinds/requirement-leaves";
import type { PublicRequirement } from "~/gate/kinds/key-list.schema";
import type { KeyStandard } from "~/gate/kinds/kind";
import type { Leaf, Reading, Requirement } from "~/gate/kinds/requirement";
import { reportVerdict } from "~/gate/kinds/requirement-report";
import { findHeldKeys, toWord } from "../entry/key-calls";
import type { AskChain } from "../entry/key-calls";
import type { KindFinding } from "./key-choice";
import type { PageKind } from "./page-kind";
import { readRequirements } from "./requirement-tree";

/** As bytes; a test compares them with the signatures. */
export const balanceCalls = {
  balanceOf: "0x70a08231",
  balanceOfId: "0x00fdd58e",
  getHasValidKey: "0x6d8ea5b4",
  decimals: "0x313ce567",
} as const;

/** More than this are not read ahead: the server reads them all when somebody signs in. */
const maxLeavesRead = 60;

/** Of these the numbers can be searched for: whoever rents a key, or holds many of one, is in no search. */
const listableStandards: readonly KeyStandard[] = ["erc721", "unlock"];

type Reach = {
  /** Asks the chain that the wallet, or the demo, gives access to; no other is asked. */
  ask: AskChain;
  chainId: number;
};

/**
 * What can be told of each kind before anything is signed, by the wallet's own network. It costs this site nothing,
 * and tells it nothing; lists, secrets and other chains stay unknown until the server has judged the wallet.
 */
export async function findInWallet(
  { ask, chainId }: Reach,
  kinds: readonly PageKind[],
  holder: Address,
): Promise<KindFinding[]> {
  const isListable = (kind: PageKind) =>
    kind.chainId === chainId && listableStandards.includes(kind.standard);
  const contracts = [...new Set(kinds.filter(isListable).flatMap(({ contract }) => contract ?? []))];
  const requirements = new Map(
    kinds.flatMap(({ name, requirement }) =>
      requirement ? [[name, toRequirement(requirement)] as const] : [],
    ),
  );
  const [held, readings] = await Promise.all([
    // Many public nodes refuse to search the whole history; the visitor can type the number.
    contracts.length > 0 ? findHeldKeys(ask, contracts, holder).catch(() => null) : null,
    readLeaves({ ask, chainId }, [...requirements.values()], holder),
  ]);
  const heldOf = ({ contract }: PageKind) => contract && held?.get(contract.toLowerCase());
  return kinds.map((kind) => {
    const { name, standard } = kind;
    const requirement = requirements.get(name);
    const verdict =
      requirement && evaluate(requirement, (leaf) => readings.get(leaf) ?? { outcome: "unknown" });
    return {
      name,
      tokenIds: standard === "membership" ? [] : ((isListable(kind) ? heldOf(kind) : null) ?? null),
      requirement: verdict ? readRequirements(reportVerdict(verdict)) : null,
    };
  });
}

function toRequirement(given: PublicRequirement): Requirement {
  if ("all" in given) return { type: "all", of: given.all.map(toRequirement) };
  if ("any" in given) return { type: "any", of: given.any.map(toRequirement) };
  if ("not" in given) return { type: "not", of: toRequirement(given.not) };
  return { type: "leaf", leaf: toLeaf(given) };
}

/** Who is on a list, and what is secret, the page never knows. */
const untold = { type: "addresses", list: { has: () => false } } as const;

type PublicLeaf = Exclude<PublicRequirement, { all: unknown } | { any: unknown } | { not: unknown }>;

function toLeaf(given: PublicLeaf): Leaf {
  if ("secret" in given) return { ...untold, isSecret: true };
  const notes = { label: given.label, get: given.get, isSecret: false };
  if ("list" in given) return { ...untold, ...notes };
  const { chainId } = given;
  if ("unlock" in given) return { type: "unlock", contract: given.unlock as Address, chainId, ...notes };
  const amount = { chainId, atLeast: BigInt(given.atLeast), ...notes };
  if ("native" in given) return { type: "native", ...amount };
  if ("erc1155" in given)
    return { type: "erc1155", contract: given.erc1155 as Address, tokenId: given.tokenId, ...amount };
  if ("erc20" in given) return { type: "erc20", contract: given.erc20 as Address, ...amount };
  return { type: "erc721", contract: given.erc721 as Address, ...amount };
}

/** Equal ones are read once. */
async function readLeaves(
  { ask, chainId }: Reach,
  requirements: readonly Requirement[],
  holder: Address,
): Promise<Map<Leaf, Reading>> {
  const leaves = requirements
    .flatMap(listLeaves)
    .filter((leaf) => "chainId" in leaf && leaf.chainId === chainId);
  const asked = new Map<string, Promise<bigint | null>>();
  const read = (request: Parameters<AskChain>[0]) => {
    const name = JSON.stringify(request);
    const answer = asked.get(name) ?? ask(request).then(toAmount, () => null);
    asked.set(name, answer);
    return answer;
  };
  const readings = leaves
    .slice(0, maxLeavesRead)
    .map(async (leaf) => [leaf, await readLeaf(read, leaf, holder)] as const);
  return new Map(await Promise.all(readings));
}

type Read = (request: Parameters<AskChain>[0]) => Promise<bigint | null>;

async function readLeaf(read: Read, leaf: Leaf, holder: Address): Promise<Reading> {
  const word = toWord(holder).slice(2);
  const call = (to: Address, data: string) => read({ method: "eth_call", params: [{ to, data }, "latest"] });
  switch (leaf.type) {
    case "addresses":
      return { outcome: "unknown" };
    case "native":
      return compare(await read({ method: "eth_getBalance", params: [holder, "latest"] }), leaf.atLeast, 18);
    case "unlock": {
      const isValid = await call(leaf.contract, `${balanceCalls.getHasValidKey}${word}`);
      return { outcome: isValid === null ? "unknown" : isValid > 0n ? "met" : "unmet" };
    }
    case "erc1155": {
      const id = BigInt(leaf.tokenId).toString(16).padStart(64, "0");
      return compare(await call(leaf.contract, `${balanceCalls.balanceOfId}${word}${id}`), leaf.atLeast);
    }
    case "erc721":
      return compare(await call(leaf.contract, `${balanceCalls.balanceOf}${word}`), leaf.atLeast);
    case "erc20": {
      const [held, decimals] = await Promise.all([
        call(leaf.contract, `${balanceCalls.balanceOf}${word}`),
        call(leaf.contract, balanceCalls.decimals),
      ]);
      return compare(held, leaf.atLeast, decimals === null || decimals > 77n ? undefined : Number(decimals));
    }
  }
}

function compare(held: bigint | null, atLeast: bigint, decimals?: number): Reading {
  if (held === null) return { outcome: "unknown" };
  return { outcome: held >= atLeast ? "met" : "unmet", held, decimals };
}

/** Where there is no contract, the answer is empty. */
function toAmount(answer: unknown): bigint | null {
  return typeof answer === "string" && /^0x[0-9a-f]{1,64}$/i.test(answer) ? BigInt(answer) : null;
}
