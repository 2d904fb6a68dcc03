import { createChainCursorStore } from "~/gate/transfers/chain-cursor.store.server";
import { listChainsToFollow } from "~/gate/transfers/followed-chains.server";
import { createJudge } from "~/gate/ownership/judge.server";
import { createSettledJudgements } from "~/gate/ownership/settled-judgement.server";
import { surveyKinds } from "~/gate/ownership/survey.server";
import type { SurveyQuestion } from "~/gate/ownership/survey.server";
import { createTransferWatchers } from "~/gate/transfers/transfer-watchers.server";
import type { KeyStore } from "~/gate/ownership/keys.store.server";
import { requireMet } from "~/gate/tokens/require-met";
import { getChainClient } from "~/platform/chain/chain-clients.server";
import { monotonicClock, systemClock } from "~/platform/time/clock";
import type { LeaseKeeper } from "~/platform/leases/lease-keeper.server";
import type { Foundation } from "~/services/foundation.server";

/** What the chains say of keys: the judge, and the watchers that end tokens of keys that left. */
export function wireOwnership(foundation: Foundation, keys: KeyStore, leases: LeaseKeeper) {
  const { config, database, chains, metrics, keyMetrics, log } = foundation;
  const { keys: kinds } = config;
  const clock = systemClock;
  const clientOf = (chainId: number) => getChainClient(chains, chainId);
  const confirmations = new Map(config.chains.map((chain) => [chain.id, chain.keyUseConfirmations]));
  const judge = createJudge({
    clientOf,
    confirmationsOf: (chainId) => confirmations.get(chainId) ?? 0,
    cacheSeconds: config.chain.ownershipCacheSeconds,
    clock,
    onReading: keyMetrics?.countReading,
  });
  const cursors = createChainCursorStore(database);
  const watchers = createTransferWatchers({
    chains: listChainsToFollow(kinds.list),
    clients: chains,
    cursors,
    pollSeconds: config.chain.pollSeconds,
    addLease: leases.add,
    leaseSeconds: config.database.leaseSeconds,
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
  const requireSettled = createSettledJudgements({
    judge,
    clientOf,
    keys,
    findWatchedBlock: async (chainId) => (await cursors.findCursor({ chainId }))?.blockNumber ?? null,
    requireHeld: (judgement, question) => requireMet(question, judgement, kinds),
    clock,
  });
  const survey = (question: SurveyQuestion) =>
    surveyKinds(question, { clientOf, keys, onReading: keyMetrics?.countReading });
  return { judge, watchers, requireSettled, survey };
}
