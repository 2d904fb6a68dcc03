import type { Clock } from "~/platform/clock";
import type { Log } from "~/platform/log.server";
import type { PaymentFollower } from "./follow-payment.server";
import type { PaymentChain } from "./payment-chain.gateway.server";
import type { PaymentQueue } from "./payment-queue.server";
import type { PaymentLimits } from "./payment-limits.server";
import type { PaymentStore } from "./payments.store.server";

/** What it takes to look at a payment and to write down what the chain shows of it. */
export type LookDependencies = {
  store: PaymentStore;
  chain: PaymentChain;
  clock: Clock;
  log: Pick<Log, "info" | "warn">;
};

export type PaymentDependencies = LookDependencies & {
  queue: PaymentQueue;
  limits: PaymentLimits;
  follow: PaymentFollower;
  /** In all: for a turn, for payments that are still open, and for the receipt. */
  waitMs: number;
  /** When the service stops, waiting ends; what is open is taken up at the next start. */
  stopSignal: AbortSignal;
};
