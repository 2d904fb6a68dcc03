import type { Address } from "viem";
import { expect, test } from "vitest";
import { startLocalChain } from "../../../contracts/local-chain.mjs";
import { createChainClient } from "~/platform/chain/chain-client.server";
import { openFaultyChain } from "~e2e/support/chain/faulty-chain";
import type { Refusal } from "~/platform/refusals/refusal";
import { startTestChain } from "~e2e/support/chain/chain";
import { startRpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import { deployUnlockLock } from "~e2e/support/chain/unlock-lock";
import { createOwnershipReader } from "~e2e/support/chain/ownership-reader";
import { findContractFault } from "../transfers/contract-faults.server";
import type { KeyStandard } from "~e2e/support/chain/ownership-reader";

const { chain, rpc } = await openFaultyChain();

type MakeReaderOptions = {
  contractAddress?: Address;
  standard?: KeyStandard;
  cacheSeconds?: number;
  clock?: () => number;
};

function makeReader({
  contractAddress = chain.key.address,
  standard = "erc721",
  cacheSeconds = 4,
  clock = () => 1_000_000,
}: MakeReaderOptions = {}) {
  const client = createChainClient({ rpcUrls: [rpc.url], chainId: chain.chainId });
  return createOwnershipReader({ client, contractAddress, standard, cacheSeconds, clock });
}

/** How many `eth_call` POSTs reached the endpoint while something was done. */
async function countReads<T>(work: () => Promise<T>): Promise<{ reads: number; result: T }> {
  const before = rpc.posts.length;
  const result = await work();
  return { result, reads: rpc.posts.slice(before).filter((method) => method === "eth_call").length };
}

const unavailable = expect.objectContaining({ slug: "chain-unavailable", status: 503 });
const neverMinted = "115792089237316195423570985008687907853269984665640564039457584007913129639935";

test("erc721: the holder owns the key, another wallet does not, and a key never minted does not exist", async () => {
  const tokenId = await chain.mintKey(1);
  const reader = makeReader();

  expect(await reader.readOwnership({ tokenId, holder: chain.addressOf(1) })).toEqual({ owned: true });
  expect(await reader.readOwnership({ tokenId, holder: chain.addressOf(2) })).toEqual({
    owned: false,
    reason: "not-owner",
  });
  expect(await reader.readOwnership({ tokenId: neverMinted, holder: chain.addressOf(1) })).toEqual({
    owned: false,
    reason: "does-not-exist",
  });
  expect(await reader.readOwner({ tokenId })).toEqual({ exists: true, owner: chain.addressOf(1) });
  expect(await reader.readOwner({ tokenId: neverMinted })).toEqual({ exists: false, owner: null });
});

test("erc1155: a wallet with at least one unit owns the key, and existence follows from the supply", async () => {
  const multiKey = await chain.deploy({ contractName: "MultiKey" });
  const holder = chain.addressOf(1);
  await chain.send({ ...multiKey, functionName: "mint", args: [holder, 7n, 1n], from: 0 });
  const reader = makeReader({ contractAddress: multiKey.address, standard: "erc1155" });

  expect(await reader.readOwnership({ tokenId: "7", holder })).toEqual({ owned: true });
  expect(await reader.readOwnership({ tokenId: "8", holder })).toEqual({ owned: false, reason: "not-owner" });
  expect(await reader.readOwnership({ tokenId: "7", holder: chain.addressOf(2) })).toEqual({
    owned: false,
    reason: "not-owner",
  });
  expect(await reader.readOwner({ tokenId: "7" })).toEqual({ exists: true, owner: null });
  expect(await reader.readOwner({ tokenId: "8" })).toEqual({ exists: false, owner: null });
});

test("erc1155 without a supply count: existence is left open", async () => {
  const { address } = await chain.deploy({ contractName: "MultiKeyWithoutSupply" });
  const reader = makeReader({ contractAddress: address, standard: "erc1155" });

  expect(await reader.readOwner({ tokenId: "7" })).toEqual({ exists: null, owner: null });
});

test("unlock: a real lock's key is owned while it is valid, and expired after that, in one call", async () => {
  const lock = await deployUnlockLock(chain, 3_600);
  const holder = chain.addressOf(1);
  const tokenId = await lock.purchase(holder);
  const reader = makeReader({ contractAddress: lock.address, standard: "unlock", cacheSeconds: 0 });

  const { reads, result } = await countReads(() => reader.readOwnership({ tokenId, holder }));
  expect({ reads, result }).toEqual({ reads: 1, result: { owned: true } });
  expect(await reader.readOwnership({ tokenId, holder: chain.addressOf(2) })).toMatchObject({
    reason: "not-owner",
  });
  expect(await reader.readOwnership({ tokenId: "404", holder })).toMatchObject({ reason: "does-not-exist" });
  const snapshot = await chain.control.snapshot();
  await chain.control.increaseTime({ seconds: 3_601 });
  await chain.control.mine({ blocks: 1 });
  expect(await reader.readOwnership({ tokenId, holder })).toEqual({ owned: false, reason: "expired" });
  expect(await reader.readOwner({ tokenId })).toEqual({ exists: true, owner: holder });
  await chain.control.revert({ id: snapshot });
});

test("unlock: our own key contract with a lifetime is read the same way, at both sides of its last second", async () => {
  const lasting = await startTestChain({ keyDurationSeconds: 100 });
  try {
    const tokenId = await lasting.mintKey(1);
    const expiry = await lasting.viewer.readContract({
      ...lasting.key,
      functionName: "keyExpirationTimestampFor",
      args: [BigInt(tokenId)],
    });
    const reader = createOwnershipReader({
      client: lasting.client(),
      contractAddress: lasting.key.address,
      standard: "unlock",
      cacheSeconds: 0,
      clock: () => 0,
    });
    const holder = lasting.addressOf(1);

    await lasting.control.setNextBlockTimestamp({ timestamp: (expiry as bigint) - 1n });
    await lasting.control.mine({ blocks: 1 });
    expect(await reader.readOwnership({ tokenId, holder })).toEqual({ owned: true });
    await lasting.control.setNextBlockTimestamp({ timestamp: expiry as bigint });
    await lasting.control.mine({ blocks: 1 });
    expect(await reader.readOwnership({ tokenId, holder })).toEqual({ owned: false, reason: "expired" });

    await lasting.send({ ...lasting.key, functionName: "extend", args: [BigInt(tokenId)], from: 2 });
    expect(await reader.readOwnership({ tokenId, holder })).toEqual({ owned: true });
  } finally {
    await lasting.stop();
  }
});

test("unlock: our own key contract without a lifetime gives keys that do not end", async () => {
  const tokenId = await chain.mintKey(1);
  const reader = makeReader({ standard: "unlock" });

  expect(await reader.readOwnership({ tokenId, holder: chain.addressOf(1) })).toEqual({ owned: true });
  expect(await reader.readOwnership({ tokenId: neverMinted, holder: chain.addressOf(1) })).toMatchObject({
    reason: "does-not-exist",
  });
});

test("500 reads of one key at once are one call", async () => {
  const tokenId = await chain.mintKey(1);
  for (const cacheSeconds of [0, 4]) {
    const reader = makeReader({ cacheSeconds });
    const holders = Array.from({ length: 500 }, (_, index) => chain.addressOf(index % 3));

    const { reads, result } = await countReads(() =>
      Promise.all(holders.map((holder) => reader.readOwnership({ tokenId, holder, fresh: holder < "0x8" }))),
    );

    expect(reads).toBe(1);
    expect(result.map(({ owned }) => owned)).toEqual(holders.map((holder) => holder === chain.addressOf(1)));
  }
});

test("a reading is shared until just before cacheSeconds have passed since it began", async () => {
  const tokenId = await chain.mintKey(1);
  let nowMs = 50_000;
  const reader = makeReader({ cacheSeconds: 4, clock: () => nowMs });
  const read = () => countReads(() => reader.readOwnership({ tokenId, holder: chain.addressOf(1) }));

  rpc.onPost(() => {
    nowMs += 1_000;
  });
  await read();
  rpc.onPost(() => {});
  nowMs = 50_000 + 3_999;
  expect((await read()).reads).toBe(0);
  nowMs = 50_000 + 4_000;
  expect((await read()).reads).toBe(1);
});

test("a clock that was set back does not lengthen the life of a reading", async () => {
  const tokenId = await chain.mintKey(1);
  let nowMs = 50_000;
  const reader = makeReader({ clock: () => nowMs });
  const read = () => countReads(() => reader.readOwnership({ tokenId, holder: chain.addressOf(1) }));

  await read();
  nowMs = 40_000;
  expect((await read()).reads).toBe(1);
});

test("with cacheSeconds 0 every read that is not concurrent asks the chain", async () => {
  const tokenId = await chain.mintKey(1);
  const reader = makeReader({ cacheSeconds: 0 });
  const read = () => countReads(() => reader.readOwnership({ tokenId, holder: chain.addressOf(1) }));

  expect((await read()).reads).toBe(1);
  expect((await read()).reads).toBe(1);
});

test("a fresh read asks the chain though a reading is cached, and joins no read in flight", async () => {
  const tokenId = await chain.mintKey(1);
  const holder = chain.addressOf(1);
  const reader = makeReader();
  await reader.readOwnership({ tokenId, holder });
  expect((await countReads(() => reader.readOwnership({ tokenId, holder, fresh: true }))).reads).toBe(1);
  reader.forget();

  let letGo = () => {};
  const isHeld = new Promise<void>((resolve) => (letGo = resolve));
  const hasArrived = new Promise<void>((arrive) => {
    rpc.onPost(({ method }) => {
      if (method !== "eth_call") return;
      arrive();
      return isHeld;
    });
  });
  const { reads } = await countReads(async () => {
    const first = reader.readOwnership({ tokenId, holder });
    await hasArrived;
    const joining = reader.readOwnership({ tokenId, holder });
    const fresh = reader.readOwnership({ tokenId, holder, fresh: true });
    letGo();
    await Promise.all([first, joining, fresh]);
  });
  rpc.onPost(() => {});
  expect(reads).toBe(2);
});

test("a new block, an answer from a later block and forget() each end the sharing; an old block does not", async () => {
  const tokenId = await chain.mintKey(1);
  const otherId = await chain.mintKey(1);
  const holder = chain.addressOf(1);
  const reader = makeReader();
  const readsOf = async (id: string) =>
    (await countReads(() => reader.readOwnership({ tokenId: id, holder }))).reads;

  expect(await readsOf(tokenId)).toBe(1);
  expect(await readsOf(tokenId)).toBe(0);
  await chain.control.mine({ blocks: 1 });
  const newest = await chain.viewer.getBlockNumber();
  reader.noteBlock(newest);
  expect(await readsOf(tokenId)).toBe(1);
  reader.noteBlock(newest);
  reader.noteBlock(newest - 1n);
  expect(await readsOf(tokenId)).toBe(0);

  reader.forget(new Set([otherId]));
  expect(await readsOf(tokenId)).toBe(0);
  reader.forget(new Set([tokenId]));
  expect(await readsOf(tokenId)).toBe(1);
  reader.forget();
  expect(await readsOf(tokenId)).toBe(1);

  await chain.control.mine({ blocks: 1 });
  expect(await readsOf(otherId)).toBe(1);
  expect(await readsOf(tokenId)).toBe(1);
});

test("a read in flight when the key changed hands is not cached", async () => {
  const tokenId = await chain.mintKey(1);
  const [seller, buyer] = [chain.addressOf(1), chain.addressOf(2)];
  const reader = makeReader();
  let letGo = () => {};
  const isHeld = new Promise<void>((resolve) => (letGo = resolve));
  let arrive = () => {};
  const hasArrived = new Promise<void>((resolve) => (arrive = resolve));
  rpc.onAnswer(async ({ method }) => {
    if (method !== "eth_call") return;
    arrive();
    await isHeld;
  });

  const early = reader.readOwnership({ tokenId, holder: seller });
  await hasArrived;
  rpc.onAnswer(() => {});
  await chain.transferKey({ tokenId, from: 1, to: buyer });
  reader.forget(new Set([tokenId]));
  const late = reader.readOwnership({ tokenId, holder: seller });
  letGo();

  expect(await early).toEqual({ owned: true });
  expect(await late).toEqual({ owned: false, reason: "not-owner" });
  expect(await reader.readOwnership({ tokenId, holder: seller })).toEqual({
    owned: false,
    reason: "not-owner",
  });
});

test("a failure is not cached, so the next read asks again and is answered", async () => {
  const tokenId = await chain.mintKey(1);
  const reader = makeReader();
  const read = () => reader.readOwnership({ tokenId, holder: chain.addressOf(1) });

  rpc.setFault("http-500");
  await expect(read()).rejects.toEqual(unavailable);
  rpc.setFault("none");
  expect(await read()).toEqual({ owned: true });
});

test.each([
  "hanging",
  "hanging-after-headers",
  "reset",
  "http-500",
  "http-429",
  "html",
  "empty",
  "truncated-json",
  "no-result",
  "wrong-type",
  "wrong-chain",
  "rpc-error",
  "reverting",
] as const)("an endpoint that plays %s is an outage, never an answer about ownership", async (fault) => {
  const client = createChainClient({ rpcUrls: [rpc.url], chainId: chain.chainId, timeoutMs: 200 });
  const reader = createOwnershipReader({
    client,
    contractAddress: chain.key.address,
    standard: "erc721",
    cacheSeconds: 4,
    clock: () => 0,
  });

  rpc.setFault(fault);
  try {
    const failure: unknown = await reader
      .readOwnership({ tokenId: "1", holder: chain.addressOf(1) })
      .catch((error: unknown) => error);
    expect(failure).toEqual(unavailable);
    expect(failure).toMatchObject({ headers: { "Retry-After": "5" } });
    expect(inspectDeeply(failure)).not.toContain("secret-key-in-path");
  } finally {
    rpc.setFault("none");
  }
});

function inspectDeeply(error: unknown): string {
  let text = "";
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    text += `${cause.stack ?? ""} ${JSON.stringify(Object.entries(cause))}`;
  }
  return text;
}

