import type { Metrics } from "~/platform/metrics/metrics.server";
import type { QuotaLedger } from "./quota.server";
import type { QuotaKind } from "./quota-subject";

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
