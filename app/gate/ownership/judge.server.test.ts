import { hashMessage } from "viem";
import type { Address } from "viem";
import { beforeAll, expect, test } from "vitest";
import type { KeyKind } from "../kinds/kind";
import type { Requirement } from "../kinds/requirement";
import { deployCoin, makeLeaf, mintCoins } from "~e2e/support/chain/key-kinds";
import type { Contract } from "~e2e/support/chain/key-kinds";
import { makeKind } from "~e2e/support/key-kinds";
import { openTwoChains } from "~e2e/support/chain/two-chains";
import { createJudge } from "./judge.server";

const { first, second, makeClients, posts } = await openTwoChains();
const holder = first.chain.addressOf(1);
const other = first.chain.addressOf(2);
const home = first.chain.chainId;
const abroad = second.chain.chainId;

let coins: [Contract, Contract];
let tokenId: string;

beforeAll(async () => {
  coins = [await deployCoin(first.chain, 6), await deployCoin(second.chain, 18)];
  tokenId = await first.chain.mintKey(1);
  await mintCoins(first.chain, coins[0], { to: holder, amount: 100n });
  await mintCoins(second.chain, coins[1], { to: holder, amount: 200n });
  first.rpc.posts.length = 0;
});

function openJudge(options: Partial<Parameters<typeof createJudge>[0]> = {}) {
  const clientOf = makeClients();
  return createJudge({ clientOf, confirmationsOf: () => 0, cacheSeconds: 4, clock: () => 1_000, ...options });
}

const keyKind = (given: Partial<KeyKind> = {}) =>
  makeKind({ chainId: home, contract: first.chain.key.address, ...given });
const coinLeaf = (index: 0 | 1, atLeast: bigint) =>
  makeLeaf({ type: "erc20", contract: coins[index].address, chainId: index === 0 ? home : abroad, atLeast });
const ask = (kind: KeyKind, signer: Address = holder, fresh = false) => ({
  kind,
  tokenId,
  signer,
  vault: null,
  fresh,
});
const both = (): Requirement => ({ type: "all", of: [coinLeaf(0, 100n), coinLeaf(1, 200n)] });

test("erc721: one call tells the holder from others, and nothing is shared by a fresh question", async () => {
  const judge = openJudge();

  expect(await judge.judge(ask(keyKind()))).toMatchObject({
    outcome: "met",
    key: { outcome: "met", reason: null },
    requirement: null,
    blocks: [{ chainId: home, blockNumber: expect.any(BigInt) as bigint }],
    cause: null,
  });
  expect(await judge.judge(ask(keyKind(), other))).toMatchObject({
    outcome: "unmet",
    key: { outcome: "unmet", reason: "not-owner" },
  });
  expect(posts()).toEqual([["eth_call"], []]);
  await judge.judge(ask(keyKind(), holder, true));
  expect(posts()).toEqual([["eth_call", "eth_call"], []]);
});

const twentyLeaves = (): Requirement => ({
  type: "all",
  of: Array.from({ length: 20 }, (_, index) => coinLeaf(index % 2 === 0 ? 0 : 1, BigInt(index + 1))),
});

test("a kind with leaves on two chains takes one call of each, however many there are", async () => {
  const kind = keyKind({ requirement: twentyLeaves() });

  const { outcome, requirement, blocks } = await openJudge().judge(ask(kind));
  expect(outcome).toBe("met");
  expect(posts()).toEqual([["eth_call"], ["eth_call"]]);
  expect(blocks.map(({ chainId }) => chainId)).toEqual([home, abroad]);
  if (requirement?.type !== "all") expect.fail("It is a group.");
  const readings = requirement.of.map((node) => (node.type === "leaf" ? node.reading : null));
  expect(readings.slice(0, 2)).toEqual([
    { outcome: "met", held: 100n, decimals: 6 },
    { outcome: "met", held: 200n, decimals: 18 },
  ]);
});

