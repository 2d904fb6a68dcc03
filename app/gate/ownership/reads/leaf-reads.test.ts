import { beforeAll, expect, test } from "vitest";
import type { Reading, Requirement } from "../../kinds/requirement";
import { deployCoin, makeLeaf, mintCoins } from "~e2e/support/chain/key-kinds";
import type { Contract } from "~e2e/support/chain/key-kinds";
import { makeKind } from "~e2e/support/key-kinds";
import { openTwoChains } from "~e2e/support/chain/two-chains";
import { deployUnlockLock } from "~e2e/support/chain/unlock-lock";
import { createJudge } from "../judge.server";

const { first, makeClients } = await openTwoChains();
const { chain, rpc } = first;
const { chainId } = chain;
const holder = chain.addressOf(1);
const endpoints = ["none", "deployless-refused"] as const;
const biggest = (1n << 256n) - 1n;

let coin: Contract;
let units: Contract;

beforeAll(async () => {
  coin = await deployCoin(chain, 6);
  units = await chain.deploy({ contractName: "MultiKey" });
  await mintCoins(chain, coin, { to: holder, amount: 2_500_000n });
  await chain.send({ ...units, functionName: "mint", args: [holder, 7n, 3n], from: 0 });
});

async function readLeaf(requirement: Requirement, signer = holder) {
  const judge = createJudge({
    clientOf: makeClients({ timeoutMs: 1_000 }),
    confirmationsOf: () => 0,
    cacheSeconds: 0,
    clock: () => 0,
  });
  const kind = makeKind({ standard: "membership", chainId, requirement });
  const { requirement: verdict, cause } = await judge.judge({ kind, tokenId: "0", signer, vault: null });
  if (verdict?.type !== "leaf") expect.fail("It is a leaf.");
  return { ...verdict.reading, cause } as Reading & { cause: unknown };
}

test.each(endpoints)(
  "coins, units and keys are counted to the last one, at an endpoint that plays %s",
  async (fault) => {
    rpc.setFault(fault);
    await chain.mintKey(4);
    await chain.mintKey(4);
    const { address: contract } = coin;
    const erc20 = (atLeast: bigint) => readLeaf(makeLeaf({ type: "erc20", contract, chainId, atLeast }));
    const erc1155 = (tokenId: string, atLeast: bigint) =>
      readLeaf(makeLeaf({ type: "erc1155", contract: units.address, chainId, tokenId, atLeast }));
    const keys = await chain.viewer.readContract({
      ...chain.key,
      functionName: "balanceOf",
      args: [chain.addressOf(4)],
    });
    const erc721 = (atLeast: bigint) =>
      readLeaf(
        makeLeaf({ type: "erc721", contract: chain.key.address, chainId, atLeast }),
        chain.addressOf(4),
      );

    expect(await erc20(2_500_000n)).toEqual({ outcome: "met", held: 2_500_000n, decimals: 6, cause: null });
    expect(await erc20(2_500_001n)).toMatchObject({ outcome: "unmet", held: 2_500_000n });
    expect(await erc20(biggest)).toMatchObject({ outcome: "unmet" });
    expect(await erc1155("7", 3n)).toEqual({ outcome: "met", held: 3n, cause: null });
    expect(await erc1155("7", 4n)).toMatchObject({ outcome: "unmet", held: 3n });
    expect(await erc1155("8", 1n)).toMatchObject({ outcome: "unmet", held: 0n });
    expect(await erc721(keys as bigint)).toEqual({ outcome: "met", held: keys, cause: null });
    expect(await erc721((keys as bigint) + 1n)).toMatchObject({ outcome: "unmet", held: keys });
  },
);

test.each(endpoints)(
  "a native balance is counted to the last wei, at an endpoint that plays %s",
  async (fault) => {
    rpc.setFault(fault);
    const signer = chain.addressOf(5);
    const native = (atLeast: bigint) => readLeaf(makeLeaf({ type: "native", chainId, atLeast }), signer);

    for (const held of [1n, biggest, 0n]) {
      await chain.control.setBalance({ address: signer, value: held });
      if (held > 0n) expect(await native(held)).toEqual({ outcome: "met", held, decimals: 18, cause: null });
      if (held < biggest) expect(await native(held + 1n)).toMatchObject({ outcome: "unmet", held });
    }
  },
);

test.each(endpoints)(
  "a lock's membership counts while it is valid, at an endpoint that plays %s",
  async (fault) => {
    const lock = await deployUnlockLock(chain, 3_600);
    await lock.purchase(holder);
    rpc.setFault(fault);
    const read = (signer = holder) =>
      readLeaf(makeLeaf({ type: "unlock", contract: lock.address, chainId }), signer);

    expect(await read()).toEqual({ outcome: "met", cause: null });
    expect(await read(chain.addressOf(2))).toEqual({ outcome: "unmet", cause: null });
    const snapshot = await chain.control.snapshot();
    await chain.control.increaseTime({ seconds: 3_601 });
    await chain.control.mine({ blocks: 1 });
    expect(await read()).toEqual({ outcome: "unmet", cause: null });
    await chain.control.revert({ id: snapshot });
  },
);

