import { getChainClient } from "~/platform/chain/chain-clients.server";
import type { ChainClients } from "~/platform/chain/chain-clients.server";
import type { WatchedBlock } from "~/platform/chain/seen-block";
import type { Clock } from "~/platform/time/clock";
import type { Lease } from "~/platform/leases/lease";
import type { ChainCursorStore } from "./chain-cursor.store.server";
import { createTransferWatcher, watcherLease } from "./transfer-watcher.server";
import type { DepartureReport, TransferWatcherOptions } from "./transfer-watcher.server";
import type { KeyKind } from "../kinds/kind";
import { placeLeaves } from "../kinds/requirement";
import type { TokenContract } from "./key-transfers.gateway.server";

/** The cursor's contract on chains without one. */
const noContract = "*";

type TransferWatchersOptions = Pick<TransferWatcherOptions, "pollSeconds" | "log"> & {
  /** At least one. */
  chains: readonly ChainToFollow[];
  clients: ChainClients;
  cursors: ChainCursorStore;
  addLease: (name: string) => Lease;
  leaseSeconds: number;
  clock: Clock;
  /** For durations. */
  monotonicClock: Clock;
  onDepartures: (report: DepartureReport & { chainId: number }) => Promise<void> | void;
  onBlock: (chainId: number, block: WatchedBlock) => void;
  onReorganisation: (chainId: number) => void;
};

/** One watcher and lease for each chain, so that an outage stops only its own. */
export function createTransferWatchers(options: TransferWatchersOptions) {
  const watchers = options.chains.map((chain, index) => makeWatcher(chain, index, options));
  return {
    chainIds: options.chains.map(({ chainId }) => chainId),
    /** `chainId` is omitted for a single chain. */
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

type ChainToFollow = { chainId: number; contracts: readonly TokenContract[] };

/** In the order of the kinds. Chains of leaves alone are followed for their blocks, which expire readings. */
export function listChainsToFollow(kinds: readonly KeyKind[]): ChainToFollow[] {
  const chains = new Map<number, Map<string, TokenContract>>();
  const contractsOn = (chainId: number) => {
    const contracts = chains.get(chainId) ?? new Map<string, TokenContract>();
    chains.set(chainId, contracts);
    return contracts;
  };
  for (const { chainId, contract, standard } of kinds) {
    const contracts = contractsOn(chainId);
    if (contract === null || standard === "membership") continue;
    // Kinds may share a contract, which may support both standards.
    const name = `${contract.toLowerCase()}:${standard === "erc1155"}`;
    if (!contracts.has(name)) contracts.set(name, { contractAddress: contract, standard });
  }
  for (const { leaf } of kinds.flatMap(placeLeaves)) if (leaf.type !== "addresses") contractsOn(leaf.chainId);
  return [...chains].map(([chainId, contracts]) => ({ chainId, contracts: [...contracts.values()] }));
}

/** Allows for some failed polls and their backoff. */
const patienceSeconds = 60;

type CreateWatcherAgeOptions = {
  findCursorAgeMs: () => Promise<number | null>;
  /** Only with several chains. */
  chainId?: number;
  pollSeconds: number;
  leaseSeconds: number;
  clock: Clock;
};

/** Any process can report the age of the cursor in the database. */
export function createWatcherAge(options: CreateWatcherAgeOptions) {
  const { findCursorAgeMs, chainId, pollSeconds, leaseSeconds, clock } = options;
  const where = chainId === undefined ? "" : ` on chain ${chainId}`;
  const startedAtMs = clock();
  /** Includes two polls and the time to replace a dead process. */
  const allowedSeconds = patienceSeconds + 2 * pollSeconds + leaseSeconds;

  async function readSeconds(): Promise<number> {
    return ((await findCursorAgeMs()) ?? clock() - startedAtMs) / 1_000;
  }

  async function judge(): Promise<{ fault: string | null; ageSeconds: number }> {
    const ageSeconds = Math.round(await readSeconds());
    const fault = `Nobody has read the transfers of keys${where} for ${ageSeconds} s. Requests still read the chain.`;
    return { fault: ageSeconds > allowedSeconds ? fault : null, ageSeconds };
  }

  return { readSeconds, allowedSeconds, judge };
}
