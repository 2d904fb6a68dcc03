import type { Caller } from "~/gate/tokens/caller.server";
import { keyRefOf } from "~/gate/kinds/kind";
import type { Clock } from "~/platform/time/clock";
import type { QuotaActivity } from "./quota.settings";
import { quotaExceeded, quotaHeaders } from "./quota-headers";
import type { QuotaView } from "./quota.schema";
import type { QuotaStanding, QuotaStore, ReserveRequest, Usage } from "./quota.store.server";
import { ownerOfKey } from "./quota-subject";
import type { QuotaKind, QuotaOwner } from "./quota-subject";
import type { Metrics } from "~/platform/metrics/metrics.server";

/** For other features. */
export type QuotaLedger = Pick<QuotaStore, "reserve" | "settle" | "readStanding">;

export type QuotaDependencies = {
  store: QuotaLedger;
  activity: QuotaActivity;
  terms: {
    limit: number;
    windowSeconds: number;
    /** The longest possible reply. */
    maxOutputTokens: number;
    /** `expiryMarginSeconds` longer than any reply can take. */
    expiresInSeconds: number;
  };
  clock: Clock;
};

/** `maxOutputTokens` bounds the reply; `settle` records its real length. */
type QuotaAdmission = {
  reservation: {
    maxOutputTokens: number;
    settle: (usage: Omit<Usage, "reservationId">) => Promise<void>;
  };
  headers: Record<string, string>;
};

/** Reserves tokens for one reply, or refuses. */
export async function admitAnswer(
  caller: Caller | null,
  dependencies: QuotaDependencies,
  given: Pick<ReserveRequest, "reservationId"> = {},
): Promise<QuotaAdmission> {
  const { store, terms, activity, clock } = dependencies;
  if (!activity.active) {
    return {
      reservation: { maxOutputTokens: terms.maxOutputTokens, settle: () => Promise.resolve() },
      headers: {},
    };
  }
  if (caller === null) throw new Error("The quota is active, but the request has no caller to count for.");
  const outcome = await store.reserve({
    owner: ownerOfCaller(caller),
    wanted: terms.maxOutputTokens,
    ...given,
    ...terms,
  });
  if (outcome.outcome === "exhausted") {
    throw quotaExceeded({
      explanation: `This key has used its ${terms.limit} tokens.`,
      counted: { unit: "tokens", work: "answers" },
      figures: { ...outcome, limit: terms.limit },
      nowMs: clock(),
    });
  }
  const { reservationId, amount } = outcome;
  return {
    reservation: {
      maxOutputTokens: amount,
      settle: async (usage) => void (await store.settle({ reservationId, ...usage })),
    },
    headers: quotaHeaders(outcome),
  };
}

/** If the quota is inactive, nothing is looked up. */
export async function readQuota(caller: Caller, dependencies: QuotaDependencies): Promise<QuotaView> {
  const { activity, store, terms } = dependencies;
  const { limit } = terms;
  const standing: QuotaStanding = activity.active
    ? await store.readStanding({ owner: ownerOfCaller(caller), limit })
    : { limit, used: 0, reserved: 0, remaining: limit, resetAtMs: null };
  const { resetAtMs, ...figures } = standing;
  return {
    active: activity.active,
    ...figures,
    resetAt: resetAtMs === null ? null : new Date(resetAtMs).toISOString(),
  };
}

function ownerOfCaller({ claims, keyKind }: Caller): QuotaOwner {
  return ownerOfKey(keyRefOf(keyKind, claims.tokenId));
}

export type LedgerMetrics = Pick<Metrics, "countQuota">;

export function instrumentLedger(ledger: QuotaLedger, kind: QuotaKind, metrics: LedgerMetrics): QuotaLedger {
  function count(step: "reserved" | "settled" | "refused", amount: number): void {
    metrics.countQuota({ kind, step, amount });
  }
  return {
    ...ledger,
    async reserve(request) {
      const outcome = await ledger.reserve(request);
      if (outcome.outcome === "exhausted") count("refused", 1);
      else count("reserved", outcome.amount);
      return outcome;
    },
    async settle(request) {
      const isSettled = await ledger.settle(request);
      if (isSettled) count("settled", Math.max(0, Math.ceil(request.usedTokens)));
      return isSettled;
    },
  };
}
