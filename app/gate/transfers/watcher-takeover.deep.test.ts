import { expect, onTestFinished } from "vitest";
import { createChainClients } from "~/platform/chain/chain-clients.server";
import type { Database } from "~/platform/database/database.server";
import { createLeaseKeeper } from "~/platform/leases/lease-keeper.server";
import { createLeaseStore } from "~/platform/leases/leases.store.server";
import { startTestChain } from "~e2e/support/chain/chain";
import { openTestDatabase, testOnEachDatabase } from "~e2e/support/databases/database";
import { waitUntil } from "~e2e/support/processes";
import { startRpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import { createKeyStore } from "../ownership/keys.store.server";
import { createChainCursorStore } from "./chain-cursor.store.server";
import { createTransferWatchers } from "./transfer-watchers.server";

const silent = { info: () => {}, warn: () => {} };

async function openChain(chainId: number) {
  const chain = await startTestChain({ chainId });
  onTestFinished(chain.stop);
  const rpc = await startRpcFaultServer(chain.rpcUrl);
  onTestFinished(rpc.stop);
  return { chain, rpc };
}
type Site = Awaited<ReturnType<typeof openChain>>;

/** One of several processes on a database; `isBehindFaults`: its endpoints can go away. */
function makeProcess(on: Database, owner: string, sites: readonly Site[], isBehindFaults: boolean) {
  const keeper = createLeaseKeeper({
    store: createLeaseStore(on),
    owner,
    leaseSeconds: 3,
    log: silent as never,
  });
  const keys = createKeyStore(on);
  const endpoints = sites.map(({ chain, rpc }) => {
    return { chainId: chain.chainId, rpcUrls: [isBehindFaults ? rpc.url : chain.rpcUrl] };
  });
  const watchers = createTransferWatchers({
    chains: sites.map(({ chain }) => ({
      chainId: chain.chainId,
      contracts: [{ contractAddress: chain.key.address, standard: "erc721" }],
    })),
    clients: createChainClients(endpoints, { timeoutMs: 1_000, onAnswer: () => {}, onFault: () => {} }),
    cursors: createChainCursorStore(on),
    addLease: keeper.add,
    leaseSeconds: 3,
    pollSeconds: 0.05,
    clock: Date.now,
    monotonicClock: () => performance.now(),
    onDepartures: (report) => keys.recordDepartures({ ...report, departedAtMs: Date.now() }),
    onBlock: () => {},
    onReorganisation: () => {},
    log: silent,
  });
  onTestFinished(async () => {
    await watchers.stop();
    await keeper.stop();
  });
  return { keeper, watchers };
}

async function sellKey({ chain }: Site): Promise<void> {
  const tokenId = await chain.mintKey(1);
  await chain.transferKey({ tokenId, from: 1, to: chain.addressOf(2) });
}

testOnEachDatabase(
  "a process whose endpoints of one chain all fail leaves that chain to another, and goes on with the others",
  async ({ database, url }) => {
    const sites = await Promise.all([openChain(31337), openChain(31338)]);
    const [away, other] = sites;
    const first = makeProcess(database, "a", sites, true);
    await first.keeper.start();
    first.watchers.start();
    await waitUntil(() => first.watchers.statuses().every(({ blockNumber }) => blockNumber !== null));
    const second = makeProcess(await openTestDatabase(url), "b", sites, false);
    await second.keeper.start();
    second.watchers.start();
    expect(second.keeper.readHeld()).toEqual({ watcher: false, "watcher:31338": false });

    away.rpc.setFault("http-500");
    await sellKey(away);
    await sellKey(other);
    await waitUntil(async () => (await database.keyDeparture.count()) === 2, { timeoutMs: 15_000 });
    expect(second.keeper.readHeld()).toEqual({ watcher: true, "watcher:31338": false });
    expect(first.keeper.readHeld()).toEqual({ watcher: false, "watcher:31338": true });
  },
  60_000,
);
