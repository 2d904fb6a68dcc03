import type { Address } from "viem";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { developmentAccount } from "../../contracts/local-chain.mjs";
import { startTestChain } from "~e2e/support/chain/chain";
import type { TestChain } from "~e2e/support/chain/chain";
import {
  deployCoin,
  deployRentableKey,
  latchkeyRight,
  mintCoins,
  placeDelegateRegistry,
} from "~e2e/support/chain/key-kinds";
import type { Contract } from "~e2e/support/chain/key-kinds";
import { deployUnlockLock } from "~e2e/support/chain/unlock-lock";
import { listAddressFiles, readKeysExamples } from "~e2e/support/keys-examples";
import { startKeysServer } from "./keys-fixture";

const examples = new Map(readKeysExamples().map(({ name, text }) => [name, text]));
type Server = Awaited<ReturnType<typeof open>>;
type Visit = { kind: string; by: number; tokenId?: string; for?: number };
type KeysFile = { chains: object; keys: { name: string; chainId?: number; opens?: string[] }[] };

const chains = new Map<number, TestChain>();
const chainOf = (chainId: number) => chains.get(chainId)!;
const addressOf = (index: number) => developmentAccount(index).address;
const hundredVotes = 100n * 10n ** 18n;

/** The test contract for each address of the page, in lower case. */
const stands = new Map<string, Address>();
let votes: Contract;
let dollars: Contract;
let tickets: Contract;
let editions: Contract;
let lock: Awaited<ReturnType<typeof deployUnlockLock>>;
let passes: Awaited<ReturnType<typeof deployRentableKey>>;
let registry: Awaited<ReturnType<typeof placeDelegateRegistry>>;

const onPage = (last: string) => `0x${last.padStart(40, "0")}`;

beforeAll(async () => {
  await Promise.all(
    [1, 137, 8453, 42161].map(async (chainId) => chains.set(chainId, await startTestChain({ chainId }))),
  );
  // One account deploys on each chain, so deployments on a chain are sequential.
  await Promise.all([
    (async () => {
      votes = await deployCoin(chainOf(1), 18);
      registry = await placeDelegateRegistry(chainOf(1));
    })(),
    (async () => {
      dollars = await deployCoin(chainOf(8453), 6);
      editions = await chainOf(8453).deploy({ contractName: "MultiKey" });
      lock = await deployUnlockLock(chainOf(8453), 3_600);
    })(),
    (async () => (tickets = await chainOf(137).deploy({ contractName: "MultiKey" })))(),
    (async () => (passes = await deployRentableKey(chainOf(42161))))(),
  ]);
  for (const [last, address] of [
    ["a1", chainOf(1).key.address],
    ["b1", chainOf(8453).key.address],
    ["a2", votes.address],
    ["a3", tickets.address],
    ["c1", addressOf(4)],
    ["a4", lock.address],
    ["b4", editions.address],
    ["833589fcd6edb6e08f4c7c32d4f71b54bda02913", dollars.address],
    ["a5", passes.address],
    ["b5", chainOf(1).key.address],
  ] as const)
    stands.set(onPage(last), address);
}, 120_000);
afterAll(() => Promise.all([...chains.values()].map((chain) => chain.stop())));

/** A server with the page's file. Only addresses are replaced, by the table above. */
async function open(name: string, lists: Record<string, number[]> = {}) {
  const text = examples.get(name)!.replaceAll(/0x[0-9a-fA-F]{40}/g, (address) => {
    const standing = stands.get(address.toLowerCase());
    if (!standing) throw new Error(`Nothing stands for ${address}.`);
    return standing;
  });
  expect(listAddressFiles(text).sort()).toEqual(Object.keys(lists).sort());
  const keysFile = JSON.parse(text) as KeysFile;
  const chainIds = Object.keys(keysFile.chains).map(Number);
  const started = await startKeysServer({
    text,
    lists: Object.fromEntries(Object.entries(lists).map(([file, listed]) => [file, listed.map(addressOf)])),
    rpcUrls: Object.fromEntries(chainIds.map((chainId) => [chainId, chainOf(chainId).rpcUrl])),
  });
  onTestFinished(started.close);

  expect((await started.ask({ path: "/readyz" })).body).toMatchObject({ status: "ready" });
  const { keys } = (await started.ask({ path: "/api/keys" })).body as { keys: KeysFile["keys"] };
  const opensAll = ["room", "chat", "tts", "tools"];
  expect(keys).toMatchObject(
    keysFile.keys.map(({ name: kind, chainId = chainIds[0], opens = opensAll }) => {
      return { name: kind, chainId, opens };
    }),
  );

  return async ({ kind, by, tokenId, for: vault }: Visit) => {
    const key = { ...(tokenId && { tokenId }), ...(vault && { vault: addressOf(vault) }) };
    return started.post("/api/gate-access", await started.siwe(kind, developmentAccount(by).account, key));
  };
}

async function expectIn(enter: Server, visit: Visit): Promise<void> {
  expect((await enter(visit)).status, JSON.stringify(visit)).toBe(200);
}

