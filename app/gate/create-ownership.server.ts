import { getChainClient } from "~/platform/chain/chain-clients.server";
import type { ChainClients } from "~/platform/chain/chain-clients.server";
import type { readChain } from "~/platform/chain/chain.settings";
import type { Database } from "~/platform/database/database.server";
import type { LeaseKeeper } from "~/platform/leases/lease-keeper.server";
import type { Log } from "~/platform/log/log.server";
import type { KeyMetrics, Metrics } from "~/platform/metrics/metrics.server";
import { monotonicClock, systemClock as clock } from "~/platform/time/clock";
import type { KeyKinds } from "./kinds/kind";
import type { KeyChain } from "./kinds/keys.settings";
import { createJudge } from "./ownership/judge.server";
import type { KeyStore } from "./ownership/keys.store.server";
import { createSettledJudgements } from "./ownership/settled-judgement.server";
import { surveyKinds } from "./ownership/survey.server";
import type { SurveyQuestion } from "./ownership/survey.server";
import { requireMet } from "./tokens/require-met";
import { createChainCursorStore } from "./transfers/chain-cursor.store.server";
import { listChainsToFollow } from "./transfers/followed-chains.server";
import { createTransferWatchers } from "./transfers/transfer-watchers.server";

export type OwnershipDependencies = {
  kinds: KeyKinds;
  chainSettings: ReturnType<typeof readChain>;
  keyChains: readonly KeyChain[];
  chains: ChainClients;
  database: Database;
  leases: Pick<LeaseKeeper, "add">;
  leaseSeconds: number;
  metrics: Pick<Metrics, "countDepartures" | "observeWatcherAge">;
  /** Null where kinds of keys have no names. */
  keyMetrics: Pick<KeyMetrics, "countReading"> | null;
  log: Log;
};

/** The judge reads keys from the chains; watchers end the tokens of keys that left. */
export function createOwnership(keys: KeyStore, given: OwnershipDependencies) {
  const { kinds, chainSettings, keyChains, chains, database, metrics, keyMetrics, log } = given;
  const clientOf = (chainId: number) => getChainClient(chains, chainId);
  const confirmations = new Map(keyChains.map((chain) => [chain.id, chain.keyUseConfirmations]));
  const judge = createJudge({
    clientOf,
    confirmationsOf: (chainId) => confirmations.get(chainId) ?? 0,
    cacheSeconds: chainSettings.ownershipCacheSeconds,
    clock,
    onReading: keyMetrics?.countReading,
  });
  const cursors = createChainCursorStore(database);
  const watchers = createTransferWatchers({
    chains: listChainsToFollow(kinds.list),
    clients: chains,
    cursors,
    pollSeconds: chainSettings.pollSeconds,
    addLease: given.leases.add,
    leaseSeconds: given.leaseSeconds,
    onDepartures: async ({ departures, ...report }) => {
      judge.forget(report, new Set(departures.map(({ tokenId }) => tokenId)));
      metrics.countDepartures(departures.length);
      await keys.recordDepartures({ ...report, departures, departedAtMs: clock() });
    },
    onBlock: judge.noteBlock,
    onReorganisation: judge.forgetChain,
    log,
    clock,
    monotonicClock,
  });
  metrics.observeWatcherAge(...watchers.ages);
  const requireSettled = createSettledJudgements({
    judge,
    clientOf,
    keys,
    findWatchedBlock: (chainId) => cursors.findCursor({ chainId }),
    requireHeld: (judgement, question) => requireMet(question, judgement, kinds),
    clock,
  });
  const survey = (question: SurveyQuestion) =>
    surveyKinds(question, { clientOf, keys, onReading: keyMetrics?.countReading });
  return { judge, watchers, requireSettled, survey };
}
