import type { Clock } from "~/platform/clock";
import type { Log } from "~/platform/log.server";
import type { QuotaLedger } from "~/quota/quota.server";
import type { PaymentChain } from "./payment-chain.gateway.server";
import type { PaymentLane } from "./payment-lane.server";
import type { PaymentLimits } from "./payment-limits.server";
import type { PaymentStore } from "./payments.store.server";

export type PaymentDependencies = {
  store: PaymentStore;
  chain: PaymentChain;
  lane: PaymentLane;
  ledger: QuotaLedger;
  limits: PaymentLimits;
  clock: Clock;
  pollMs: number;
  /** In all: for a turn, for payments that are still open, and for the receipt. */
  waitMs: number;
  /** When the service stops, waiting ends; what is open is taken up at the next start. */
  stopSignal: AbortSignal;
  log: Pick<Log, "info" | "warn">;
};
