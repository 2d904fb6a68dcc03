import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import type { Abi, Address } from "viem";
import { createChainClients } from "~/platform/chain/chain-clients.server";
import type { Database } from "~/platform/database/database.server";
import { createLeaseKeeper } from "~/platform/leases/lease-keeper.server";
import { createLeaseStore } from "~/platform/leases/leases.store.server";
import { startTestChain } from "~e2e/support/chain/chain";
import type { TestChain } from "~e2e/support/chain/chain";
import { startRpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import type { RpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import { createSqliteTestDatabase, testOnEachDatabase } from "~e2e/support/databases/database";
import { waitUntil } from "~e2e/support/processes";
import { createKeyStore } from "../ownership/keys.store.server";
import { createChainCursorStore } from "./chain-cursor.store.server";
import type { TokenContract } from "./key-transfers.gateway.server";
import { createTransferWatchers } from "./transfer-watchers.server";

type ChainToFollow = Parameters<typeof createTransferWatchers>[0]["chains"][number];

type Contract = { address: Address; abi: Abi };
type Site = { chain: TestChain; rpc: RpcFaultServer; single: Contract; units: Contract };

const chainIds = [31337, 31338, 31339] as const;
let sites: Site[];

async function openSite(chainId: number): Promise<Site> {
  const chain = await startTestChain({ chainId });
  const rpc = await startRpcFaultServer(chain.rpcUrl);
  const units = await chain.deploy({ contractName: "MultiKey" });
  return { chain, rpc, single: chain.key, units };
}

beforeAll(async () => {
  sites = await Promise.all(chainIds.map(openSite));
});
afterAll(async () => {
  for (const { rpc, chain } of sites) {
    await rpc.stop();
    await chain.stop();
  }
});
beforeEach(() => {
  for (const { rpc } of sites) {
    rpc.setFault("none");
    rpc.setNewestBlock(null);
    rpc.posts.length = 0;
  }
});

const [seller, buyer] = [1, 2];
const keyOf = (site: Site): TokenContract => ({ contractAddress: site.single.address, standard: "erc721" });
const onlyKeys = (): ChainToFollow[] =>
  sites.map((site) => ({ chainId: site.chain.chainId, contracts: [keyOf(site)] }));
const logRequests = ({ rpc }: Site) => rpc.posts.filter((method) => method === "eth_getLogs").length;

/** The same code at another address. */
async function copy({ chain }: Site, { address, abi }: Contract, number: number): Promise<Contract> {
  const bytecode = (await chain.viewer.getCode({ address })) ?? "0x";
  const copied: Address = `0x${(0xc0de0000 + number).toString(16).padStart(40, "0")}`;
  await chain.control.setCode({ address: copied, bytecode });
  return { address: copied, abi };
}

async function sellKey({ chain, single }: Site, contract = single): Promise<string> {
  const tokenId = await chain.mintKey(seller, contract);
  const args = [chain.addressOf(seller), chain.addressOf(buyer), BigInt(tokenId)];
  await chain.send({ ...contract, functionName: "transferFrom", args, from: seller });
  return tokenId;
}

async function sellUnits({ chain }: Site, contract: Contract, id: bigint): Promise<void> {
  const [from, to] = [chain.addressOf(seller), chain.addressOf(buyer)];
  await chain.send({ ...contract, functionName: "mint", args: [from, id, 1n], from: 0 });
  await chain.send({
    ...contract,
    functionName: "safeTransferFrom",
    args: [from, to, id, 1n, "0x"],
    from: seller,
  });
}

type ProcessOptions = { database: Database; chains?: ChainToFollow[]; owner?: string; leaseSeconds?: number };

async function startProcess(options: ProcessOptions) {
  const { database, chains = onlyKeys(), owner = "a", leaseSeconds = 10 } = options;
  const said: object[] = [];
  const reorganised: number[] = [];
  const keeper = createLeaseKeeper({
    store: createLeaseStore(database),
    owner,
    leaseSeconds,
    log: { info: () => {}, warn: () => {} } as never,
  });
  const keys = createKeyStore(database);
  const endpoints = sites.map(({ chain, rpc }) => ({ chainId: chain.chainId, rpcUrls: [rpc.url] }));
  const watchers = createTransferWatchers({
    chains,
    clients: createChainClients(endpoints, { onAnswer: () => {}, onFault: () => {} }),
    cursors: createChainCursorStore(database),
    addLease: keeper.add,
    leaseSeconds,
    pollSeconds: 0.05,
    clock: Date.now,
    monotonicClock: () => performance.now(),
    onDepartures: (report) => keys.recordDepartures({ ...report, departedAtMs: Date.now() }),
    onBlock: () => {},
    onReorganisation: (chainId) => void reorganised.push(chainId),
    log: { info: (fields) => void said.push(fields), warn: (fields) => void said.push(fields) },
  });
  onTestFinished(async () => {
    await watchers.stop();
    await keeper.stop();
  });
  await keeper.start();
  return { watchers, keeper, said, reorganised };
}

async function listDepartures(database: Database) {
  const rows = await database.keyDeparture.findMany();
  return rows.map((row) => [Number(row.chainId), row.contractAddress, row.tokenId, row.holder]);
}

const departure = ({ chain, single }: Site, tokenId: string, contract = single) => [
  chain.chainId,
  contract.address.toLowerCase(),
  tokenId,
  chain.addressOf(seller).toLowerCase(),
];

testOnEachDatabase(
  "fifty contracts on three chains cost one request for logs a chain, and each departure is recorded under its own",
  async ({ database }) => {
    const copies = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const site = sites[index % sites.length]!;
        const isUnits = index % 5 === 0;
        const contract = await copy(site, isUnits ? site.units : site.single, index);
        return { site, contract, isUnits };
      }),
    );
    const chains = sites.map((site) => ({
      chainId: site.chain.chainId,
      contracts: copies
        .filter((one) => one.site === site)
        .map(({ contract, isUnits }): TokenContract => {
          return { contractAddress: contract.address, standard: isUnits ? "erc1155" : "erc721" };
        }),
    }));
    const { watchers, keeper } = await startProcess({ database, chains });
    expect(keeper.readHeld()).toEqual({ watcher: true, "watcher:31338": true, "watcher:31339": true });
    await watchers.pollOnce();
    const expected: unknown[] = [];
    async function sellAllOn(one: Site): Promise<void> {
      for (const { site, contract, isUnits } of copies) {
        if (site !== one) continue;
        if (isUnits) await sellUnits(site, contract, 7n);
        expected.push(departure(site, isUnits ? "7" : await sellKey(site, contract), contract));
      }
    }
    await Promise.all(sites.map(sellAllOn));
    for (const { rpc } of sites) rpc.posts.length = 0;

    await watchers.pollOnce();

    expect(sites.map(logRequests)).toEqual([1, 1, 1]);
    expect(await listDepartures(database)).toHaveLength(50);
    expect(await listDepartures(database)).toEqual(expect.arrayContaining(expected));
    expect(await database.chainCursor.count()).toBe(3);
  },
  60_000,
);

