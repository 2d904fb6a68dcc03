import type { Caller } from "~/gate/caller.server";
import { systemClock } from "~/platform/clock";
import type { Config } from "~/settings.server";
import type { Log } from "~/platform/log.server";
import { createOrphanSettler } from "~/quota/orphan-settler.server";
import type { QuotaActivity } from "~/quota/quota-activity";
import { leaseMarginSeconds } from "~/quota/quota-lease";
import { requireResetSecret, resetQuotas } from "~/quota/quota-reset.server";
import type { ResetActor, ResetRequest } from "~/quota/quota-reset.server";
import type { QuotaResetAnswer, QuotaResetOrder, QuotaView } from "~/quota/quota.schema";
import { admitAnswer, readQuota } from "~/quota/quota.server";
import type { QuotaAdmission, QuotaDependencies, QuotaLedger } from "~/quota/quota.server";
import type { QuotaKind } from "~/quota/quota-subject";
import type { StateStores } from "./state.server";
import type { Instruments } from "./instrument.server";

export type QuotaServices = {
  activity: QuotaActivity;
  /** For what is counted beside answers. */
  ledgerOf: (kind: QuotaKind) => QuotaLedger;
  /** Throws the refusal `quota-exceeded`. Where the quota is not in force, everybody is admitted and nothing counted. */
  admitAnswer: (request: { caller: Caller | null }) => Promise<QuotaAdmission>;
  readQuota: (request: { caller: Caller }) => Promise<QuotaView>;
  /** Who may reset; throws the refusal of everybody else. */
  identifyReset: (request: ResetRequest) => ResetActor;
  reset: (order: QuotaResetOrder, actor: ResetActor) => Promise<QuotaResetAnswer>;
  stop: () => Promise<void>;
};

type WireQuotaOptions = {
  config: Config;
  state: StateStores;
  instruments: Pick<Instruments, "watchLedger">;
  log: Log;
  instance: string;
};

export async function wireQuota({
  config,
  state: { quota: store, quotaWindows },
  instruments,
  instance,
  log,
}: WireQuotaOptions): Promise<QuotaServices> {
  const clock = systemClock;
  const { chat, chain, quota } = config;
  const { contractAddress, id: chainId } = chain;
  const { activity } = quota;
  log.info(activity, activity.active ? "chat quota active" : "chat quota inactive");
  const dependencies: QuotaDependencies = {
    store: instruments.watchLedger({ ledger: store, kind: "token" }),
    contractAddress,
    activity,
    terms: {
      limit: quota.tokens,
      windowSeconds: quota.windowSeconds,
      maxOutputTokens: chat.maxOutputTokens,
      leaseSeconds: chat.maxDurationSeconds + leaseMarginSeconds,
    },
    clock,
  };
  const resetSettings = {
    secret: quota.resetSecret,
    isQuotaEnabled: quota.enabled,
    isStateActive: config.state.enabled,
  };
  const resetDependencies = {
    windows: quotaWindows,
    place: { chainId, contractAddress },
    log,
  };
  const orphans = createOrphanSettler({
    store,
    clock,
    leaseSeconds: config.database.leaseSeconds,
    instance,
    log,
  });
  await orphans.start();

  return {
    activity,
    ledgerOf: (kind) => instruments.watchLedger({ ledger: store, kind }),
    admitAnswer: ({ caller }) => admitAnswer(caller, dependencies),
    readQuota: ({ caller }) => readQuota(caller, dependencies),
    identifyReset: (request) => requireResetSecret(request, resetSettings, log),
    reset: (order, actor) => resetQuotas({ order, actor, dependencies: resetDependencies }),
    stop: orphans.stop,
  };
}