test.each(["erc721", "erc1155", "unlock"] as const)(
  "%s: an address without a contract is reported as a fault",
  async (standard) => {
    const reader = makeReader({ contractAddress: chain.addressOf(9), standard });
    const failure = await reader.readOwner({ tokenId: "1" }).catch((error: unknown) => error);

    expect(failure).toEqual(unavailable);
    expect((failure as Refusal).cause).toMatchObject({
      message: expect.stringContaining("no contract at") as string,
    });
    await expect(reader.readOwnership({ tokenId: "1", holder: chain.addressOf(1) })).rejects.toEqual(
      unavailable,
    );
  },
);

test.each([
  [0, "reverts without a reason", "does-not-exist"],
  [1, "reverts with a reason", "does-not-exist"],
  [2, "answers with nothing", null],
  [3, "answers with a word that is no address", null],
  [4, "answers with seven bytes", null],
  [6, "answers with a megabyte of nothing", "does-not-exist"],
])("a contract of manner %i, which %s, gives the reason %s", async (manner, _words, reason) => {
  const { address } = await chain.deploy({ contractName: "Misbehaving", args: [manner] });
  const reading = makeReader({ contractAddress: address }).readOwnership({
    tokenId: "1",
    holder: chain.addressOf(1),
  });

  if (reason) expect(await reading).toEqual({ owned: false, reason });
  else await expect(reading).rejects.toEqual(unavailable);
});

