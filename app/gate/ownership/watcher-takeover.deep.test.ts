import { expect, onTestFinished } from "vitest";
import { createChainClient } from "~/platform/chain/chain-client.server";
import type { Database } from "~/platform/database/database.server";
import { createLeaseKeeper } from "~/platform/leases/lease-keeper.server";
import { createLeaseStore } from "~/platform/leases/leases.store.server";
import { startTestChain } from "~e2e/support/chain/chain";
import { openTestDatabase, testOnEachDatabase } from "~e2e/support/databases/database";
import { waitUntil } from "~e2e/support/processes";
import { startRpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import { createChainCursorStore } from "./chain-cursor.store.server";
import { createKeyStore } from "../keys/keys.store.server";
import { createTransferWatcher, watcherLease } from "./transfer-watcher.server";

const silent = { info: () => {}, warn: () => {} };

testOnEachDatabase(
  "a process whose endpoints all fail leaves watching to another, and departures are recorded again",
  async ({ database, url }) => {
    const chain = await startTestChain();
    onTestFinished(chain.stop);
    const rpc = await startRpcFaultServer(chain.rpcUrl);
    onTestFinished(rpc.stop);
    const { chainId } = chain;
    const contractAddress = chain.key.address;

    function makeProcess(on: Database, owner: string, rpcUrl: string) {
      const keeper = createLeaseKeeper({
        store: createLeaseStore(on),
        owner,
        leaseSeconds: 3,
        log: silent as never,
      });
      const [cursors, keys] = [createChainCursorStore(on), createKeyStore(on)];
      const contract = { chainId, contractAddress };
      const watcher = createTransferWatcher({
        client: createChainClient({ rpcUrls: [rpcUrl], chainId, timeoutMs: 1_000 }),
        contracts: [{ contractAddress, standard: "erc721" }],
        pollSeconds: 0.05,
        clock: Date.now,
        log: silent,
        cursor: {
          load: () => cursors.findCursor(contract),
          save: (cursor, hold) => cursors.saveCursor(contract, cursor, hold),
        },
        onDepartures: (report) => keys.recordDepartures({ chainId, ...report, departedAtMs: Date.now() }),
        onBlock: () => {},
        lease: keeper.add(watcherLease),
      });
      onTestFinished(async () => {
        await watcher.stop();
        await keeper.stop();
      });
      return { keeper, watcher };
    }

    const first = makeProcess(database, "a", rpc.url);
    await first.keeper.start();
    first.watcher.start();
    await waitUntil(() => first.watcher.status().blockNumber !== null);
    const other = await openTestDatabase(url);
    const second = makeProcess(other, "b", chain.rpcUrl);
    await second.keeper.start();
    second.watcher.start();
    expect(second.keeper.readHeld()).toEqual({ watcher: false });

    rpc.setFault("http-500");
    const tokenId = await chain.mintKey(1);
    await chain.transferKey({ tokenId, from: 1, to: chain.addressOf(2) });
    await waitUntil(async () => (await database.keyDeparture.count()) === 1, { timeoutMs: 15_000 });
    expect(second.keeper.readHeld()).toEqual({ watcher: true });
  },
  30_000,
);
