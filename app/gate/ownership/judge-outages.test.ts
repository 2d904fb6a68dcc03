import { setTimeout as delay } from "node:timers/promises";
import { hashMessage } from "viem";
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

test("a hanging chain delays nobody whom the others let in, and its later failure harms nothing", async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on("unhandledRejection", note);
  let failures = 0;
  second.rpc.setFault("hanging");
  const judge = createJudge({
    clientOf: makeClients({ timeoutMs: 2_000 }),
    confirmationsOf: () => 0,
    cacheSeconds: 0,
    clock: () => 1_000,
    onReading: ({ outcome }) => void (failures += outcome === "unavailable" ? 1 : 0),
  });
  const either = keyKind({ type: "any", of: [nativeLeaf(1n), coinLeaf()] });
  expect((await judge.judge(ask(either))).outcome).toBe("met");
  expect(failures).toBe(0);
  const unmet = await judge.judge(ask(keyKind({ type: "all", of: [nativeLeaf(1n << 255n), coinLeaf()] })));
  expect(unmet).toMatchObject({ outcome: "unmet", cause: expect.anything() as unknown });
  expect(failures).toBeGreaterThan(0);
  await delay(50);
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

/** Whether the judgement comes in time while the second chain, called too, still hangs. */
async function askWhileSecondWaits(ask: () => Promise<unknown>, withinMs: number) {
  let letGo = () => {};
  const released = new Promise<void>((resolve) => (letGo = resolve));
  const bothAsked = [first, second].map(
    ({ rpc }) =>
      new Promise<void>((resolve) =>
        rpc.onPost(async () => {
          resolve();
          if (rpc === second.rpc) await released;
        }),
      ),
  );
  let isAnswered = false;
  const answer = ask().finally(() => (isAnswered = true));
  await Promise.all(bothAsked);
  await Promise.race([answer, delay(withinMs)]);
  const wasEarly = isAnswered;
  letGo();
  return { wasEarly, answer: await answer };
}

test("with a secret leaf nobody is let in before all chains respond: the time would tell who is on a list", async () => {
  const admitThrough = (isSecret: boolean) => {
    const list = { has: (address: string) => address.toLowerCase() === holder.toLowerCase() };
    const listed = { type: "leaf", leaf: { type: "addresses", list, isSecret } } as const;
    const judge = openJudge({ timeoutMs: 10_000 });
    const kind = keyKind({ type: "any", of: [coinLeaf(), listed] });
    return askWhileSecondWaits(() => judge.judge(ask(kind)), isSecret ? 200 : 8_000);
  };
  const met = { outcome: "met" };
  expect(await admitThrough(false)).toMatchObject({ wasEarly: true, answer: met });
  expect(await admitThrough(true)).toMatchObject({ wasEarly: false, answer: met });
});

test("a contract wallet that the others let in doesn't wait for a hanging chain either", async () => {
  const { address: wallet } = await first.chain.deploy({
    contractName: "ContractWallet",
    args: [first.chain.addressOf(3)],
  });
  const signature = await first.chain.walletOf(3).signMessage({ message: "Let me in" });
  const signed = { wallet, hash: hashMessage("Let me in"), signature, deployment: null };
  const open: Requirement = { type: "not", of: nativeLeaf(1n << 255n) };
  const requirement: Requirement = { type: "any", of: [open, coinLeaf()] };
  const kind = makeKind({ standard: "membership", chainId: home, requirement });
  const judge = openJudge({ timeoutMs: 10_000 });
  const question = { kind, tokenId: String(BigInt(wallet)), signer: wallet, vault: null, signed };
  const { wasEarly, answer } = await askWhileSecondWaits(() => judge.judgeSigned(question), 8_000);
  expect({ wasEarly, answer }).toMatchObject({
    wasEarly: true,
    answer: { verdict: "valid", judgement: { outcome: "met" } },
  });
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
