import type { Hex } from "viem";
import { isChainOutage, isRpcRefusal } from "~/platform/chain/chain-client.server";
import type { Lease } from "~/platform/leases/lease";
import type { Outbox } from "~/platform/outbox/outbox.store.server";
import { checkPayment } from "./payment-finality.server";
import type { CheckDependencies } from "./payment-finality.server";
import { paymentOpen } from "./payment-notifications.server";
import type { Payment } from "./payments.store.server";

type PaymentResolverOptions = CheckDependencies & {
  /** Without one, this process checks. */
  lease?: Lease | undefined;
  outbox: Pick<Outbox, "enqueue">;
  wakeOutbox: () => void;
  everyMs?: number | undefined;
};

export const resolverLease = "payments";

/** The operator is notified of an open payment once, after this time. */
const openTooLongMs = 30 * 60 * 1_000;

const shortestPauseMs = 5_000;
const longestPauseMs = 10 * 60 * 1_000;

/** Checks older payments less often, so that an open one costs a few requests an hour. */
function pauseMs({ createdAtMs }: Payment, nowMs: number): number {
  return Math.min(Math.max((nowMs - createdAtMs) / 4, shortestPauseMs), longestPauseMs);
}

/** Resolves payments of all processes that are not final. */
export function createPaymentResolver(options: PaymentResolverOptions) {
  const { store, chain, clock, log, lease, everyMs = shortestPauseMs } = options;
  let checkedAtMs = new Map<Hex, number>();
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  let hasFailed = false;
  let running: Promise<void> | undefined;

  const mayCheck = () => !isStopping && (lease === undefined || lease.findHold() !== null);

  function isDue(payment: Payment): boolean {
    const lastMs = checkedAtMs.get(payment.transactionHash);
    const nowMs = clock();
    return lastMs === undefined || Math.abs(nowMs - lastMs) >= pauseMs(payment, nowMs);
  }

  async function checkDue(): Promise<void> {
    const payments = await store.listUnsettled(chain.chainId);
    const unsettled = new Set(payments.map(({ transactionHash }) => transactionHash));
    checkedAtMs = new Map([...checkedAtMs].filter(([hash]) => unsettled.has(hash)));
    for (const payment of payments.filter(isDue)) {
      if (!mayCheck()) return;
      checkedAtMs.set(payment.transactionHash, clock());
      await reportOpen(await checkOne(payment, options), options);
    }
  }

  async function checkOnce(): Promise<void> {
    if (!mayCheck()) return;
    try {
      await checkDue();
      lease?.noteSuccess();
      if (hasFailed) log.info({}, "open payments checked again");
      hasFailed = false;
    } catch (err) {
      lease?.noteFailure();
      // Once per outage.
      const reason = isChainOutage(err) ? "chain unavailable" : "unexpected error";
      if (!hasFailed) log.warn({ err, reason }, "open payments could not be checked; retrying");
      hasFailed = true;
    }
  }

  /** One round over all due payments. Concurrent callers share it. Never rejects. */
  function check(): Promise<void> {
    running ??= checkOnce().finally(() => (running = undefined));
    return running;
  }

  function schedule(): void {
    if (isStopping) return;
    timer = setTimeout(() => void check().finally(schedule), everyMs);
    timer.unref();
  }

  return {
    check,
    start: () => {
      lease?.onAcquired(() => void check());
      void check();
      schedule();
    },
    stop: async () => {
      isStopping = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** A refusal concerns this payment alone; an outage concerns them all. */
async function checkOne(payment: Payment, dependencies: CheckDependencies): Promise<Payment> {
  try {
    return await checkPayment(payment, dependencies);
  } catch (error) {
    if (!isRpcRefusal(error)) throw error;
    return payment;
  }
}

async function reportOpen(
  payment: Payment,
  { store, clock, log, outbox, wakeOutbox }: PaymentResolverOptions,
): Promise<void> {
  const nowMs = clock();
  const { state, toldAtMs, createdAtMs, transactionHash, nonce } = payment;
  if (state !== "signed" || toldAtMs !== null || nowMs - createdAtMs < openTooLongMs) return;
  const isFirst = await store.markTold(payment, nowMs, (transaction) =>
    outbox.enqueue(transaction, paymentOpen(payment)),
  );
  if (!isFirst) return;
  log.warn({ transactionHash, nonce }, "payment still open: the chain does not show its outcome");
  wakeOutbox();
}
