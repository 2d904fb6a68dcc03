import { pad, toFunctionSelector, toHex } from "viem";
import type { Address, Hex } from "viem";
import { expect, test } from "vitest";
import type { AskChain } from "../entry/key-calls";
import { keyCalls } from "../entry/key-calls";
import { exampleKinds, founder, onlyKind, patron } from "~e2e/support/example-kinds";
import { balanceCalls, findInWallet } from "./wallet-findings";

const holder: Address = `0x${"ab".repeat(20)}`;
const word = (value: Hex) => pad(value, { size: 32 });

/** A chain that answers calls by their selector and records requests. */
function openChain(answers: Record<string, Hex>) {
  const asked: string[] = [];
  const ask: AskChain = ({ method, params }) => {
    const { data } = (params[0] ?? {}) as { data?: string };
    const name = method === "eth_call" ? (data ?? "").slice(0, 10) : method;
    asked.push(name);
    if (method === "eth_getLogs") {
      const topics = [keyCalls.transferTopic, word("0x0"), word(holder), toHex(7n, { size: 32 })];
      return Promise.resolve([{ address: onlyKind.contract, topics }]);
    }
    if (name === keyCalls.ownerOf) return Promise.resolve(word(holder));
    const answer = answers[name];
    return answer ? Promise.resolve(answer) : Promise.reject(new Error("reverted"));
  };
  return { ask, asked };
}

test("the encoded calls match their signatures", () => {
  expect(balanceCalls).toEqual({
    balanceOf: toFunctionSelector("balanceOf(address)"),
    balanceOfId: toFunctionSelector("balanceOf(address,uint256)"),
    getHasValidKey: toFunctionSelector("getHasValidKey(address)"),
    decimals: toFunctionSelector("decimals()"),
  });
});

test("keys and requirements of the chain in reach are read, each thing once", async () => {
  const { ask, asked } = openChain({ "0x70a08231": toHex(1_000_000), "0x313ce567": "0x6" });
  const twice = { ...founder, name: "second" };
  const found = await findInWallet({ ask, chainId: 31337 }, [...exampleKinds, twice], holder);
  expect(found[0]).toEqual({ name: "key", tokenIds: ["7"], requirement: null });
  expect(found[1]).toMatchObject({
    tokenIds: [],
    requirement: {
      outcome: "unknown",
      any: [
        { label: "2.5 USDC", outcome: "unmet", needed: "2500000", held: "1000000", decimals: 6 },
        { label: "On the guest list", outcome: "unknown" },
        { secret: true },
      ],
    },
  });
  expect(asked.toSorted()).toEqual(["0x313ce567", "0x6352211e", "0x70a08231", "eth_getLogs"]);
});

test("other chains are not asked, and nothing is known of them", async () => {
  const { ask, asked } = openChain({});
  const found = await findInWallet({ ask, chainId: 1 }, exampleKinds, holder);
  expect(asked).toEqual([]);
  expect(found).toMatchObject([
    { tokenIds: null },
    { tokenIds: null, requirement: { outcome: "unknown" } },
    { tokenIds: [], requirement: { outcome: "unknown" } },
  ]);
});

test("a chain that lists no keys, or a contract that is none, leaves the rest as it is", async () => {
  const ask: AskChain = ({ method }) =>
    method === "eth_getBalance" ? Promise.resolve("0x1") : Promise.reject(new Error("too many results"));
  const here = {
    ...patron,
    chainId: 31337,
    requirement: { native: true as const, chainId: 31337, atLeast: "1", label: "Any" },
  };
  const found = await findInWallet({ ask, chainId: 31337 }, [onlyKind, founder, here], holder);
  expect(found).toMatchObject([
    { tokenIds: null },
    { tokenIds: null, requirement: { any: [{ outcome: "unknown" }, {}, {}] } },
    { requirement: { outcome: "met", held: "1", decimals: 18 } },
  ]);
});

test("rented keys and amounts of one token are in no list", async () => {
  const { ask, asked } = openChain({});
  const kinds = (["erc4907", "erc1155"] as const).map((standard) => ({ ...onlyKind, standard }));
  const found = await findInWallet({ ask, chainId: 31337 }, kinds, holder);
  expect(found.map(({ tokenIds }) => tokenIds)).toEqual([null, null]);
  expect(asked).toEqual([]);
});

test("every kind of leaf is read by its own call", async () => {
  const { ask, asked } = openChain({
    [balanceCalls.balanceOf]: "0x1",
    [balanceCalls.balanceOfId]: "0x1",
    [balanceCalls.getHasValidKey]: "0x0",
    [balanceCalls.decimals]: "0x12",
  });
  const at = { chainId: 31337, atLeast: "1", label: "One" };
  const contract = onlyKind.contract!;
  const requirement = {
    all: [
      { erc721: contract, ...at },
      { erc1155: contract, tokenId: "5", ...at },
      { not: { unlock: contract, chainId: 31337, label: "Lock" } },
    ],
  };
  const [found] = await findInWallet({ ask, chainId: 31337 }, [{ ...patron, requirement }], holder);
  expect(found?.requirement).toMatchObject({
    outcome: "met",
    all: [{ held: "1" }, { held: "1" }, { not: { outcome: "unmet", needed: "valid membership" } }],
  });
  expect(asked).toHaveLength(3);
});
