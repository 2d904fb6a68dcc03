import { beforeAll, expect, test } from "vitest";
import type { KeyKind } from "../kinds/kind";
import { membershipId } from "../kinds/kind";
import { deployCoin, makeLeaf, mintCoins } from "~e2e/support/chain/key-kinds";
import type { Contract } from "~e2e/support/chain/key-kinds";
import { makeKind, untouched } from "~e2e/support/key-kinds";
import { openTwoChains } from "~e2e/support/chain/two-chains";
import { createJudge } from "./judge.server";
import { surveyKinds } from "./survey.server";

const { first, second, makeClients, posts } = await openTwoChains();
const holder = first.chain.addressOf(1);
const unused = untouched;
const home = first.chain.chainId;
const abroad = second.chain.chainId;

let coin: Contract;
let tokenId: string;
beforeAll(async () => {
  coin = await deployCoin(second.chain, 6);
  tokenId = await first.chain.mintKey(1);
  await mintCoins(second.chain, coin, { to: holder, amount: 7n });
});

const coins = (atLeast: bigint) =>
  makeLeaf({ type: "erc20", contract: coin.address, chainId: abroad, atLeast });
const listKinds = (): KeyKind[] => [
  makeKind({ name: "plain", chainId: home, contract: first.chain.key.address }),
  makeKind({ name: "both", chainId: home, contract: first.chain.key.address, requirement: coins(7n) }),
  makeKind({ name: "member", standard: "membership", chainId: abroad, requirement: coins(8n) }),
];

function survey(id: string | null, kinds = listKinds()) {
  const clientOf = makeClients();
  const judge = createJudge({ clientOf, confirmationsOf: () => 0, cacheSeconds: 4, clock: () => 1_000 });
  return surveyKinds({ kinds, holder, tokenId: id }, { judge, keys: { findKeyState: async () => unused } });
}

test("all kinds are read afresh by one call a chain, with the block, the owner and what is held", async () => {
  const [plain, both, member] = await survey(tokenId);
  const block = expect.any(BigInt) as bigint;
  // Kinds with the same contracts share a call.
  expect(posts()).toEqual([["eth_call"], ["eth_call"]]);
  expect(plain).toMatchObject({
    tokenId,
    judgement: { outcome: "met", key: { outcome: "met" }, blocks: [{ chainId: home, blockNumber: block }] },
    key: { owner: holder, user: null },
    state: unused,
  });
  expect(both!.judgement).toMatchObject({
    outcome: "met",
    requirement: { outcome: "met", reading: { held: 7n, decimals: 6 } },
    blocks: [{ chainId: home }, { chainId: abroad, blockNumber: block }],
  });
  expect(member).toMatchObject({
    tokenId: membershipId(holder),
    judgement: { outcome: "unmet", key: null, requirement: { outcome: "unmet", reading: { held: 7n } } },
    key: null,
  });
});

test("without an id only what kinds ask for besides is read", async () => {
  const [plain, both, member] = await survey(null);
  expect(posts()).toEqual([[], ["eth_call"]]);
  expect(plain).toMatchObject({
    tokenId: null,
    state: null,
    judgement: { key: null, requirement: null, blocks: [] },
  });
  expect(both).toMatchObject({ tokenId: null, judgement: { outcome: "met", key: null } });
  expect(member!.judgement.outcome).toBe("unmet");
});

test("a chain that is away leaves only its own part unknown", async () => {
  second.rpc.setFault("http-500");
  const [plain, both, member] = await survey(tokenId);
  expect(plain!.judgement.outcome).toBe("met");
  expect(both!.judgement).toMatchObject({
    outcome: "unknown",
    key: { outcome: "met" },
    blocks: [{ chainId: home }],
  });
  expect(member!.judgement).toMatchObject({ outcome: "unknown", blocks: [] });
});