test("while one chain is away the others are read, their leases stay, and its own is left to others", async () => {
  const { database } = await createSqliteTestDatabase();
  const { watchers, keeper, said } = await startProcess({ database, leaseSeconds: 3 });
  await watchers.pollOnce();
  const [first, away, last] = sites as [Site, Site, Site];
  away.rpc.setFault("http-500");
  const missed = await sellKey(away);
  watchers.start();
  await waitUntil(() => keeper.readHeld()["watcher:31338"] === false);
  const sold = [departure(first, await sellKey(first)), departure(last, await sellKey(last))];
  await waitUntil(async () => (await database.keyDeparture.count()) === 2);
  expect(await listDepartures(database)).toEqual(expect.arrayContaining(sold));
  expect(keeper.readHeld()).toEqual({ watcher: true, "watcher:31338": false, "watcher:31339": true });
  expect(said).toEqual([expect.objectContaining({ chainId: 31338 })]);
  const failures = watchers
    .statuses()
    .map(({ chainId, consecutiveFailures }) => [chainId, consecutiveFailures]);
  expect(failures).toEqual([
    [31337, 0],
    [31338, expect.any(Number)],
    [31339, 0],
  ]);
  expect(failures[1]![1]).toBeGreaterThanOrEqual(5);

  away.rpc.setFault("none");
  await waitUntil(async () => (await database.keyDeparture.count()) === 3, { timeoutMs: 15_000 });
  expect(await listDepartures(database)).toContainEqual(departure(away, missed));
  expect(keeper.readHeld()["watcher:31338"]).toBe(true);
}, 30_000);

