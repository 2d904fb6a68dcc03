import { getChainClient } from "~/platform/chain/chain-clients.server";
import type { ChainClients } from "~/platform/chain/chain-clients.server";
import type { WatchedBlock } from "~/platform/chain/seen-block";
import type { Clock } from "~/platform/time/clock";
import type { Lease } from "~/platform/leases/lease";
import type { ChainCursorStore } from "./chain-cursor.store.server";
import type { ChainToFollow } from "./followed-chains.server";
import { createTransferWatcher, watcherLease } from "./transfer-watcher.server";
import type { DepartureReport, TransferWatcherOptions } from "./transfer-watcher.server";
import { createWatcherAge } from "./watcher-age.server";

/** The row's name for chains on which no contract is followed. */
const noContract = "*";

export type TransferWatchersOptions = Pick<TransferWatcherOptions, "pollSeconds" | "log"> & {
  /** At least one. */
  chains: readonly ChainToFollow[];
  clients: ChainClients;
  cursors: ChainCursorStore;
  addLease: (name: string) => Lease;
  leaseSeconds: number;
  clock: Clock;
  /** For how long ago something was. */
  monotonicClock: Clock;
  onDepartures: (report: DepartureReport & { chainId: number }) => Promise<void> | void;
  onBlock: (chainId: number, block: WatchedBlock) => void;
  onReorganisation: (chainId: number) => void;
};

/** A watcher for each chain, with a lease of its own: where one chain is away, the others are read on. */
export function createTransferWatchers(options: TransferWatchersOptions) {
  const watchers = options.chains.map((chain, index) => makeWatcher(chain, index, options));
  return {
    chainIds: options.chains.map(({ chainId }) => chainId),
    /** In the order of the chains; `chainId` is left out where there is one. */
    ages: watchers.map(({ age, ofChain }) => ({ ...age, ...ofChain })),
    statuses: () => watchers.map(({ watcher, ofChain }) => ({ ...watcher.status(), ...ofChain })),
    pollOnce: () => Promise.all(watchers.map(({ watcher }) => watcher.pollOnce())),
    start(): void {
      for (const { watcher } of watchers) watcher.start();
    },
    async stop(): Promise<void> {
      await Promise.all(watchers.map(({ watcher }) => watcher.stop()));
    },
  };
}

function makeWatcher({ chainId, contracts }: ChainToFollow, index: number, options: TransferWatchersOptions) {
  const { cursors, pollSeconds, leaseSeconds, clock, monotonicClock } = options;
  const areSeveral = options.chains.length > 1;
  const ofChain: { chainId?: number } = areSeveral ? { chainId } : {};
  const cursorRow = { chainId, contractAddress: contracts[0]?.contractAddress ?? noContract };
  const age = createWatcherAge({
    findCursorAgeMs: () => cursors.findCursorAgeMs({ chainId }),
    ...ofChain,
    pollSeconds,
    leaseSeconds,
    clock: monotonicClock,
  });
  const watcher = createTransferWatcher({
    client: getChainClient(options.clients, chainId),
    contracts,
    pollSeconds,
    cursor: {
      load: () => cursors.findCursor({ chainId }),
      save: (cursor, hold) => cursors.saveCursor(cursorRow, cursor, hold),
    },
    onDepartures: (report) => options.onDepartures({ ...report, chainId }),
    onBlock: (block) => options.onBlock(chainId, block),
    onReorganisation: () => options.onReorganisation(chainId),
    lease: options.addLease(index === 0 ? watcherLease : `${watcherLease}:${chainId}`),
    log: {
      info: (fields, text) => options.log.info({ ...ofChain, ...fields }, text),
      warn: (fields, text) => options.log.warn({ ...ofChain, ...fields }, text),
    },
    clock,
  });
  return { ofChain, age, watcher };
}