test("the second endpoint answers when the first is away or on another chain", async () => {
  const tokenId = await chain.mintKey(1);
  const second = await startRpcFaultServer(chain.rpcUrl);
  try {
    for (const fault of ["http-500", "hanging", "html", "wrong-chain", "rpc-error", "empty"] as const) {
      rpc.setFault(fault);
      const client = createChainClient({
        rpcUrls: [rpc.url, second.url],
        chainId: chain.chainId,
        timeoutMs: 200,
      });
      const reader = createOwnershipReader({
        client,
        contractAddress: chain.key.address,
        standard: "erc721",
        cacheSeconds: 4,
        clock: () => 0,
      });
      expect(await reader.readOwnership({ tokenId, holder: chain.addressOf(1) }), fault).toEqual({
        owned: true,
      });
    }
  } finally {
    rpc.setFault("none");
    await second.stop();
  }
});

test("an endpoint that names the right chain and answers from another is skipped for the next one", async () => {
  const otherChain = await startTestChainWithId(chain.chainId + 1);
  const tokenId = await chain.mintKey(1);
  const lying = await startRpcFaultServer(chain.rpcUrl);
  lying.setUpstream((method) => (method === "eth_chainId" ? chain.rpcUrl : otherChain.rpcUrl));
  try {
    const reader = createOwnershipReader({
      client: createChainClient({ rpcUrls: [lying.url, chain.rpcUrl], chainId: chain.chainId }),
      contractAddress: chain.key.address,
      standard: "erc721",
      cacheSeconds: 0,
      clock: () => 0,
    });
    const read = () => reader.readOwnership({ tokenId, holder: chain.addressOf(1) });
    expect(await Promise.all([read(), read(), read()])).toEqual(Array(3).fill({ owned: true }));
    lying.posts.length = 0;
    expect(await read()).toEqual({ owned: true });
    expect(lying.posts).toEqual([]);
  } finally {
    await lying.stop();
    await otherChain.stop();
  }
});

