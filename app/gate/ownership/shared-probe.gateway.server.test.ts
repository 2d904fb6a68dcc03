import { zeroHash } from "viem";
import type { Address } from "viem";
import { afterEach, expect, test } from "vitest";
import { createChainClient } from "~/platform/chain/chain-client.server";
import { openFaultyChain } from "~e2e/support/chain/faulty-chain";
import { makeKind } from "~e2e/support/key-kinds";
import { createJudge } from "./judge.server";
import { maxReadsTogether } from "./shared-probe.gateway.server";

const { chain, rpc } = await openFaultyChain();
const signer = chain.addressOf(1);
const owner1: Address = "0x0000000000000000000000000000000000000001";

afterEach(() => {
  rpc.onPost(() => {});
  rpc.setFault("none");
});

function makeJudge({ confirmations = 0 } = {}) {
  const client = createChainClient({ rpcUrls: [rpc.url], chainId: chain.chainId });
  const clock = () => 1_000_000;
  return createJudge({
    clientOf: () => client,
    confirmationsOf: () => confirmations,
    cacheSeconds: 4,
    clock,
  });
}

const keys = makeKind({ chainId: chain.chainId, contract: chain.key.address, standard: "erc721" });

/** As sign-ins of one moment do. */
function judgeTogether(judge: ReturnType<typeof makeJudge>, tokenIds: readonly string[]) {
  const ask = (tokenId: string) => judge.judge({ kind: keys, tokenId, signer, vault: null, fresh: true });
  return Promise.all(tokenIds.map(async (tokenId) => (await ask(tokenId)).outcome));
}

async function countPosts<T>(work: () => Promise<T>): Promise<{ posts: number; result: T }> {
  const before = rpc.posts.length;
  const result = await work();
  return { posts: rpc.posts.length - before, result };
}

test("keys that are asked about in one tick of the loop are one call, and each gets its own answer", async () => {
  const [own, other] = [await chain.mintKey(1), await chain.mintKey(2)];
  const judge = makeJudge();
  await judgeTogether(judge, [own]);

  expect(await countPosts(() => judgeTogether(judge, [own, other, "987654321", own]))).toEqual({
    posts: 1,
    result: ["met", "unmet", "unmet", "met"],
  });
});

test("a contract that needs more gas than it is left beside others answers all the same", async () => {
  const [own, judge] = [await chain.mintKey(1), makeJudge()];
  const heavy = await chain.deploy({ contractName: "Misbehaving", args: [8] });
  const kind = makeKind({ chainId: chain.chainId, contract: heavy.address, standard: "erc721" });
  const question = { kind, tokenId: "1", signer: owner1, vault: null, fresh: true };
  await judgeTogether(judge, [own]);

  const { posts, result } = await countPosts(() =>
    Promise.all([judge.judge(question), judgeTogether(judge, [own])]),
  );
  expect(posts).toBe(2);
  expect(result[0].outcome).toBe("met");
  expect(result[1]).toEqual(["met"]);
});

test("a wallet's code, which may be anything, runs in no call that others share", async () => {
  const own = await chain.mintKey(1);
  const { address } = await chain.deploy({ contractName: "Misbehaving", args: [7] });
  const judge = makeJudge();
  await judgeTogether(judge, [own]);
  const signed = { wallet: address, hash: zeroHash, signature: zeroHash, deployment: null };
  const question = { kind: keys, tokenId: own, signer: address, vault: null };

  const { posts, result } = await countPosts(() =>
    Promise.all([judge.judgeSigned({ ...question, signed }), judgeTogether(judge, [own])]),
  );
  expect(posts).toBe(2);
  expect(result[0].verdict).toBe("invalid");
  expect(result[1]).toEqual(["met"]);
});

test("where only so large a call is refused, everybody is asked about alone, and calls with code stay in use", async () => {
  const [own, other] = [await chain.mintKey(1), await chain.mintKey(2)];
  const judge = makeJudge();
  const sizes: number[] = [];
  rpc.onPost(({ method, params }) => {
    if (method !== "eth_call") return;
    const { data, to } = params?.[0] as { data: string; to?: string };
    expect(to).toBeUndefined();
    sizes.push(data.length);
    rpc.setFault(data.length > sizes[0]! ? "deployless-refused" : "none");
  });
  await judgeTogether(judge, [own]);

  expect(await judgeTogether(judge, [own, other])).toEqual(["met", "unmet"]);
  expect(sizes.map((size) => size > sizes[0]!)).toEqual([false, true, false, false]);
  expect(await judgeTogether(judge, [own])).toEqual(["met"]);
});

test("key uses of one tick share the newest header, and the reads of each block", async () => {
  const [own, other] = [await chain.mintKey(1), await chain.mintKey(2)];
  await chain.control.mine({ blocks: 1 });
  const judge = makeJudge({ confirmations: 1 });
  await judgeTogether(judge, [own]);
  const judgeDeeply = async (tokenId: string) => {
    const { now, then, heads } = await judge.judgeAtDepth({ kind: keys, tokenId, signer, vault: null });
    return [now.outcome, then.outcome, heads.length];
  };

  expect(await countPosts(() => Promise.all([own, other, own].map(judgeDeeply)))).toEqual({
    posts: 3,
    result: [
      ["met", "met", 1],
      ["unmet", "unmet", 1],
      ["met", "met", 1],
    ],
  });
  expect((await countPosts(() => judgeDeeply(own))).posts).toBe(3);
});

test("a chain that is away is away for all of them", async () => {
  const judge = makeJudge();
  rpc.setFault("http-500");
  expect(await judgeTogether(judge, ["1", "2", "3"])).toEqual(["unknown", "unknown", "unknown"]);
});

test("more than a call may carry goes in several", async () => {
  const many: string[] = [];
  while (many.length <= maxReadsTogether) many.push(await chain.mintKey(1));
  const judge = makeJudge();
  await judgeTogether(judge, [many[0]!]);

  const { posts, result } = await countPosts(() => judgeTogether(judge, many));
  expect(posts).toBe(2);
  expect(new Set(result)).toEqual(new Set(["met"]));
});
