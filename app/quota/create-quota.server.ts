import type { Caller } from "~/gate/tokens/caller.server";
import { systemClock } from "~/platform/time/clock";
import { createOrphanSettler } from "~/quota/orphan-settler.server";
import { expiryMarginSeconds } from "~/quota/quota-reservation";
import { requireResetSecret, resetQuotas, resetWindow } from "~/quota/quota-reset.server";
import type { ResetActor, ResetRequest } from "~/quota/quota-reset.server";
import type { QuotaResetOrder } from "~/quota/quota.schema";
import { admitAnswer, readQuota } from "~/quota/quota.server";
import type { QuotaDependencies } from "~/quota/quota.server";
import type { ReserveRequest } from "~/quota/reservations.store.server";
import type { QuotaKind, QuotaOwner } from "~/quota/quota-subject";
import type { Foundation } from "~/services/foundation.server";

type GivenReservation = Pick<ReserveRequest, "reservationId">;
export type QuotaServices = Awaited<ReturnType<typeof wireQuota>>;

export async function wireQuota({ config, state, instruments, instance, log }: Foundation) {
  const clock = systemClock;
  const { quota: store, quotaWindows } = state;
  const { chat, quota } = config;
  const { activity } = quota;
  log.info(activity, activity.active ? "chat quota active" : "chat quota inactive");
  const dependencies: QuotaDependencies = {
    store: instruments.instrumentLedger({ ledger: store, kind: "token" }),
    activity,
    terms: {
      limit: quota.tokens,
      windowSeconds: quota.windowSeconds,
      maxOutputTokens: chat.maxOutputTokens,
      expiresInSeconds: chat.maxDurationSeconds + expiryMarginSeconds,
    },
    clock,
  };
  const resetSettings = {
    secret: quota.resetSecret,
    isQuotaEnabled: quota.enabled,
    isStateActive: config.state.enabled,
  };
  const resetDependencies = { windows: quotaWindows, kinds: config.keys, log };
  const orphans = createOrphanSettler({
    store,
    clock,
    heartbeatTimeoutSeconds: config.database.leaseSeconds,
    instance,
    findUsages: state.keptAnswers.findUsages,
    log,
  });
  await orphans.start();

  return {
    activity,
    /** For what is counted beside answers. */
    ledgerOf: (kind: QuotaKind) => instruments.instrumentLedger({ ledger: store, kind }),
    /** Throws the refusal `quota-exceeded`. Where the quota is not in force, everybody is admitted and nothing counted. */
    admitAnswer: ({ caller, ...given }: { caller: Caller | null } & GivenReservation) =>
      admitAnswer(caller, dependencies, given),
    readQuota: ({ caller }: { caller: Caller }) => readQuota(caller, dependencies),
    /** Who may reset; throws the refusal of everybody else. */
    identifyReset: (request: ResetRequest) => requireResetSecret(request, resetSettings, log),
    reset: (order: QuotaResetOrder, actor: ResetActor) => resetQuotas(order, actor, resetDependencies),
    resetWindow: (owner: QuotaOwner, actor: ResetActor) => resetWindow(owner, actor, resetDependencies),
    stop: orphans.stop,
  };
}