test("an endpoint of one chain that lags, and a reorganisation there, change nothing on the others", async () => {
  const { database } = await createSqliteTestDatabase();
  const { watchers, reorganised } = await startProcess({ database });
  const [first, other] = sites as [Site, Site];
  await other.chain.control.mine({ blocks: 5 });
  await watchers.pollOnce();
  const blocksRead = () => watchers.statuses().map(({ blockNumber }) => blockNumber);
  const [, otherBlock] = blocksRead();
  other.rpc.setNewestBlock(otherBlock! - 3n);
  const tokenId = await sellKey(first);
  await watchers.pollOnce();
  expect(blocksRead()).toEqual([await first.chain.viewer.getBlockNumber(), otherBlock, expect.anything()]);
  expect(await listDepartures(database)).toEqual([departure(first, tokenId)]);
  expect(reorganised).toEqual([]);

  other.rpc.setNewestBlock(null);
  await other.chain.control.request({ method: "anvil_reorg", params: [2, []] } as never);
  await watchers.pollOnce();
  expect(reorganised).toEqual([31338]);
});

testOnEachDatabase(
  "a database in which one contract was followed is gone on with, and an older version goes on at its row",
  async ({ database }) => {
    const [site] = sites as [Site];
    const { chainId } = site.chain;
    // Past the blocks that are read again after a start.
    await site.chain.control.mine({ blocks: 5 });
    const { number, hash } = await site.chain.viewer.getBlock();
    const cursors = createChainCursorStore(database);
    const before = { chainId, contractAddress: site.single.address };
    await cursors.saveCursor(before, { blockNumber: number, blockHash: hash, blockSeconds: 0n });
    const tokenId = await sellKey(site);
    const added = await copy(site, site.units, 900);
    const addedFirst: TokenContract = { contractAddress: added.address, standard: "erc1155" };
    const chains = (contracts: TokenContract[]) => [{ chainId, contracts }];
    const rowBefore = () =>
      database.chainCursor.findFirst({ where: { contractAddress: site.single.address.toLowerCase() } });

    const { watchers, keeper } = await startProcess({ database, chains: chains([keyOf(site), addedFirst]) });
    await watchers.pollOnce();
    expect(await listDepartures(database)).toEqual([departure(site, tokenId)]);
    const newest = await site.chain.viewer.getBlockNumber();
    expect((await rowBefore())?.blockNumber).toBe(newest);
    await watchers.stop();
    await keeper.stop();

    // With another contract first, the row stays in place, and the chain's cursor goes on from it.
    const reordered = chains([addedFirst, keyOf(site)]);
    const second = await startProcess({ database, chains: reordered, owner: "b" });
    const later = await sellKey(site);
    await second.watchers.pollOnce();
    expect(await listDepartures(database)).toContainEqual(departure(site, later));
    expect((await rowBefore())?.blockNumber).toBe(newest);
    expect((await cursors.findCursor({ chainId }))?.blockNumber).toBe(
      await site.chain.viewer.getBlockNumber(),
    );
  },
);

test("of a contract only the transfers of its own standard count, and a contract that is gone holds up no other", async () => {
  const { database } = await createSqliteTestDatabase();
  const [site] = sites as [Site];
  const [listedAsSingle, gone] = [await copy(site, site.units, 901), await copy(site, site.units, 902)];
  const contracts: TokenContract[] = [
    keyOf(site),
    { contractAddress: listedAsSingle.address, standard: "erc721" },
    { contractAddress: gone.address, standard: "erc1155" },
  ];
  const { watchers } = await startProcess({ database, chains: [{ chainId: site.chain.chainId, contracts }] });
  await watchers.pollOnce();
  await sellUnits(site, listedAsSingle, 5n);
  await sellUnits(site, gone, 6n);
  const tokenId = await sellKey(site);
  await site.chain.control.setCode({ address: gone.address, bytecode: "0x" });
  await site.chain.control.mine({ blocks: 1 });
  await watchers.pollOnce();
  const found = await listDepartures(database);
  expect(found).toHaveLength(2);
  expect(found).toEqual(expect.arrayContaining([departure(site, "6", gone), departure(site, tokenId)]));
});

test("of a chain without contracts only the newest block is read", async () => {
  const { database } = await createSqliteTestDatabase();
  const [site] = sites as [Site];
  const chains = [{ chainId: site.chain.chainId, contracts: [] }];
  const { watchers } = await startProcess({ database, chains });
  await watchers.pollOnce();
  await site.chain.control.mine({ blocks: 20 });
  await watchers.pollOnce();
  expect(watchers.statuses()[0]?.blockNumber).toBe(await site.chain.viewer.getBlockNumber());
  expect(logRequests(site)).toBe(0);
});
