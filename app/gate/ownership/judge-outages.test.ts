import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import type { KeyKind } from "../kinds/kind";
import type { Requirement } from "../kinds/requirement";
import { deployCoin, makeLeaf, mintCoins } from "~e2e/support/chain/key-kinds";
import type { Contract } from "~e2e/support/chain/key-kinds";
import { makeKind } from "~e2e/support/key-kinds";
import { startTestChain } from "~e2e/support/chain/chain";
import { openTwoChains } from "~e2e/support/chain/two-chains";
import { createJudge } from "./judge.server";

const { first, second, makeClients, posts } = await openTwoChains();
const holder = first.chain.addressOf(1);
const stranger = first.chain.addressOf(2);
const home = first.chain.chainId;
const abroad = second.chain.chainId;

let coin: Contract;
let tokenId: string;

beforeAll(async () => {
  coin = await deployCoin(second.chain, 6);
  tokenId = await first.chain.mintKey(1);
  await mintCoins(second.chain, coin, { to: holder, amount: 5n });
});

function openJudge({ cacheSeconds = 0, timeoutMs = 400 } = {}) {
  const clientOf = makeClients({ timeoutMs });
  return createJudge({ clientOf, confirmationsOf: () => 0, cacheSeconds, clock: () => 1_000 });
}

const coinLeaf = (atLeast = 5n) =>
  makeLeaf({ type: "erc20", contract: coin.address, chainId: abroad, atLeast });
const nativeLeaf = (atLeast: bigint) => makeLeaf({ type: "native", chainId: home, atLeast });
const keyKind = (requirement: Requirement): KeyKind =>
  makeKind({ chainId: home, contract: first.chain.key.address, requirement });
const ask = (kind: KeyKind, signer = holder) => ({ kind, tokenId, signer, vault: null });

const faults = ["hanging", "reset", "http-500", "html", "rpc-error", "wrong-chain", "reverting"] as const;

test.each(faults)("a leaf whose chain plays %s is unknown, and decides only where it must", async (fault) => {
  const judge = openJudge();
  const outcomeOf = async (requirement: Requirement, signer = holder) =>
    (await judge.judge(ask(keyKind(requirement), signer))).outcome;
  second.rpc.setFault(fault);

  expect(await outcomeOf(coinLeaf())).toBe("unknown");
  expect(await outcomeOf({ type: "not", of: coinLeaf() })).toBe("unknown");
  expect(await outcomeOf({ type: "any", of: [coinLeaf(), nativeLeaf(1n)] })).toBe("met");
  expect(await outcomeOf({ type: "all", of: [coinLeaf(), nativeLeaf(1n << 255n)] })).toBe("unmet");
  expect(await outcomeOf(coinLeaf(), stranger)).toBe("unmet");
});

test("the judgement tells what is unknown, why, and which blocks were read", async () => {
  const judge = openJudge();
  await judge.judge(ask(keyKind(coinLeaf())));
  second.rpc.setFault("http-500");
  const { key, requirement, blocks, cause } = await judge.judge(ask(keyKind(coinLeaf())));

  expect(key).toEqual({ outcome: "met", reason: null });
  // The token's decimals were read before its chain became unreachable.
  expect(requirement).toMatchObject({ outcome: "unknown", reading: { outcome: "unknown", decimals: 6 } });
  expect(blocks).toMatchObject([{ chainId: home, blockNumber: expect.any(BigInt) as bigint }]);
  expect(cause).toMatchObject({ details: "HTTP status 500." });
});

test("while the key's own chain is away, the key is unknown, and what is unmet elsewhere decides", async () => {
  first.rpc.setFault("hanging");
  const judge = openJudge();

  expect(await judge.judge(ask(keyKind(coinLeaf())))).toMatchObject({
    outcome: "unknown",
    key: { outcome: "unknown", reason: null },
    requirement: { outcome: "met" },
  });
  expect((await judge.judge(ask(keyKind(coinLeaf(6n))))).outcome).toBe("unmet");
  await expect(judge.readOwner({ kind: keyKind(coinLeaf()), tokenId })).rejects.toMatchObject({
    slug: "chain-unavailable",
  });
});

test("chains are asked side by side, and one that answers late is waited for", async () => {
  const arrivals: number[] = [];
  let letGo = () => {};
  const bothArrived = new Promise<void>((resolve) => (letGo = resolve));
  for (const { rpc } of [first, second]) {
    // Answers only when both have arrived. Sent one after the other, they would time out.
    rpc.onPost(async ({ method }) => {
      if (method !== "eth_call") return;
      if (arrivals.push(Date.now()) === 2) letGo();
      await bothArrived;
      if (rpc === second.rpc) await delay(100);
    });
  }
  expect((await openJudge().judge(ask(keyKind(coinLeaf())))).outcome).toBe("met");
});

test("an outage is not shared: the next question is answered, and the other chain's reading kept", async () => {
  const judge = openJudge({ cacheSeconds: 4 });
  second.rpc.setFault("http-500");
  expect((await judge.judge(ask(keyKind(coinLeaf())))).outcome).toBe("unknown");
  second.rpc.setFault("none");
  expect((await judge.judge(ask(keyKind(coinLeaf())))).outcome).toBe("met");
  expect(posts()).toEqual([["eth_call"], ["eth_call", "eth_call"]]);
});

test("a chain that lags far behind is unknown, the other one is not", async () => {
  const past = await startTestChain({ chainId: abroad });
  try {
    const nowSeconds = Math.floor(Date.now() / 1_000);
    await past.setTime(nowSeconds - 3_600);
    await second.chain.setTime(nowSeconds);
    const judge = openJudge();
    expect((await judge.judge(ask(keyKind(coinLeaf())))).outcome).toBe("met");
    second.rpc.setUpstream(past.rpcUrl);
    expect(await judge.judge(ask(keyKind(coinLeaf())))).toMatchObject({
      outcome: "unknown",
      key: { outcome: "met" },
    });
  } finally {
    await past.stop();
  }
});
