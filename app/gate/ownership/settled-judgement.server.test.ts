import { beforeAll, expect, test } from "vitest";
import { Refusal } from "~/platform/refusals/refusal";
import {
  deployCoin,
  deployRentableKey,
  latchkeyRight,
  makeLeaf,
  mintCoins,
  placeDelegateRegistry,
} from "~e2e/support/chain/key-kinds";
import type { Contract } from "~e2e/support/chain/key-kinds";
import { makeKind, untouched } from "~e2e/support/key-kinds";
import { openTwoChains } from "~e2e/support/chain/two-chains";
import type { KeyKind } from "../kinds/kind";
import { createJudge } from "./judge.server";
import { createSettledJudgements } from "./settled-judgement.server";

const { first, second, makeClients, posts } = await openTwoChains();
const home = first.chain.chainId;
const abroad = second.chain.chainId;
const holder = first.chain.addressOf(1);
const endpoints = ["none", "deployless-refused"] as const;

let coin: Contract;

beforeAll(async () => {
  coin = await deployCoin(second.chain, 6);
  await second.chain.control.mine({ blocks: 5 });
});

type Options = Partial<Parameters<typeof createSettledJudgements>[0]> & {
  confirmationsOf?: (chainId: number) => number;
};

function openSettled({ confirmationsOf = () => 2, ...options }: Options = {}) {
  const clientOf = makeClients({ timeoutMs: 500 });
  return createSettledJudgements({
    judge: createJudge({ clientOf, confirmationsOf, cacheSeconds: 0, clock: Date.now }),
    clientOf,
    keys: { findKeyState: async () => untouched },
    findWatchedBlock: async () => null,
    requireHeld: ({ outcome }) => {
      if (outcome === "unknown") throw new Refusal("chain-unavailable");
      if (outcome === "unmet") throw new Refusal("you-do-not-own-this-token");
    },
    clock: Date.now,
    ...options,
  });
}

const ask = (kind: KeyKind, tokenId: string, signer = holder) => ({
  kind,
  tokenId,
  signer,
  vault: null,
  isUndeployed: false,
});
const refusedAs = (slug: string) => expect.objectContaining({ slug }) as unknown;

async function mintSettledKey(): Promise<string> {
  const tokenId = await first.chain.mintKey(1);
  await first.chain.control.mine({ blocks: 3 });
  return tokenId;
}

test.each(endpoints)(
  "what is required besides must have been held as deep, each chain by its own blocks, at endpoints that play %s",
  async (fault) => {
    const tokenId = await mintSettledKey();
    const signer = holder;
    for (const { rpc } of [first, second]) rpc.setFault(fault);
    const { address: contract } = await deployCoin(second.chain, 6);
    const requirement = makeLeaf({ type: "erc20", contract, chainId: abroad, atLeast: 5n });
    const kind = makeKind({ chainId: home, contract: first.chain.key.address, requirement });
    const requireSettled = openSettled({ confirmationsOf: (chainId) => (chainId === abroad ? 2 : 1) });

    await expect(requireSettled(ask(kind, tokenId))).rejects.toEqual(refusedAs("you-do-not-own-this-token"));
    await mintCoins(second.chain, { ...coin, address: contract }, { to: signer, amount: 5n });
    for (let block = 0; block < 2; block += 1) {
      await expect(requireSettled(ask(kind, tokenId))).rejects.toMatchObject({
        slug: "holding-too-recent",
        detail: expect.stringContaining("The key's other requirements were not met yet") as string,
      });
      // Blocks of another chain settle nothing.
      await first.chain.control.mine({ blocks: 1 });
      await expect(requireSettled(ask(kind, tokenId))).rejects.toEqual(refusedAs("holding-too-recent"));
      await second.chain.control.mine({ blocks: 1 });
    }
    await requireSettled(ask(kind, tokenId));
  },
);

test("a chain whose older block cannot be read makes the answer 503, not a recent holding", async () => {
  const tokenId = await mintSettledKey();
  await mintCoins(second.chain, coin, { to: holder, amount: 5n });
  await second.chain.control.mine({ blocks: 3 });
  const requirement = makeLeaf({ type: "erc20", contract: coin.address, chainId: abroad, atLeast: 5n });
  const kind = makeKind({ chainId: home, contract: first.chain.key.address, requirement });
  await openSettled()(ask(kind, tokenId));
  second.rpc.setFault("rpc-error");
  await expect(openSettled()(ask(kind, tokenId))).rejects.toEqual(refusedAs("chain-unavailable"));
});

