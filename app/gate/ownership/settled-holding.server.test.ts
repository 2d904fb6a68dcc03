import { beforeEach, expect, test } from "vitest";
import { createChainClient } from "~/platform/chain/chain-client.server";
import { openFaultyChain } from "~e2e/support/chain/faulty-chain";
import { untouched } from "~e2e/support/key-kinds";
import { createSettledHoldings } from "~e2e/support/chain/settled-holding";
import type { SettledHoldingDependencies } from "~e2e/support/chain/settled-holding";

const { chain, rpc } = await openFaultyChain();

beforeEach(() => {
  rpc.setFault("none");
  rpc.posts.length = 0;
});

function settledHoldings(options: Partial<SettledHoldingDependencies> = {}) {
  return createSettledHoldings({
    client: createChainClient({ rpcUrls: [rpc.url], chainId: chain.chainId, timeoutMs: 500 }),
    contractAddress: chain.key.address,
    standard: "erc721",
    keyUseConfirmations: 2,
    keys: { findKeyState: async () => untouched },
    cursors: { findCursor: async () => null },
    clock: Date.now,
    ...options,
  });
}

const endpoints = ["none", "deployless-refused"] as const;
const tooRecent = expect.objectContaining({ slug: "holding-too-recent", status: 409 });

test.each(endpoints)(
  "a key just transferred is too recent until two blocks follow, at an endpoint that plays %s",
  async (fault) => {
    rpc.setFault(fault);
    const holder = chain.addressOf(2);
    const tokenId = await chain.mintKey(1);
    await chain.control.mine({ blocks: 5 });
    const requireSettled = settledHoldings();
    await requireSettled(tokenId, chain.addressOf(1));

    await chain.transferKey({ tokenId, from: 1, to: holder });
    await expect(requireSettled(tokenId, holder)).rejects.toEqual(tooRecent);
    await chain.control.mine({ blocks: 1 });
    await expect(requireSettled(tokenId, holder)).rejects.toEqual(tooRecent);
    await chain.control.mine({ blocks: 1 });
    await requireSettled(tokenId, holder);
  },
);

test.each(endpoints)(
  "a key or a contract that did not exist two blocks ago is too recent, at an endpoint that plays %s",
  async (fault) => {
    rpc.setFault(fault);
    const requireSettled = settledHoldings();
    const tokenId = await chain.mintKey(1);
    await expect(requireSettled(tokenId, chain.addressOf(1))).rejects.toEqual(tooRecent);

    const keys = await chain.deploy({ contractName: "MultiKey" });
    const args = [chain.addressOf(1), 7n, 1n];
    await chain.send({ ...keys, functionName: "mint", args, from: 0 });
    const requireUnits = settledHoldings({ contractAddress: keys.address, standard: "erc1155" });
    await expect(requireUnits("7", chain.addressOf(1))).rejects.toEqual(tooRecent);
    await chain.control.mine({ blocks: 1 });
    await expect(requireUnits("7", chain.addressOf(1))).rejects.toEqual(tooRecent);
    await chain.control.mine({ blocks: 1 });
    await requireUnits("7", chain.addressOf(1));
    await requireSettled(tokenId, chain.addressOf(1));
  },
);

test("a chain shorter than the confirmations settles only what it had from the first block", async () => {
  const tokenId = await chain.mintKey(1);
  const requireSettled = settledHoldings({ keyUseConfirmations: 1_000_000 });
  await expect(requireSettled(tokenId, chain.addressOf(1))).rejects.toEqual(tooRecent);
});

test("a membership is settled by its holder, whether or not it was valid then", async () => {
  const tokenId = await chain.mintKey(1);
  await chain.control.mine({ blocks: 2 });
  await settledHoldings({ standard: "unlock" })(tokenId, chain.addressOf(1));
});

test("the refusal names the block to wait for, and a time estimated from the last blocks", async () => {
  const tokenId = await chain.mintKey(1);
  const { timestamp } = await chain.viewer.getBlock();
  const start = Number(timestamp);
  await chain.setTime(start + 100);
  await chain.setTime(start + 112);
  await chain.control.setNextBlockTimestamp({ timestamp: BigInt(start + 124) });
  await chain.transferKey({ tokenId, from: 1, to: chain.addressOf(2) });
  const newest = await chain.viewer.getBlockNumber();

  await expect(settledHoldings()(tokenId, chain.addressOf(2))).rejects.toMatchObject({
    detail: `Key #${tokenId} was not in this wallet 2 blocks before the newest one, ${newest}. Wait until block ${newest + 2n}, about 24 seconds from now, then try again.`,
    headers: { "Retry-After": "24" },
  });
  await chain.setTime(start + 100_000);
  await expect(settledHoldings()(tokenId, chain.addressOf(2))).rejects.toMatchObject({
    headers: { "Retry-After": "300" },
  });
});

