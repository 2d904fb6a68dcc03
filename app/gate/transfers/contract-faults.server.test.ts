import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Address } from "viem";
import { createChainClients } from "~/platform/chain/chain-clients.server";
import { startTestChain } from "~e2e/support/chain/chain";
import type { TestChain } from "~e2e/support/chain/chain";
import { startRpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import { deployUnlockLock } from "~e2e/support/chain/unlock-lock";
import type { RpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import type { KeyKind } from "../kinds/kind";
import type { Leaf, Requirement } from "../kinds/requirement";
import { createContractFaults, hideSecretFaults } from "./contract-faults.server";

let sites: { chain: TestChain; rpc: RpcFaultServer }[];
let units: Address;
let nowMs: number;

beforeAll(async () => {
  sites = await Promise.all(
    [31337, 8453].map(async (chainId) => {
      const chain = await startTestChain({ chainId });
      return { chain, rpc: await startRpcFaultServer(chain.rpcUrl) };
    }),
  );
  units = (await sites[0]!.chain.deploy({ contractName: "MultiKey" })).address;
});
afterAll(async () => {
  for (const { chain, rpc } of sites) {
    await rpc.stop();
    await chain.stop();
  }
});
beforeEach(() => {
  nowMs = 0;
  for (const { rpc } of sites) rpc.setFault("none");
});

const nowhere: Address = `0x${"0e".repeat(20)}`;

function makeFaults(...kinds: Partial<KeyKind>[]) {
  const [chainId, contract] = [31337, sites[0]!.chain.key.address];
  const whole = kinds.map((its): KeyKind => {
    return {
      name: "founder",
      title: "Founders",
      standard: "erc721",
      chainId,
      contract,
      keptUnder: { chainId, contractAddress: contract },
      delegation: "none",
      delegatesMayUse: false,
      requirement: null,
      opens: ["room"],
      ...its,
    };
  });
  const endpoints = sites.map(({ chain, rpc }) => ({ chainId: chain.chainId, rpcUrls: [rpc.url] }));
  const clients = createChainClients(endpoints, { onAnswer: () => {}, onFault: () => {} });
  return createContractFaults(whole, clients, () => nowMs);
}

const leaf = (one: Leaf): Requirement => ({ type: "leaf", leaf: one });
const coin = (contract: Address, isSecret = false): Requirement =>
  leaf({ type: "erc20", contract, chainId: 8453, atLeast: 1n, isSecret });

test("kinds and leaves whose contracts are there have no fault, and are not asked about again for a minute", async () => {
  const owned = leaf({
    type: "erc1155",
    contract: units,
    chainId: 31337,
    tokenId: "1",
    atLeast: 1n,
    isSecret: true,
  });
  const lock = leaf({
    type: "unlock",
    contract: (await deployUnlockLock(sites[1]!.chain, 3_600)).address,
    chainId: 8453,
    isSecret: false,
  });
  const findFaults = makeFaults({}, { requirement: { type: "all", of: [owned, lock] } });
  expect(await findFaults()).toBe(null);
  for (const { rpc } of sites) rpc.posts.length = 0;
  nowMs = 59_999;
  expect(await findFaults()).toBe(null);
  expect(sites.map(({ rpc }) => rpc.posts)).toEqual([[], []]);
  nowMs = 60_000;
  expect(await findFaults()).toBe(null);
  expect(sites.map(({ rpc }) => rpc.posts)).toEqual([["eth_call"], ["eth_call"]]);
});

test("an address that is no contract is named with its kind and its place, of a secret leaf only whose it is", async () => {
  const requirement: Requirement = {
    type: "any",
    of: [coin(nowhere), { type: "not", of: coin(nowhere, true) }],
  };
  const findFaults = makeFaults(
    { contract: nowhere },
    { name: "patron", standard: "membership", contract: null, requirement },
    { name: "unit", contract: units },
    { name: "rented", standard: "erc4907" },
  );
  expect(await findFaults()).toBe(
    [
      `founder: the contract at ${nowhere} on chain 31337 does not exist.`,
      `unit: the contract at ${units} on chain 31337 is not an ERC-721 contract.`,
      `rented: the contract at ${sites[0]!.chain.key.address} on chain 31337 is not an ERC-4907 contract.`,
      `requires.any[0] of patron: the contract at ${nowhere} on chain 8453 does not exist.`,
      "A secret leaf of patron: its contract does not exist.",
    ].join(" "),
  );
});

test("a leaf's contract that does not answer what it is asked is named", async () => {
  const contract = sites[0]!.chain.key.address;
  const at = { contract, chainId: 31337, isSecret: false } as const;
  const of = [
    leaf({ ...at, type: "erc721", contract: units, atLeast: 1n }),
    leaf({ ...at, type: "erc1155", tokenId: "1", atLeast: 1n }),
    leaf({ ...at, type: "unlock" }),
  ];
  expect(await makeFaults({ requirement: { type: "all", of } })()).toBe(
    [
      `also.all[0] of founder: the contract at ${units} on chain 31337 does not answer balanceOf(address).`,
      `also.all[1] of founder: the contract at ${contract} on chain 31337 does not answer balanceOf(address,uint256).`,
      `also.all[2] of founder: the contract at ${contract} on chain 31337 does not answer getHasValidKey(address).`,
    ].join(" "),
  );
});

test("of a secret leaf's contract everybody is told that it is unusable, and not what it is asked", async () => {
  const whole = "requires.all[0] of patron: the contract at";
  const asksFor = (secret: Leaf) => {
    const requirement: Requirement = { type: "all", of: [coin(nowhere), leaf(secret)] };
    return makeFaults({ name: "patron", standard: "membership", contract: null, requirement })();
  };
  const at = { contract: units, chainId: 31337, isSecret: true } as const;
  const told = await Promise.all([
    asksFor({ ...at, type: "erc721", atLeast: 1n }),
    asksFor({ ...at, type: "unlock" }),
    asksFor({ ...at, type: "unlock", contract: nowhere }),
  ]);
  expect(new Set(told).size).toBe(3);
  expect(new Set(told.map((faults) => hideSecretFaults(faults!)))).toEqual(
    new Set([
      `${whole} ${nowhere} on chain 8453 does not exist. A secret leaf of patron: its contract is unusable.`,
    ]),
  );
});

test("at most five faults are named, and a fault is found gone within seconds, the chain not asked before", async () => {
  const { control, viewer, key } = sites[1]!.chain;
  const of = Array.from({ length: 7 }, () => coin(nowhere));
  const findFaults = makeFaults({ requirement: { type: "all", of } });
  expect(await findFaults()).toMatch(/^also\.all\[0\] of .*also\.all\[4\] of founder: .* And 2 more\.$/);
  const bytecode = (await viewer.getCode({ address: key.address }))!;
  await control.setCode({ address: nowhere, bytecode });
  sites[1]!.rpc.posts.length = 0;
  nowMs = 4_999;
  expect(await findFaults()).toMatch(/ And 2 more\.$/);
  expect(sites[1]!.rpc.posts).toEqual([]);
  nowMs = 5_000;
  expect(await findFaults()).toBe(null);
  await control.setCode({ address: nowhere, bytecode: "0x" });
});

test("many contracts are asked about in few calls", async () => {
  const of = Array.from({ length: 200 }, () => coin(sites[1]!.chain.key.address));
  const findFaults = makeFaults({ requirement: { type: "all", of } });
  sites[1]!.rpc.posts.length = 0;
  expect(await findFaults()).toBe(null);
  expect(sites[1]!.rpc.posts.filter((method) => method === "eth_call")).toHaveLength(2);
});

test("a chain that is away is no fault of its contracts, and hides none on another chain", async () => {
  const findFaults = makeFaults({ contract: nowhere, requirement: coin(nowhere) });
  sites[1]!.rpc.setFault("http-500");
  expect(await findFaults()).toBe(`founder: the contract at ${nowhere} on chain 31337 does not exist.`);
});
