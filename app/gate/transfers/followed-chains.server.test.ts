import { expect, test } from "vitest";
import type { KeyKind } from "../kinds/kind";
import type { Leaf, Requirement } from "../kinds/requirement";
import { placeLeaves } from "../kinds/requirement";
import { listChainsToFollow } from "./transfer-watchers.server";

const [first, second] = [`0x${"Ab".repeat(20)}`, `0x${"cd".repeat(20)}`] as const;

function makeKind(its: Partial<KeyKind>): KeyKind {
  const { chainId = 1, contract = first } = its;
  return {
    name: "founder",
    title: "Founders",
    standard: "erc721",
    chainId,
    contract,
    keptUnder: { chainId, contractAddress: contract ?? "membership:founder" },
    delegation: "none",
    delegatesMayUse: false,
    requirement: null,
    opens: ["room"],
    ...its,
  };
}
const on = (chainId: number): Leaf => ({ type: "native", chainId, atLeast: 1n, isSecret: false });
const leaf = (one: Leaf): Requirement => ({ type: "leaf", leaf: one });
const guests: Leaf = { type: "addresses", list: { has: () => true }, isSecret: false };

test("the chains of kinds come first, then those of leaves, each once with each contract once for each form", () => {
  const lowered = first.toLowerCase() as typeof first;
  const kinds = [
    makeKind({ chainId: 8453, requirement: { type: "all", of: [leaf(on(10)), leaf(guests), leaf(on(1))] } }),
    makeKind({ chainId: 8453, contract: lowered, standard: "erc4907" }),
    makeKind({ chainId: 8453, contract: lowered, standard: "erc1155" }),
    makeKind({ chainId: 1, contract: null, standard: "membership", requirement: leaf(on(100)) }),
    makeKind({ chainId: 1, contract: second, standard: "unlock" }),
  ];
  expect(listChainsToFollow(kinds)).toEqual([
    {
      chainId: 8453,
      contracts: [
        { contractAddress: first, standard: "erc721" },
        { contractAddress: lowered, standard: "erc1155" },
      ],
    },
    { chainId: 1, contracts: [{ contractAddress: second, standard: "unlock" }] },
    { chainId: 10, contracts: [] },
    { chainId: 100, contracts: [] },
  ]);
});

test("leaves are listed from left to right, with their places as the file has them", () => {
  const requirement: Requirement = {
    type: "any",
    of: [leaf(on(1)), { type: "not", of: { type: "all", of: [leaf(on(2)), leaf(on(3))] } }],
  };
  const places = (its: Partial<KeyKind>) =>
    placeLeaves(makeKind({ requirement, ...its })).map(({ place }) => place);
  expect(places({})).toEqual(["also.any[0]", "also.any[1].not.all[0]", "also.any[1].not.all[1]"]);
  expect(places({ standard: "membership" })[0]).toBe("requires.any[0]");
  expect(placeLeaves(makeKind({ requirement: null }))).toEqual([]);
});