test("a used key is refused as used, not as too recent", async () => {
  const tokenId = await chain.mintKey(1);
  const used = { usedBy: chain.addressOf(2), usedAtMs: 1 } as never;
  const keys = { findKeyState: async () => ({ ...untouched, used }) };
  await expect(settledHoldings({ keys })(tokenId, chain.addressOf(1))).rejects.toMatchObject({
    slug: "this-token-has-already-been-used",
  });
});

test("without confirmations only the newest block is asked, by its number", async () => {
  const tokenId = await chain.mintKey(1);
  rpc.posts.length = 0;
  await settledHoldings({ keyUseConfirmations: 0 })(tokenId, chain.addressOf(1));
  expect(rpc.posts.filter((method) => method !== "eth_chainId")).toEqual([
    "eth_getBlockByNumber",
    "eth_call",
  ]);
});

test.each([0, 2])(
  "with %i confirmations, a key seen leaving the wallet waits as long as a node may lag",
  async (keyUseConfirmations) => {
    const tokenId = await chain.mintKey(1);
    await chain.control.mine({ blocks: 2 });
    const departedAtMs = 1_700_000_000_000;
    let nowMs = departedAtMs - 1;
    const requireSettled = settledHoldings({
      keyUseConfirmations,
      keys: { findKeyState: async () => ({ ...untouched, departedAtMs }) },
      clock: () => nowMs,
    });
    await expect(requireSettled(tokenId, chain.addressOf(1))).rejects.toEqual(tooRecent);
    nowMs = departedAtMs + 119_001;
    await expect(requireSettled(tokenId, chain.addressOf(1))).rejects.toMatchObject({
      slug: "holding-too-recent",
      detail: `Key #${tokenId} was seen leaving this wallet a short time ago. If it is back, wait about 1 seconds, then try again.`,
      headers: { "Retry-After": "1" },
    });
    nowMs = departedAtMs + 120_000;
    await requireSettled(tokenId, chain.addressOf(1));
  },
);

test.each([0, 2])(
  "with %i confirmations, an endpoint behind the watcher's block is an outage",
  async (keyUseConfirmations) => {
    const tokenId = await chain.mintKey(1);
    await chain.control.mine({ blocks: 2 });
    const newest = await chain.viewer.getBlockNumber({ cacheTime: 0 });
    const at = (blockNumber: bigint) =>
      settledHoldings({
        keyUseConfirmations,
        cursors: { findCursor: async () => ({ blockNumber, blockSeconds: 0n }) },
      });
    await at(newest)(tokenId, chain.addressOf(1));
    await expect(at(newest + 1n)(tokenId, chain.addressOf(1))).rejects.toMatchObject({
      slug: "chain-unavailable",
    });
  },
);

test("a wallet that is not the holder in the newest block holds nothing", async () => {
  const tokenId = await chain.mintKey(1);
  await chain.control.mine({ blocks: 2 });
  await chain.transferKey({ tokenId, from: 1, to: chain.addressOf(2) });
  await expect(settledHoldings()(tokenId, chain.addressOf(1))).rejects.toMatchObject({
    slug: "you-do-not-own-this-token",
  });
});

test.each(["hanging", "http-500", "html", "rpc-error", "wrong-chain"] as const)(
  "while the chain plays %s, the answer is 503 and nothing counts as settled",
  async (fault) => {
    const tokenId = await chain.mintKey(1);
    await chain.control.mine({ blocks: 2 });
    rpc.setFault(fault);
    await expect(settledHoldings()(tokenId, chain.addressOf(1))).rejects.toMatchObject({
      slug: "chain-unavailable",
    });
  },
);

test("an endpoint that no longer knows the older block is an outage, not a recent holding", async () => {
  const tokenId = await chain.mintKey(1);
  await chain.control.mine({ blocks: 2 });
  const requireSettled = settledHoldings();
  await requireSettled(tokenId, chain.addressOf(1));
  rpc.onAnswer(({ method }) => {
    if (method === "eth_getBlockByNumber") rpc.setFault("rpc-error");
  });
  try {
    await expect(requireSettled(tokenId, chain.addressOf(1))).rejects.toMatchObject({
      slug: "chain-unavailable",
    });
  } finally {
    rpc.onAnswer(() => {});
  }
});
