import type { Caller } from "~/gate/caller.server";
import { systemClock } from "~/platform/clock";
import type { Config } from "~/platform/config/config.server";
import type { Log } from "~/platform/log.server";
import { isInstanceGone } from "~/quota/instance.server";
import { createOrphanSettler } from "~/quota/orphan-settler.server";
import { describeQuotaActivity } from "~/quota/quota-activity";
import type { QuotaActivity } from "~/quota/quota-activity";
import { resetByRequest } from "~/quota/quota-reset.server";
import type { ResetRequest } from "~/quota/quota-reset.server";
import type { QuotaResetAnswer, QuotaView } from "~/quota/quota.schema";
import { admitAnswer, readQuota } from "~/quota/quota.server";
import type { QuotaAdmission, QuotaDependencies, QuotaLedger } from "~/quota/quota.server";
import type { QuotaKind } from "~/quota/quota-subject";
import type { StateStores } from "./state.server";
import type { Watch } from "./watch.server";

export type QuotaServices = {
  activity: QuotaActivity;
  /** For what is counted beside answers. */
  ledgerOf: (kind: QuotaKind) => QuotaLedger;
  /** Throws the refusal `quota-exceeded`. Where the quota is not in force, everybody is admitted and nothing counted. */
  admitAnswer: (request: { caller: Caller | null }) => Promise<QuotaAdmission>;
  readQuota: (request: { caller: Caller }) => Promise<QuotaView>;
  resetByRequest: (request: ResetRequest) => Promise<QuotaResetAnswer>;
  stop: () => Promise<void>;
};

/** Beyond the longest answer: for its start, its end, and clocks that disagree. */
const leaseMarginSeconds = 60;
const orphanIntervalSeconds = 15;

export async function wireQuota({
  config,
  state: { quota: store, quotaWindows },
  instance,
  watch,
  log,
}: {
  config: Config;
  state: StateStores;
  /** The name of this process. */
  instance: string;
  watch: Pick<Watch, "watchLedger">;
  log: Log;
}): Promise<QuotaServices> {
  const clock = systemClock;
  const { conversation, chain } = config;
  const { contractAddress, id: chainId } = chain;
  const activity = describeQuotaActivity({
    isJwtRequired: conversation.requiresJwt,
    isStateActive: config.state.enabled,
    isQuotaEnabled: conversation.quota.enabled,
  });
  log.info(activity, activity.active ? "the chat quota is active" : "the chat quota is not active");
  const dependencies: QuotaDependencies = {
    store: watch.watchLedger({ ledger: store, kind: "token" }),
    contractAddress,
    activity,
    terms: {
      limit: conversation.quota.tokens,
      windowSeconds: conversation.quota.windowSeconds,
      maxOutputTokens: conversation.maxOutputTokens,
      leaseSeconds: conversation.maxDurationSeconds + leaseMarginSeconds,
    },
    clock,
  };
  const resetSettings = {
    secret: conversation.quota.resetSecret,
    isQuotaEnabled: conversation.quota.enabled,
    isStateActive: config.state.enabled,
  };
  const resetDependencies = {
    windows: quotaWindows,
    place: { chainId, contractAddress },
    log,
  };
  const orphans = createOrphanSettler({
    store,
    isGone: (other) => isInstanceGone({ instance: other, self: instance }),
    clock,
    intervalSeconds: orphanIntervalSeconds,
    log,
  });
  await orphans.start();

  return {
    activity,
    ledgerOf: (kind) => watch.watchLedger({ ledger: store, kind }),
    admitAnswer: ({ caller }) => admitAnswer({ caller, dependencies }),
    readQuota: ({ caller }) => readQuota({ caller, dependencies }),
    resetByRequest: (request) =>
      resetByRequest({ request, settings: resetSettings, dependencies: resetDependencies }),
    stop: orphans.stop,
  };
}
