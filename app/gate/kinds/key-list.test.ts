import { expect, test } from "vitest";
import { toKeyList } from "./key-list";
import { keyListSchema } from "./keys.openapi";
import type { KeyKind } from "./kind";
import type { Leaf, Requirement } from "./requirement";

const contract = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
const open = { isSecret: false } as const;
const get = { url: "https://example.com/buy", text: "Buy one" };
const leaves: Leaf[] = [
  { ...open, type: "erc721", contract, chainId: 1, atLeast: 1n },
  { ...open, type: "erc20", contract, chainId: 8453, atLeast: 2_500_000n, label: "2.5 USDC on Base", get },
  { ...open, type: "erc1155", contract, chainId: 1, tokenId: "5", atLeast: 2n },
  { ...open, type: "native", chainId: 1, atLeast: 10n ** 18n },
  { ...open, type: "unlock", contract, chainId: 1 },
  { ...open, type: "addresses", list: { has: () => true }, label: "On the guest list" },
  { type: "erc20", contract, chainId: 1, atLeast: 77n, label: "hunter2", isSecret: true, get },
];
const requirement: Requirement = {
  type: "any",
  of: [
    { type: "all", of: leaves.map((leaf) => ({ type: "leaf", leaf })) },
    { type: "not", of: { type: "leaf", leaf: leaves[5]! } },
  ],
};
const kind: KeyKind = {
  name: "founder",
  title: "Founder's key",
  standard: "erc721",
  chainId: 1,
  contract,
  keptUnder: { chainId: 1, contractAddress: contract },
  delegation: "full",
  delegatesMayUse: true,
  requirement,
  opens: ["room"],
  get,
};
const patrons: KeyKind = { ...kind, name: "patron", standard: "membership", contract: null };

const told = {
  any: [
    {
      all: [
        { erc721: contract, chainId: 1, atLeast: "1", label: "NFT of 0x8335…2913 on chain 1" },
        { erc20: contract, chainId: 8453, atLeast: "2500000", label: "2.5 USDC on Base", get },
        {
          erc1155: contract,
          tokenId: "5",
          chainId: 1,
          atLeast: "2",
          label: "Token #5 of 0x8335…2913 on chain 1",
        },
        { native: true, chainId: 1, atLeast: "1000000000000000000", label: "Coin of chain 1" },
        { unlock: contract, chainId: 1, label: "Membership of 0x8335…2913 on chain 1" },
        { list: true, label: "On the guest list" },
        { secret: true },
      ],
    },
    { not: { list: true, label: "On the guest list" } },
  ],
};

test("everybody may know what a kind asks for, except secret leaves and who is on a list", () => {
  const list = toKeyList([kind, patrons]);
  expect(list).toEqual({
    keys: [
      {
        name: "founder",
        title: "Founder's key",
        standard: "erc721",
        chainId: 1,
        contract,
        also: told,
        opens: ["room"],
        get,
      },
      {
        name: "patron",
        title: "Founder's key",
        standard: "membership",
        chainId: 1,
        requires: told,
        opens: ["room"],
        get,
      },
    ],
  });
  expect(JSON.stringify(list)).not.toContain("hunter2");
  expect(keyListSchema.strict().parse(list)).toEqual(list);
});