test("an endpoint that moves to another chain while in use is detected by its first answer", async () => {
  const otherChain = await startTestChainWithId(chain.chainId + 1);
  const tokenId = await chain.mintKey(1);
  const moving = await startRpcFaultServer(chain.rpcUrl);
  try {
    const client = createChainClient({ rpcUrls: [moving.url], chainId: chain.chainId });
    const reader = createOwnershipReader({
      client,
      contractAddress: chain.key.address,
      standard: "erc721",
      cacheSeconds: 0,
      clock: () => 0,
    });
    const read = () => reader.readOwnership({ tokenId, holder: chain.addressOf(1) });
    expect(await read()).toEqual({ owned: true });
    moving.setUpstream(otherChain.rpcUrl);
    await expect(read()).rejects.toEqual(unavailable);
    await expect(read()).rejects.toEqual(unavailable);
  } finally {
    await moving.stop();
    await otherChain.stop();
  }
});

test("an endpoint that names the right chain but answers from another is not believed as the only one either", async () => {
  const otherChain = await startTestChainWithId(chain.chainId + 1);
  const tokenId = await chain.mintKey(1);
  const lying = await startRpcFaultServer(chain.rpcUrl);
  lying.setUpstream((method) => (method === "eth_chainId" ? chain.rpcUrl : otherChain.rpcUrl));
  try {
    const reader = createOwnershipReader({
      client: createChainClient({ rpcUrls: [lying.url], chainId: chain.chainId }),
      contractAddress: chain.key.address,
      standard: "erc721",
      cacheSeconds: 0,
      clock: () => 0,
    });
    const failure: unknown = await reader
      .readOwnership({ tokenId, holder: chain.addressOf(1) })
      .catch((error: unknown) => error);
    expect(failure).toEqual(unavailable);
    expect((failure as Refusal).cause).toMatchObject({
      details: `The result came from chain ${chain.chainId + 1}, not ${chain.chainId}.`,
    });
  } finally {
    await lying.stop();
    await otherChain.stop();
  }
});

async function startTestChainWithId(chainId: number) {
  return await startLocalChain({ chainId });
}

test("a contract of the wrong standard, or none at all, is a fault, the right one is not", async () => {
  const multiKey = await chain.deploy({ contractName: "MultiKey" });
  const silent = await chain.deploy({ contractName: "Misbehaving", args: [0] });
  const find = (standard: KeyStandard, contract: Address) =>
    findContractFault(chain.client(), { contract, standard });

  expect(await find("erc721", chain.key.address)).toBeNull();
  expect(await find("unlock", chain.key.address)).toBeNull();
  expect(await find("erc1155", multiKey.address)).toBeNull();
  expect(await find("erc721", silent.address)).toBeNull();
  expect(await find("erc721", multiKey.address)).toContain("is not an ERC-721 contract");
  expect(await find("erc1155", chain.key.address)).toContain("is not an ERC-1155 contract");
  expect(await find("unlock", multiKey.address)).toContain("is no Unlock lock");
  expect(await find("unlock", silent.address)).toContain("is no Unlock lock");
  for (const standard of ["erc721", "erc1155", "unlock"] as const) {
    expect(await find(standard, chain.addressOf(9))).toContain("does not exist");
  }
});
