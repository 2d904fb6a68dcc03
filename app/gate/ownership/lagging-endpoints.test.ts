import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createChainClient } from "~/platform/chain/chain-client.server";
import { startTestChain } from "~e2e/support/chain/chain";
import type { TestChain } from "~e2e/support/chain/chain";
import { startRpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import type { RpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import { findBlock } from "../transfers/key-transfers.gateway.server";
import { createOwnershipReader } from "~e2e/support/chain/ownership-reader";

const newestBlockHoldsMs = 300_000;
const seller = 1;
const buyer = 2;
const holder = 3;
const wallMs = Date.now();
const hourMs = 3_600_000;
/** Longer than a failed endpoint is skipped. */
const restMs = 10_001;

/** The chain now, and an hour ago: before the sale and the holder's key. */
let chain: TestChain;
let past: TestChain;
let first: RpcFaultServer;
let second: RpcFaultServer;
let sold: string;
let held: string;
let nowMs: number;

beforeAll(async () => {
  [chain, past] = await Promise.all([startTestChain(), startTestChain()]);
  first = await startRpcFaultServer(chain.rpcUrl);
  second = await startRpcFaultServer(chain.rpcUrl);
  await past.setTime(secondsOf(wallMs - hourMs));
  await past.mintKey(seller);
  sold = await chain.mintKey(seller);
  held = await chain.mintKey(holder);
  await chain.transferKey({ tokenId: sold, from: seller, to: chain.addressOf(buyer) });
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  await Promise.all([chain.stop(), past.stop()]);
});
beforeEach(async () => {
  nowMs = 0;
  for (const endpoint of [first, second]) {
    endpoint.setFault("none");
    endpoint.setNewestBlock(null);
    endpoint.setUpstream(chain.rpcUrl);
    endpoint.posts.length = 0;
  }
  await chain.setTime(secondsOf(wallMs));
});

const secondsOf = (ms: number) => Math.floor(ms / 1_000);
const calls = ({ posts }: RpcFaultServer) => posts.filter((method) => method === "eth_call").length;
const unavailable = expect.objectContaining({ slug: "chain-unavailable", status: 503 });

function openGate(endpoints: RpcFaultServer[]) {
  const client = createChainClient({
    rpcUrls: endpoints.map(({ url }) => url),
    chainId: chain.chainId,
    clock: () => nowMs,
    wallClock: () => wallMs + nowMs,
  });
  const { address: contractAddress } = chain.key;
  const contract = { client, contractAddress, standard: "erc721" } as const;
  const reader = createOwnershipReader({ ...contract, cacheSeconds: 0, clock: () => nowMs });
  const ask = (tokenId: string, account: number) =>
    reader.readOwnership({ tokenId, holder: chain.addressOf(account), fresh: true });
  return {
    client,
    forget: () => reader.forget(),
    noteBlock: reader.noteBlock,
    askSeller: () => ask(sold, seller),
    askHolder: () => ask(held, holder),
  };
}

test("while the first endpoint flaps and the second is far behind, holders and others get 503", async () => {
  const { askSeller, askHolder } = openGate([first, second]);
  second.setUpstream(past.rpcUrl);
  expect(await askHolder()).toEqual({ owned: true });

  first.setFault("http-429");
  await expect(askSeller()).rejects.toEqual(unavailable);
  await expect(askHolder()).rejects.toEqual(unavailable);
  expect(calls(second)).toBe(2);
  first.setFault("none");
  expect(await askHolder()).toEqual({ owned: true });
  expect(await askSeller()).toEqual({ owned: false, reason: "not-owner" });
});

test("an endpoint that falls far behind is skipped for a while, and the next one is asked", async () => {
  const { askSeller, askHolder } = openGate([first, second]);
  expect(await askHolder()).toEqual({ owned: true });

  first.setUpstream(past.rpcUrl);
  for (let round = 0; round < 40; round += 1) {
    first.posts.length = 0;
    expect(await askSeller()).toEqual({ owned: false, reason: "not-owner" });
    expect(await askHolder()).toEqual({ owned: true });
    expect(calls(first)).toBe(1);
    nowMs += restMs;
  }
  expect(nowMs).toBeGreaterThan(newestBlockHoldsMs);
  first.setUpstream(chain.rpcUrl);
  second.setFault("http-500");
  expect(await askHolder()).toEqual({ owned: true });
});

test("the only endpoint falling far behind is an outage", async () => {
  const { askSeller, askHolder } = openGate([first]);
  expect(await askHolder()).toEqual({ owned: true });

  first.setUpstream(past.rpcUrl);
  nowMs = newestBlockHoldsMs - 1;
  await expect(askSeller()).rejects.toEqual(unavailable);
  await expect(askHolder()).rejects.toEqual(unavailable);
});

test("the newest block seen by the watcher counts like one from an ownership read", async () => {
  const { client, askSeller } = openGate([first]);
  await findBlock({ client });

  first.setUpstream(past.rpcUrl);
  await expect(askSeller()).rejects.toEqual(unavailable);
  await expect(findBlock({ client })).rejects.toThrow("far behind");
});

test("a chain that starts over is believed once the watcher has noticed it, else five minutes later", async () => {
  const { askSeller, askHolder } = openGate([first]);
  expect(await askHolder()).toEqual({ owned: true });

  first.setUpstream(past.rpcUrl);
  nowMs = newestBlockHoldsMs - 1;
  await expect(askSeller()).rejects.toEqual(unavailable);
  nowMs += 1;
  // The whole chain is as it was: that is how things are.
  expect(await askSeller()).toEqual({ owned: true });

  const restarted = await startTestChain();
  try {
    const gate = openGate([second]);
    expect(await gate.askHolder()).toEqual({ owned: true });
    expect(await restarted.mintKey(seller)).toBe(sold);
    second.setUpstream(restarted.rpcUrl);
    await expect(gate.askSeller()).rejects.toEqual(unavailable);
    gate.forget();
    expect(await gate.askSeller()).toEqual({ owned: true });
  } finally {
    await restarted.stop();
  }
});

test("a block from the far future excludes no endpoint, or for five minutes at most where blocks are rare", async () => {
  const ahead = await startTestChain();
  try {
    await ahead.setTime(secondsOf(wallMs + 1_000 * hourMs));
    for (const { ageMs, isRefused } of [
      { ageMs: 60_000, isRefused: false },
      { ageMs: hourMs, isRefused: true },
    ]) {
      nowMs = 0;
      await chain.setTime(secondsOf(wallMs - ageMs));
      const { askHolder } = openGate([first]);
      first.setUpstream(ahead.rpcUrl);
      expect(await askHolder()).toEqual({ owned: false, reason: "does-not-exist" });
      first.setUpstream(chain.rpcUrl);
      if (isRefused) await expect(askHolder()).rejects.toEqual(unavailable);
      else expect(await askHolder()).toEqual({ owned: true });
      nowMs = newestBlockHoldsMs;
      expect(await askHolder()).toEqual({ owned: true });
    }
  } finally {
    await ahead.stop();
  }
});

test("an endpoint is far behind by time, however few blocks that are", async () => {
  const { askHolder } = openGate([first, second]);
  expect(await askHolder()).toEqual({ owned: true });

  await chain.setTime(secondsOf(wallMs - 119_000));
  expect(await askHolder()).toEqual({ owned: true });
  await chain.setTime(secondsOf(wallMs - 122_000));
  await expect(askHolder()).rejects.toEqual(unavailable);
});

test("a block older than the newest one known is no reading: the next endpoint is asked, else the answer is 503", async () => {
  // The block before the newest must be recent too, after any earlier test.
  await chain.setTime(secondsOf(wallMs));
  const { askSeller, askHolder } = openGate([first, second]);
  expect(await askHolder()).toEqual({ owned: true });
  first.setNewestBlock((await chain.viewer.getBlockNumber()) - 1n);
  first.posts.length = 0;
  expect(await askSeller()).toEqual({ owned: false, reason: "not-owner" });
  expect(await askHolder()).toEqual({ owned: true });
  // It is no failure: a moment later it may be the newer one.
  expect([calls(first), calls(second)]).toEqual([2, 2]);

  second.setNewestBlock((await chain.viewer.getBlockNumber()) - 1n);
  await expect(askSeller()).rejects.toEqual(unavailable);
  for (const { posts } of [first, second]) posts.length = 0;
  await expect(askHolder()).rejects.toEqual(unavailable);
  // Each one is retried once.
  expect([calls(first), calls(second)]).toEqual([2, 2]);
  first.setNewestBlock(null);
  expect(await askHolder()).toEqual({ owned: true });
});

test.each(["none", "deployless-refused"] as const)(
  "the block that the watcher has read counts, too, for an endpoint that plays %s",
  async (fault) => {
    const { askSeller, askHolder, noteBlock } = openGate([first]);
    first.setFault(fault);
    const newest = await chain.viewer.getBlockNumber();
    first.setNewestBlock(newest - 1n);
    expect(await askHolder()).toEqual({ owned: true });
    noteBlock(newest);
    await expect(askSeller()).rejects.toEqual(unavailable);
    await expect(askHolder()).rejects.toEqual(unavailable);
    first.setNewestBlock(null);
    expect(await askSeller()).toEqual({ owned: false, reason: "not-owner" });
  },
);

test.each(["none", "deployless-refused"] as const)(
  "nodes behind one address that are a block apart for a moment refuse nobody, where they play %s",
  async (fault) => {
    const { askHolder } = openGate([first]);
    first.setFault(fault);
    let requests = 0;
    const newest = await chain.viewer.getBlockNumber();
    // In turn, as balancers give them out.
    first.onPost(() => first.setNewestBlock(requests++ % 2 === 0 ? null : newest - 1n));
    for (let round = 0; round < 6; round += 1) expect(await askHolder()).toEqual({ owned: true });
    first.onPost(() => {});
  },
);

test("an endpoint that catches up within a moment is asked again", async () => {
  const { askHolder } = openGate([first]);
  expect(await askHolder()).toEqual({ owned: true });
  first.setNewestBlock((await chain.viewer.getBlockNumber()) - 1n);
  first.onAnswer(({ method }) => {
    if (method === "eth_call") first.setNewestBlock(null);
  });
  expect(await askHolder()).toEqual({ owned: true });
  first.onAnswer(() => {});
});
