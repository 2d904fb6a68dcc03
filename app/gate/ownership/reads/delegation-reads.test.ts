import { stringToHex } from "viem";
import { beforeAll, expect, test } from "vitest";
import type { KeyKind } from "../../kinds/kind";
import {
  deployCoin,
  latchkeyRight,
  makeLeaf,
  mintCoins,
  placeDelegateRegistry,
} from "~e2e/support/chain/key-kinds";
import { makeKind } from "~e2e/support/key-kinds";
import { openTwoChains } from "~e2e/support/chain/two-chains";
import type { Refusal } from "~/platform/refusals/refusal";
import { requireMet } from "../../tokens/require-met";
import { createJudge } from "../judge.server";

const { first, second, makeClients, posts } = await openTwoChains();
const { chain, rpc } = first;
const { chainId } = chain;
const vaultAccount = 1;
const vault = chain.addressOf(vaultAccount);
const endpoints = ["none", "deployless-refused"] as const;
const otherRight = stringToHex("another", { size: 32 });

let registry: Awaited<ReturnType<typeof placeDelegateRegistry>>;

beforeAll(async () => {
  registry = await placeDelegateRegistry(chain);
});

type Asked = { kind: KeyKind; tokenId: string; delegate: number };

async function ask({ kind, tokenId, delegate }: Asked) {
  const judge = createJudge({
    clientOf: makeClients(),
    confirmationsOf: () => 0,
    cacheSeconds: 0,
    clock: () => 0,
  });
  const judgement = await judge.judge({ kind, tokenId, signer: chain.addressOf(delegate), vault });
  return judgement.outcome === "met" ? "met" : (judgement.key?.reason ?? judgement.outcome);
}

const keyKind = (given: Partial<KeyKind> = {}) =>
  makeKind({ chainId, contract: chain.key.address, delegation: "latchkey", ...given });

test.each(endpoints)(
  "a delegation counts by its right, until it is revoked, at an endpoint that plays %s",
  async (fault) => {
    const tokenId = await chain.mintKey(vaultAccount);
    rpc.setFault(fault);
    const contract = chain.key.address;
    const results = async (delegate: number) =>
      Promise.all([
        ask({ kind: keyKind({ delegation: "full" }), tokenId, delegate }),
        ask({ kind: keyKind({ delegation: "latchkey" }), tokenId, delegate }),
        ask({ kind: keyKind({ delegation: "none" }), tokenId, delegate }),
      ]);
    const [to, nobody] = [chain.addressOf(2), "not-delegate"];

    expect(await results(2)).toEqual([nobody, nobody, nobody]);
    for (const delegate of [
      (given: object) => registry.delegateERC721({ from: vaultAccount, to, contract, tokenId, ...given }),
      (given: object) => registry.delegateContract({ from: vaultAccount, to, contract, ...given }),
      (given: object) => registry.delegateAll({ from: vaultAccount, to, ...given }),
    ]) {
      await delegate({});
      expect(await results(2)).toEqual(["met", "met", nobody]);
      expect(await results(3)).toEqual([nobody, nobody, nobody]);
      await delegate({ isEnabled: false });
      await delegate({ rights: latchkeyRight });
      expect(await results(2)).toEqual([nobody, "met", nobody]);
      await delegate({ rights: latchkeyRight, isEnabled: false });
      await delegate({ rights: otherRight });
      expect(await results(2)).toEqual([nobody, nobody, nobody]);
    }
  },
);

test("a delegation for one key is none for another, and none the other way round", async () => {
  const [tokenId, otherId] = [await chain.mintKey(vaultAccount), await chain.mintKey(vaultAccount)];
  const ofSigner = await chain.mintKey(4);
  const contract = chain.key.address;
  await registry.delegateERC721({ from: vaultAccount, to: chain.addressOf(4), contract, tokenId });

  expect(await ask({ kind: keyKind(), tokenId, delegate: 4 })).toBe("met");
  expect(await ask({ kind: keyKind(), tokenId: otherId, delegate: 4 })).toBe("not-delegate");
  // The delegate's own keys are not the vault's.
  expect(await ask({ kind: keyKind(), tokenId: ofSigner, delegate: 4 })).toBe("not-owner");
});

test("erc1155: units that were delegated count, none do not", async () => {
  const units = await chain.deploy({ contractName: "MultiKey" });
  await chain.send({ ...units, functionName: "mint", args: [vault, 7n, 1n], from: 0 });
  const kind = keyKind({ standard: "erc1155", contract: units.address });
  const delegation = { from: vaultAccount, to: chain.addressOf(5), contract: units.address, tokenId: "7" };

  expect(await ask({ kind, tokenId: "7", delegate: 5 })).toBe("not-delegate");
  await registry.delegateERC1155({ ...delegation, amount: 1n });
  expect(await ask({ kind, tokenId: "7", delegate: 5 })).toBe("met");
  expect(await ask({ kind, tokenId: "8", delegate: 5 })).toBe("not-owner");
  await registry.delegateERC1155({ ...delegation, amount: 0n });
  expect(await ask({ kind, tokenId: "7", delegate: 5 })).toBe("not-delegate");
});