test("100 sign-ins at once are one call a chain, and so are 100 uses of a token", async () => {
  const kind = keyKind({ requirement: twentyLeaves() });
  const judge = openJudge();
  const many = (fresh: boolean) =>
    Promise.all(Array.from({ length: 100 }, () => judge.judge(ask(kind, holder, fresh))));

  for (const { outcome } of await many(true)) expect(outcome).toBe("met");
  expect(posts()).toEqual([["eth_call"], ["eth_call"]]);
  await many(false);
  expect(posts()).toEqual([["eth_call"], ["eth_call"]]);
});

test("a new block of one chain ends what is shared of it and not of the other", async () => {
  const kind = keyKind({ requirement: both() });
  const judge = openJudge();
  await judge.judge(ask(kind));
  const noteNext = async (chainId: number) => {
    const { chain } = chainId === home ? first : second;
    await chain.control.mine({ blocks: 1 });
    judge.noteBlock(chainId, { blockNumber: await chain.viewer.getBlockNumber(), blockSeconds: 0n });
  };
  await noteNext(abroad);
  await judge.judge(ask(kind));
  expect(posts()).toEqual([["eth_call"], ["eth_call", "eth_call"]]);

  judge.noteBlock(abroad, { blockNumber: await second.chain.viewer.getBlockNumber(), blockSeconds: 0n });
  await noteNext(home);
  await judge.judge(ask(kind));
  expect(posts()).toEqual([
    ["eth_call", "eth_call"],
    ["eth_call", "eth_call"],
  ]);
});

test("forgetting drops the keys named, a whole contract, or a chain", async () => {
  const contract = { chainId: home, contractAddress: first.chain.key.address };
  const judge = openJudge();
  const calls = async () => {
    await judge.judge(ask(keyKind()));
    return posts()[0]!.length;
  };

  expect(await calls()).toBe(1);
  judge.forget(contract, new Set(["404"]));
  expect(await calls()).toBe(1);
  judge.forget(contract, new Set([tokenId]));
  expect(await calls()).toBe(2);
  judge.forgetChain(home);
  expect(await calls()).toBe(3);
  judge.forgetChain(home);
  expect(await calls()).toBe(4);
  judge.forgetChain(abroad);
  expect(await calls()).toBe(4);
});

test("a reading is shared for as long as cacheSeconds say and no longer", async () => {
  let nowMs = 50_000;
  const judge = openJudge({ clock: () => nowMs });
  const kind = keyKind({ requirement: both() });
  await judge.judge(ask(kind));
  nowMs += 3_999;
  await judge.judge(ask(kind));
  expect(posts()).toEqual([["eth_call"], ["eth_call"]]);
  nowMs += 1;
  await judge.judge(ask(kind));
  expect(posts().flat()).toHaveLength(4);
});

test("two kinds of one contract share what is read of a key, and none what is read of a wallet", async () => {
  const judge = openJudge();
  await judge.judge(ask(keyKind({ name: "one" })));
  await judge.judge(ask(keyKind({ name: "two" })));
  expect(posts()[0]).toHaveLength(1);

  const rich = keyKind({ name: "rich", requirement: coinLeaf(0, 100n) });
  expect((await judge.judge(ask(rich, holder))).outcome).toBe("met");
  const { requirement } = await judge.judge(ask(rich, other));
  expect(requirement).toMatchObject({ outcome: "unmet", reading: { held: 0n } });
});

test("decimals are asked for once, in the same call", async () => {
  const calls: unknown[][] = [];
  first.rpc.onPost(({ method, params }) => void (method === "eth_call" && calls.push(params ?? [])));
  const judge = openJudge({ cacheSeconds: 0 });
  const kind = keyKind({ requirement: coinLeaf(0, 1n) });
  await judge.judge(ask(kind));
  const { requirement } = await judge.judge(ask(kind));

  const decimalsSelector = "313ce567";
  const dataOf = (params: unknown[] | undefined) => (params?.[0] as { data: string }).data;
  expect(calls.map((params) => dataOf(params).includes(decimalsSelector))).toEqual([true, false]);
  expect(requirement).toMatchObject({ reading: { decimals: 6 } });
});