test("a rental that just began is too recent, and so is the owner's key when one just ended", async () => {
  const rentable = await deployRentableKey(first.chain);
  const tokenId = await first.chain.mintKey(1, rentable);
  const kind = makeKind({ standard: "erc4907", chainId: home, contract: rentable.address });
  await first.chain.control.mine({ blocks: 3 });
  const requireSettled = openSettled();
  await requireSettled(ask(kind, tokenId));

  const user = first.chain.addressOf(2);
  const { timestamp } = await first.chain.viewer.getBlock();
  const expiresAtSeconds = timestamp + 1_000n;
  await rentable.rent({ from: 1, tokenId, user, expiresAtSeconds });
  await expect(requireSettled(ask(kind, tokenId, user))).rejects.toEqual(refusedAs("holding-too-recent"));
  await first.chain.control.mine({ blocks: 2 });
  await requireSettled(ask(kind, tokenId, user));

  const snapshot = await first.chain.control.snapshot();
  await first.chain.control.setNextBlockTimestamp({ timestamp: expiresAtSeconds + 1n });
  await first.chain.control.mine({ blocks: 1 });
  await expect(requireSettled(ask(kind, tokenId))).rejects.toEqual(refusedAs("holding-too-recent"));
  await first.chain.control.mine({ blocks: 2, interval: 1 });
  await requireSettled(ask(kind, tokenId));
  await first.chain.control.revert({ id: snapshot });
});

test("an endpoint of any chain that is behind the watcher's block is an outage", async () => {
  const tokenId = await mintSettledKey();
  const requirement = makeLeaf({ type: "native", chainId: abroad, atLeast: 1n });
  const kind = makeKind({ chainId: home, contract: first.chain.key.address, requirement });
  const newest = await second.chain.viewer.getBlockNumber({ cacheTime: 0 });
  const at = (blockNumber: bigint) =>
    openSettled({
      findWatchedBlock: async (chainId) => (chainId === abroad ? { blockNumber, blockSeconds: 0n } : null),
    });

  await at(newest)(ask(kind, tokenId));
  await expect(at(newest + 1n)(ask(kind, tokenId))).rejects.toEqual(refusedAs("chain-unavailable"));
});

test("a use is two calls and a header of each chain, and one call of each without confirmations", async () => {
  const tokenId = await mintSettledKey();
  const requirement = makeLeaf({ type: "native", chainId: abroad, atLeast: 1n });
  const kind = makeKind({ chainId: home, contract: first.chain.key.address, requirement });
  first.rpc.posts.length = 0;
  await openSettled()(ask(kind, tokenId));
  const deep = ["eth_getBlockByNumber", "eth_call", "eth_call"];
  expect(posts()).toEqual([deep, deep]);

  for (const { rpc } of [first, second]) rpc.posts.length = 0;
  await openSettled({ confirmationsOf: () => 0 })(ask(kind, tokenId));
  const shallow = ["eth_getBlockByNumber", "eth_call"];
  expect(posts()).toEqual([shallow, shallow]);
});

test("a delegate is told of the fresh delegation, and of the vault its key came to or has left", async () => {
  const registry = await placeDelegateRegistry(first.chain);
  const vault = first.chain.addressOf(4);
  const kind = makeKind({ chainId: home, contract: first.chain.key.address, delegation: "latchkey" });
  const tooRecent = (detail: string) => ({
    slug: "holding-too-recent",
    detail: expect.stringContaining(detail) as string,
  });

  const tokenId = await first.chain.mintKey(4);
  await first.chain.control.mine({ blocks: 3 });
  await registry.delegateAll({ from: 4, to: holder, rights: latchkeyRight });
  await expect(openSettled()({ ...ask(kind, tokenId), vault })).rejects.toMatchObject(
    tooRecent(`This wallet was no delegate of the wallet ${vault} for this key 2 blocks before`),
  );
  await first.chain.control.mine({ blocks: 3 });
  await openSettled()({ ...ask(kind, tokenId), vault });

  const fresh = await first.chain.mintKey(4);
  await expect(openSettled()({ ...ask(kind, fresh), vault })).rejects.toMatchObject(
    tooRecent(`was not in the wallet ${vault} 2 blocks before`),
  );
  const keys = {
    findKeyState: async () => ({ ...untouched, departedAtMs: Date.now() }),
  };
  await expect(openSettled({ keys })({ ...ask(kind, tokenId), vault })).rejects.toMatchObject(
    tooRecent(`was seen leaving the wallet ${vault} a short time ago`),
  );
});

test("the key's state is looked up under the vault", async () => {
  const tokenId = await mintSettledKey();
  const asked: unknown[] = [];
  const kind = makeKind({ chainId: home, contract: first.chain.key.address, delegation: "full" });
  const requireSettled = openSettled({
    keys: {
      findKeyState: async (question) => {
        asked.push(question);
        return untouched;
      },
    },
    requireHeld: () => {
      throw new Refusal("you-do-not-own-this-token");
    },
  });
  const vault = first.chain.addressOf(2);
  await expect(requireSettled({ ...ask(kind, tokenId), vault })).rejects.toThrow(Refusal);
  expect(asked).toEqual([{ key: { ...kind.keptUnder, tokenId }, holder: vault }]);
});