test.each(endpoints)(
  "a token that does not say its decimals is counted all the same, at an endpoint that plays %s",
  async (fault) => {
    rpc.setFault(fault);
    const plain = await chain.deploy({ contractName: "CoinWithoutDecimals" });
    await mintCoins(chain, plain, { to: holder, amount: 5n });
    const leaf = makeLeaf({ type: "erc20", contract: plain.address, chainId, atLeast: 5n });

    expect(await readLeaf(leaf)).toEqual({ outcome: "met", held: 5n, cause: null });
  },
);

test.each(endpoints)(
  "an address without code is unknown, and so is a contract that does not answer, at an endpoint that plays %s",
  async (fault) => {
    rpc.setFault(fault);
    const bare = { type: "erc20", contract: chain.addressOf(9), chainId, atLeast: 1n } as const;
    const unknown = await readLeaf(makeLeaf(bare));
    expect(unknown).toMatchObject({ outcome: "unknown" });
    expect(String(unknown.cause)).toContain("There is no contract at");
    expect(unknown).not.toHaveProperty("held");

    for (const [manner, outcome] of [
      [0, "unknown"],
      [1, "unknown"],
      [2, "unknown"],
      [4, "unknown"],
      [5, "unknown"],
      [6, "unmet"],
    ] as const) {
      const { address } = await chain.deploy({ contractName: "Misbehaving", args: [manner] });
      expect(await readLeaf(makeLeaf({ ...bare, contract: address })), `manner ${manner}`).toMatchObject({
        outcome,
      });
    }
  },
);

test.each(endpoints)(
  "what must not be held lets nobody in where its contract is of another kind, at an endpoint that plays %s",
  async (fault) => {
    rpc.setFault(fault);
    const wrong = makeLeaf({ type: "erc721", contract: units.address, chainId, atLeast: 1n });
    const lock = makeLeaf({ type: "unlock", contract: coin.address, chainId });
    const judge = createJudge({
      clientOf: makeClients({ timeoutMs: 1_000 }),
      confirmationsOf: () => 0,
      cacheSeconds: 0,
      clock: () => 0,
    });
    for (const of of [wrong, lock]) {
      const kind = makeKind({ standard: "membership", chainId, requirement: { type: "not", of } });
      const { outcome, cause } = await judge.judge({ kind, tokenId: "0", signer: holder, vault: null });
      expect(outcome).toBe("unknown");
      expect(String(cause)).toContain("does not answer");
    }
  },
);

test("a contract that wastes its gas leaves the key and the other leaves known", async () => {
  const { address: waster } = await chain.deploy({ contractName: "Misbehaving", args: [7] });
  const tokenId = await chain.mintKey(1);
  const wasteful = makeLeaf({ type: "erc20", contract: waster, chainId, atLeast: 1n });
  const honest = makeLeaf({ type: "erc20", contract: coin.address, chainId, atLeast: 1n });
  const kind = makeKind({
    chainId,
    contract: chain.key.address,
    requirement: { type: "any", of: [wasteful, honest, wasteful] },
  });
  const judge = createJudge({
    clientOf: makeClients(),
    confirmationsOf: () => 0,
    cacheSeconds: 0,
    clock: () => 0,
  });
  rpc.posts.length = 0;

  expect(await judge.judge({ kind, tokenId, signer: holder, vault: null })).toMatchObject({
    outcome: "met",
    requirement: { of: [{ outcome: "unknown" }, { outcome: "met" }, { outcome: "unknown" }] },
  });
  expect(rpc.posts.filter((method) => method === "eth_call")).toHaveLength(1);
});

test("where calls bring no code, an endpoint that refuses one leaf leaves the others known", async () => {
  rpc.setFault("deployless-refused");
  const native = makeLeaf({ type: "native", chainId, atLeast: 1n });
  const erc20 = makeLeaf({ type: "erc20", contract: coin.address, chainId, atLeast: 1n });
  const kind = makeKind({
    standard: "membership",
    chainId,
    requirement: { type: "any", of: [native, erc20] },
  });
  const judge = createJudge({
    clientOf: makeClients(),
    confirmationsOf: () => 0,
    cacheSeconds: 0,
    clock: () => 0,
  });
  for (const result of [null, "a lot", `0x${"f".repeat(65)}`]) {
    rpc.setResult({ method: "eth_getBalance", result });
    expect(
      await judge.judge({ kind, tokenId: "0", signer: holder, vault: null }),
      String(result),
    ).toMatchObject({
      outcome: "met",
      requirement: { of: [{ outcome: "unknown" }, { outcome: "met" }] },
    });
  }
});