test("a membership of lists of addresses asks no chain", async () => {
  const list = { has: (address: Address) => address === holder };
  const kind = makeKind({
    name: "guests",
    standard: "membership",
    chainId: home,
    requirement: makeLeaf({ type: "addresses", list }),
  });
  const judge = openJudge();

  expect(await judge.judge(ask(kind))).toMatchObject({ outcome: "met", key: null, blocks: [] });
  expect(await judge.judge(ask(kind, other))).toMatchObject({ outcome: "unmet", key: null });
  expect(posts()).toEqual([[], []]);
});

test("a list is read again with each judgement, also where the chain's reading is shared", async () => {
  let isOnIt = false;
  const listed = makeLeaf({ type: "addresses", list: { has: () => isOnIt } });
  const judge = openJudge();
  const kind = keyKind({ requirement: listed });
  expect((await judge.judge(ask(kind))).outcome).toBe("unmet");
  isOnIt = true;
  expect((await judge.judge(ask(kind))).outcome).toBe("met");
  expect(posts()[0]).toHaveLength(1);
});

test("a contract wallet's signature, its key and what it must hold are one call a chain", async () => {
  const { address: wallet } = await first.chain.deploy({
    contractName: "ContractWallet",
    args: [first.chain.addressOf(3)],
  });
  const walletKey = await first.chain.mintKey(1);
  await first.chain.transferKey({ tokenId: walletKey, from: 1, to: wallet });
  await mintCoins(first.chain, coins[0], { to: wallet, amount: 100n });
  const message = "I hold this key";
  const signedBy = async (account: number) => ({
    wallet,
    hash: hashMessage(message),
    signature: await first.chain.walletOf(account).signMessage({ message }),
    deployment: null,
  });
  const kind = keyKind({ requirement: { type: "any", of: [coinLeaf(0, 100n), coinLeaf(1, 1n)] } });
  const question = { kind, tokenId: walletKey, signer: wallet, vault: null };
  const judge = openJudge();
  first.rpc.posts.length = 0;

  const { verdict, judgement } = await judge.judgeSigned({ ...question, signed: await signedBy(3) });
  expect({ verdict, outcome: judgement.outcome }).toEqual({ verdict: "valid", outcome: "met" });
  expect(posts()).toEqual([["eth_call"], ["eth_call"]]);
  // The reading is shared, but nothing of the signature is.
  expect((await judge.judge(question)).outcome).toBe("met");
  expect(posts()).toEqual([["eth_call"], ["eth_call"]]);
  expect(await judge.judgeSigned({ ...question, signed: await signedBy(4) })).toMatchObject({
    verdict: "invalid",
  });
  first.rpc.setFault("http-500");
  await expect(judge.judgeSigned({ ...question, signed: await signedBy(3) })).rejects.toMatchObject({
    slug: "chain-unavailable",
  });
});

test("a membership's signature is judged where nothing else is asked of its chain", async () => {
  const { address: wallet } = await first.chain.deploy({
    contractName: "ContractWallet",
    args: [first.chain.addressOf(3)],
  });
  const message = "I am a member";
  const signature = await first.chain.walletOf(3).signMessage({ message });
  const signed = { wallet, hash: hashMessage(message), signature, deployment: null };
  const kind = makeKind({
    standard: "membership",
    chainId: home,
    requirement: makeLeaf({ type: "native", chainId: abroad, atLeast: 1n }),
  });
  first.rpc.posts.length = 0;

  for (const fault of ["none", "deployless-refused"] as const) {
    first.rpc.setFault(fault);
    const question = { kind, tokenId: String(BigInt(wallet)), signer: wallet, vault: null, signed };
    const { verdict, judgement } = await openJudge().judgeSigned(question);
    expect({ verdict, outcome: judgement.outcome }).toEqual({ verdict: "valid", outcome: "unmet" });
  }
});
