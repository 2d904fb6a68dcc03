import type { ChatConfig } from "~/chat/chat.settings";
import type { KeyKinds } from "~/gate/kinds/kind";
import type { Caller } from "~/gate/tokens/caller.server";
import type { Log } from "~/platform/log/log.server";
import { systemClock as clock } from "~/platform/time/clock";
import { createOrphanSettler } from "./orphan-settler.server";
import { expiryMarginSeconds } from "./quota-headers";
import { requireResetSecret, resetQuotas, resetWindow } from "./quota-reset.server";
import type { ResetActor, ResetDependencies, ResetRequest } from "./quota-reset.server";
import type { QuotaKind, QuotaOwner } from "./quota-subject";
import type { QuotaResetOrder } from "./quota.schema";
import { admitAnswer, instrumentLedger, readQuota } from "./quota.server";
import type { LedgerMetrics, QuotaDependencies } from "./quota.server";
import type { readQuota as readQuotaSettings } from "./quota.settings";
import type { FindUsages, QuotaStore, ReserveRequest } from "./quota.store.server";

type GivenReservation = Pick<ReserveRequest, "reservationId">;
export type QuotaServices = Awaited<ReturnType<typeof createQuota>>;

type Dependencies = {
  settings: ReturnType<typeof readQuotaSettings>;
  chat: Pick<ChatConfig, "maxOutputTokens" | "maxDurationSeconds">;
  isStateActive: boolean;
  kinds: KeyKinds;
  store: QuotaStore;
  windows: ResetDependencies["windows"];
  findUsages: FindUsages;
  heartbeatTimeoutSeconds: number;
  instance: string;
  metrics: LedgerMetrics;
  log: Log;
};

export async function createQuota(given: Dependencies) {
  const { settings, chat, isStateActive, kinds, store, windows, metrics, log } = given;
  const { findUsages, heartbeatTimeoutSeconds, instance } = given;
  const { activity } = settings;
  log.info(activity, activity.active ? "chat quota active" : "chat quota inactive");
  const ledgerOf = (kind: QuotaKind) => instrumentLedger(store, kind, metrics);
  const dependencies: QuotaDependencies = {
    store: ledgerOf("token"),
    activity,
    terms: {
      limit: settings.tokens,
      windowSeconds: settings.windowSeconds,
      maxOutputTokens: chat.maxOutputTokens,
      expiresInSeconds: chat.maxDurationSeconds + expiryMarginSeconds,
    },
    clock,
  };
  const resetSettings = { secret: settings.resetSecret, isQuotaEnabled: settings.enabled, isStateActive };
  const resetDependencies = { windows, kinds, log };
  const orphans = createOrphanSettler({ store, clock, heartbeatTimeoutSeconds, instance, findUsages, log });
  await orphans.start();

  return {
    activity,
    windowSeconds: settings.windowSeconds,
    /** For other units than tokens. */
    ledgerOf,
    /** Throws the refusal `quota-exceeded`. If the quota is inactive, everybody is admitted and nothing counted. */
    admitAnswer: ({ caller, ...reservation }: { caller: Caller | null } & GivenReservation) =>
      admitAnswer(caller, dependencies, reservation),
    readQuota: ({ caller }: { caller: Caller }) => readQuota(caller, dependencies),
    identifyReset: (request: ResetRequest) => requireResetSecret(request, resetSettings, log),
    reset: (order: QuotaResetOrder, actor: ResetActor) => resetQuotas(order, actor, resetDependencies),
    resetWindow: (owner: QuotaOwner, actor: ResetActor) => resetWindow(owner, actor, resetDependencies),
    stop: orphans.stop,
  };
}