test("a membership's delegate is one of all contracts, and leaves are judged for the vault", async () => {
  const coin = await deployCoin(chain, 6);
  await mintCoins(chain, coin, { to: vault, amount: 10n });
  const requirement = makeLeaf({ type: "erc20", contract: coin.address, chainId, atLeast: 10n });
  const kind = makeKind({ standard: "membership", chainId, delegation: "full", requirement });
  const to = chain.addressOf(6);
  const tokenId = String(BigInt(vault));

  await registry.delegateContract({ from: vaultAccount, to, contract: coin.address });
  expect(await ask({ kind, tokenId, delegate: 6 })).toBe("not-delegate");
  await registry.delegateAll({ from: vaultAccount, to });
  rpc.posts.length = 0;
  expect(await ask({ kind, tokenId, delegate: 6 })).toBe("met");
  expect(posts()).toEqual([["eth_call"], []]);
});

test.each([true, false])(
  "who is no delegate learns nothing of whether a vault is on a list (it is: %s), nor does who may be none",
  async (isListed) => {
    const list = { has: () => isListed };
    const requirement = makeLeaf({ type: "addresses", list });
    const membership = makeKind({ standard: "membership", chainId, delegation: "full", requirement });
    const question = { kind: membership, tokenId: String(BigInt(vault)), signer: chain.addressOf(8), vault };
    const tokenId = await chain.mintKey(vaultAccount);
    const judgeWith = () =>
      createJudge({ clientOf: makeClients(), confirmationsOf: () => 0, cacheSeconds: 0, clock: () => 0 });
    const told = async (kind: KeyKind) => {
      const judgement = await judgeWith().judge({ ...question, kind, tokenId });
      let refusal: unknown;
      try {
        requireMet({ ...question, kind, tokenId }, judgement, { areNamed: true });
      } catch (error) {
        refusal = error;
      }
      const { detail, members, unmet } = refusal as Refusal;
      return { outcome: judgement.outcome, detail, members, unmet };
    };
    for (const kind of [membership, keyKind({ requirement }), keyKind({ delegation: "none", requirement })]) {
      expect(await told(kind)).toMatchObject({
        outcome: "unmet",
        detail: expect.stringContaining("no delegate") as string,
        members: { requirements: { outcome: "unmet", all: [{ outcome: "unmet" }] } },
        unmet: { parts: [{ place: "key" }] },
      });
    }
    rpc.setFault("http-500");
    expect(await told(membership)).toMatchObject({ outcome: "unknown" });
    expect(await told(keyKind({ requirement }))).toMatchObject({ outcome: "unknown" });
  },
);

test("a wallet that names itself as the vault is judged as the holder", async () => {
  const tokenId = await chain.mintKey(vaultAccount);
  expect(await ask({ kind: keyKind({ delegation: "none" }), tokenId, delegate: vaultAccount })).toBe("met");
});

test.each(endpoints)(
  "on a chain without the registry nobody is a delegate, at an endpoint that plays %s",
  async (fault) => {
    second.rpc.setFault(fault);
    const tokenId = await second.chain.mintKey(vaultAccount);
    const kind = keyKind({ chainId: second.chain.chainId, contract: second.chain.key.address });
    expect(await ask({ kind, tokenId, delegate: 2 })).toBe("not-delegate");
  },
);

test("while the kind's chain is away, a delegation is unknown, but for a kind that takes none", async () => {
  const tokenId = await chain.mintKey(vaultAccount);
  rpc.setFault("http-500");
  expect(await ask({ kind: keyKind(), tokenId, delegate: 2 })).toBe("unknown");
  expect(await ask({ kind: keyKind({ delegation: "none" }), tokenId, delegate: 2 })).toBe("not-delegate");
});

test("a delegation that was revoked is over when its reading's time is, or with the next block", async () => {
  const kind = makeKind({ chainId, contract: chain.key.address, delegation: "full" });
  const tokenId = await chain.mintKey(vaultAccount);
  const signer = chain.addressOf(7);
  const setDelegation = (isEnabled: boolean) =>
    registry.delegateContract({ from: vaultAccount, to: signer, contract: chain.key.address, isEnabled });
  let nowMs = 1_000;
  const judge = createJudge({
    clientOf: makeClients(),
    confirmationsOf: () => 0,
    cacheSeconds: 4,
    clock: () => nowMs,
  });
  const outcome = async () => (await judge.judge({ kind, tokenId, signer, vault })).outcome;

  for (const end of [
    () => (nowMs += 1),
    async () =>
      judge.noteBlock(chainId, { blockNumber: await chain.viewer.getBlockNumber(), blockSeconds: 0n }),
  ]) {
    await setDelegation(true);
    nowMs += 4_000;
    expect(await outcome()).toBe("met");
    await setDelegation(false);
    nowMs += 3_999;
    expect(await outcome()).toBe("met");
    await end();
    expect(await outcome()).toBe("unmet");
  }
});
