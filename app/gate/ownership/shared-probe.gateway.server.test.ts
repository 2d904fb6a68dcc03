import { AsyncLocalStorage } from "node:async_hooks";
import { encodeFunctionData, zeroHash } from "viem";
import type { Address } from "viem";
import { afterEach, expect, test } from "vitest";
import { createChainClient } from "~/platform/chain/chain-client.server";
import { openFaultyChain } from "~e2e/support/chain/faulty-chain";
import { makeKind } from "~e2e/support/key-kinds";
import { readByProbe } from "./chain-probe.gateway.server";
import { createJudge } from "./judge.server";
import type { ReadResults } from "./reads/read";
import { maxReadsTogether } from "./shared-probe.gateway.server";

const { chain, rpc } = await openFaultyChain();
const signer = chain.addressOf(1);
const owner1: Address = "0x0000000000000000000000000000000000000001";

afterEach(() => {
  rpc.onPost(() => {});
  rpc.setFault("none");
});

function makeJudge({
  confirmations = 0,
  client = createChainClient({ rpcUrls: [rpc.url], chainId: chain.chainId }),
  clock = (): number => 1_000_000,
} = {}) {
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

test("a read that lacked gas beside others is made again alone, though its contract answered something", async () => {
  const heavy = await chain.deploy({ contractName: "Misbehaving", args: [8] });
  const kind = makeKind({ chainId: chain.chainId, contract: heavy.address, standard: "erc721" });
  const judge = makeJudge();
  const ask = (tokenId: string) =>
    judge.judge({ kind, tokenId, signer: owner1, vault: null, fresh: true }).then(({ outcome }) => outcome);
  expect(await ask("1")).toBe("met");

  expect(await countPosts(() => Promise.all(["1", "2"].map(ask)))).toEqual({
    posts: 3,
    result: ["met", "met"],
  });
});

test("a contract that takes all the gas it gets, asked last of many, leaves enough for the answer", async () => {
  const waster = await chain.deploy({ contractName: "Misbehaving", args: [5] });
  const client = createChainClient({ rpcUrls: [rpc.url], chainId: chain.chainId });
  const data = encodeFunctionData({ ...chain.key, functionName: "name" });
  const good = Array.from({ length: maxReadsTogether - 1 }, () => ({ target: chain.key.address, data }));

  const probed = await readByProbe({ client, reads: [...good, { target: waster.address, data }] });
  expect(probed).toMatchObject({ blockNumber: expect.any(BigInt) as bigint });
  const { results } = probed as ReadResults;
  expect(results.filter(({ success, tookAllGas }) => success && !tookAllGas)).toHaveLength(good.length);
  expect(results.at(-1)).toMatchObject({ success: false, tookAllGas: true });
});

test("keys of other contracts are asked about apart: nobody depends on them", async () => {
  const own = await chain.mintKey(1);
  const broken = await chain.deploy({ contractName: "Misbehaving", args: [7] });
  const kind = makeKind({ chainId: chain.chainId, contract: broken.address, standard: "erc721" });
  const judge = makeJudge();
  await judgeTogether(judge, [own]);
  rpc.onPost(({ params }) => {
    const { data = "" } = (params?.[0] ?? {}) as { data?: string };
    rpc.setFault(data.includes(broken.address.slice(2).toLowerCase()) ? "http-500" : "none");
  });

  const { posts, result } = await countPosts(() =>
    Promise.all([
      judge.judge({ kind, tokenId: "1", signer, vault: null, fresh: true }),
      judgeTogether(judge, [own]),
    ]),
  );
  expect(posts).toBe(2);
  expect(result[0].outcome).toBe("unknown");
  expect(result[1]).toEqual(["met"]);
});

test("each call belongs to the request that it is made for, a shared one to the first", async () => {
  const [own, other] = [await chain.mintKey(1), await chain.mintKey(2)];
  const requests = new AsyncLocalStorage<string>();
  const callers: unknown[] = [];
  const client = createChainClient({
    rpcUrls: [rpc.url],
    chainId: chain.chainId,
    onAnswer: () => void callers.push(requests.getStore()),
  });
  const judge = makeJudge({ client });
  await judgeTogether(judge, [own]);
  callers.length = 0;
  const heavy = await chain.deploy({ contractName: "Misbehaving", args: [8] });
  const kind = makeKind({ chainId: chain.chainId, contract: heavy.address, standard: "erc721" });
  const ask = (name: string, given: { tokenId: string; kind: typeof keys }) =>
    requests.run(name, () => judge.judge({ ...given, signer, vault: null, fresh: true }));

  await Promise.all([
    ask("a", { tokenId: own, kind: keys }),
    ask("b", { tokenId: "1", kind }),
    ask("c", { tokenId: other, kind: keys }),
    ask("d", { tokenId: "2", kind }),
  ]);
  expect(callers.sort()).toEqual(["a", "b", "b", "d"]);
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

test("where only so large a call is refused, everybody is asked about alone, for ten minutes", async () => {
  const [own, other] = [await chain.mintKey(1), await chain.mintKey(2)];
  let nowMs = 1_000_000;
  const judge = makeJudge({ clock: () => nowMs });
  const sizes: number[] = [];
  rpc.onPost(({ method, params }) => {
    if (method !== "eth_call") return;
    const { data, to } = params?.[0] as { data: string; to?: string };
    expect(to).toBeUndefined();
    sizes.push(data.length);
    rpc.setFault(data.length > sizes[0]! ? "deployless-refused" : "none");
  });
  await judgeTogether(judge, [own]);

  for (const posts of [3, 2]) {
    expect(await countPosts(() => judgeTogether(judge, [own, other]))).toEqual({
      posts,
      result: ["met", "unmet"],
    });
  }
  nowMs += 600_000;
  expect((await countPosts(() => judgeTogether(judge, [own, other]))).posts).toBe(3);
});

test("where every call with code is refused, only the first of them tries one alone", async () => {
  const [own, other] = [await chain.mintKey(1), await chain.mintKey(2)];
  const judge = makeJudge();
  await judgeTogether(judge, [own]);
  rpc.setFault("deployless-refused");
  let deployless = 0;
  rpc.onPost(({ method, params }) => {
    if (method === "eth_call" && !(params?.[0] as { to?: string }).to) deployless += 1;
  });

  expect(await judgeTogether(judge, [own, other, "987654321"])).toEqual(["met", "unmet", "unmet"]);
  expect(deployless).toBe(2);
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