/** `missing` is part of the refusal's text. */
async function expectOut(enter: Server, visit: Visit, missing: string): Promise<void> {
  const { status, body } = await enter(visit);
  expect(status, JSON.stringify(visit)).toBe(403);
  expect(body).toMatchObject({ detail: expect.stringContaining(missing) as string });
}

const heldElsewhere = "held by another wallet";

test("two collections, one room: a key of either opens it to its holder", async () => {
  const original = await chainOf(1).mintKey(1);
  const base = await chainOf(8453).mintKey(2);
  const enter = await open("Two collections, one room");
  await expectIn(enter, { kind: "original", by: 1, tokenId: original });
  await expectIn(enter, { kind: "base", by: 2, tokenId: base });
  await expectOut(enter, { kind: "original", by: 2, tokenId: original }, heldElsewhere);
  await expectOut(enter, { kind: "base", by: 1, tokenId: base }, heldElsewhere);
});

test("a DAO's working room: votes or a seat in the council", async () => {
  await mintCoins(chainOf(1), votes, { to: addressOf(1), amount: hundredVotes });
  await mintCoins(chainOf(1), votes, { to: addressOf(2), amount: hundredVotes - 1n });
  const enter = await open("A DAO's working room", { "council.txt": [3] });
  await expectIn(enter, { kind: "member", by: 1 });
  await expectOut(enter, { kind: "member", by: 2 }, "100 votes or In the council");
  await expectIn(enter, { kind: "member", by: 3 });
});

test("a festival: tickets, but not of who was turned out; guests and crew without one", async () => {
  for (const holder of [1, 2])
    await chainOf(137).send({
      ...tickets,
      functionName: "mint",
      args: [addressOf(holder), 7n, 1n],
      from: 0,
    });
  const enter = await open("A festival", { "turned-out.txt": [2], "guests.txt": [3] });
  await expectIn(enter, { kind: "ticket", by: 1, tokenId: "7" });
  await expectOut(enter, { kind: "ticket", by: 2, tokenId: "7" }, "not “Turned out”");
  await expectOut(enter, { kind: "ticket", by: 3, tokenId: "7" }, heldElsewhere);
  await expectIn(enter, { kind: "guest", by: 3 });
  await expectIn(enter, { kind: "guest", by: 4 });
  await expectOut(enter, { kind: "guest", by: 1 }, "On the guest list");
});

test("a newsletter: subscribers, and patrons with an edition or dollars besides", async () => {
  const subscription = await lock.purchase(addressOf(1));
  for (const subscriber of [2, 3]) await lock.purchase(addressOf(subscriber));
  const first = [addressOf(1), 1n, 1n];
  await chainOf(8453).send({ ...editions, functionName: "mint", args: first, from: 0 });
  for (const holder of [2, 4])
    await mintCoins(chainOf(8453), dollars, { to: addressOf(holder), amount: 50_000_000n });
  const enter = await open("A newsletter with subscriptions");
  await expectIn(enter, { kind: "subscriber", by: 1, tokenId: subscription });
  await expectOut(enter, { kind: "subscriber", by: 4, tokenId: subscription }, heldElsewhere);
  await expectIn(enter, { kind: "patron", by: 1 });
  await expectIn(enter, { kind: "patron", by: 2 });
  await expectOut(enter, { kind: "patron", by: 3 }, "The first edition or 50 USDC on Base");
  await expectOut(enter, { kind: "patron", by: 4 }, "A subscription");
});

test("a guild: the tenant while the rental lasts, and a founder's other wallet", async () => {
  const lent = await chainOf(42161).mintKey(1, passes);
  const kept = await chainOf(42161).mintKey(1, passes);
  const { timestamp } = await chainOf(42161).viewer.getBlock();
  await passes.rent({ from: 1, tokenId: lent, user: addressOf(2), expiresAtSeconds: timestamp + 3_600n });
  const [rich, poor] = [await chainOf(1).mintKey(3), await chainOf(1).mintKey(5)];
  for (const vault of [3, 5])
    await registry.delegateAll({ from: vault, to: addressOf(4), rights: latchkeyRight });
  await chainOf(1).control.setBalance({ address: addressOf(5), value: 10n ** 17n - 1n });

  const enter = await open("A guild that lends its passes");
  await expectIn(enter, { kind: "pass", by: 2, tokenId: lent });
  await expectOut(enter, { kind: "pass", by: 1, tokenId: lent }, heldElsewhere);
  await expectIn(enter, { kind: "pass", by: 1, tokenId: kept });
  await expectIn(enter, { kind: "founder", by: 3, tokenId: rich });
  await expectIn(enter, { kind: "founder", by: 4, tokenId: rich, for: 3 });
  await expectOut(enter, { kind: "founder", by: 6, tokenId: rich, for: 3 }, "no delegate of the vault");
  await expectOut(enter, { kind: "founder", by: 4, tokenId: poor, for: 5 }, "0.1 ETH");
});

test("every file of the page is among these", () => {
  expect([...examples.keys()]).toEqual([
    "Two collections, one room",
    "A DAO's working room",
    "A festival",
    "A newsletter with subscriptions",
    "A guild that lends its passes",
  ]);
});
