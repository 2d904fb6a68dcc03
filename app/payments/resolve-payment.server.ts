import { setTimeout as delay } from "node:timers/promises";
import { monotonicClock } from "~/platform/clock";
import type { PaymentDependencies } from "./payment-dependencies.server";
import type { PaymentReceipt } from "./payment-chain.gateway.server";
import { settlePayment } from "./payment-limits.server";
import type { Payment } from "./payments.store.server";

const youngMs = 10 * 60 * 1000;

type Resolution = {
  payment: Payment;
  /** By the monotonic clock. */
  giveUpAtMs: number;
  dependencies: Pick<
    PaymentDependencies,
    "store" | "chain" | "ledger" | "clock" | "pollMs" | "stopSignal" | "log"
  >;
};

/**
 * Hands the recorded transaction to the chain, again if need be, and waits until the chain has decided. Whoever does it,
 * and however often, it is the same transaction. What is still open when the time is up is answered as it was.
 */
export async function resolvePayment({ payment, giveUpAtMs, dependencies }: Resolution): Promise<Payment> {
  const { pollMs, stopSignal } = dependencies;
  if (payment.state !== "signed") return payment;
  const decided =
    (await findDecision({ payment, dependencies })) ?? (await findReplacement({ payment, dependencies }));
  if (decided) return decided;
  await broadcast({ payment, dependencies });
  while (!stopSignal.aborted) {
    const found = await findDecision({ payment, dependencies });
    if (found) return found;
    if (monotonicClock() >= giveUpAtMs) break;
    await delay(pollMs);
  }
  return payment;
}

/** The receipt decides, and nothing else: a refusal can follow on a first broadcast that did arrive. */
async function broadcast({ payment, dependencies }: Omit<Resolution, "giveUpAtMs">): Promise<void> {
  try {
    await dependencies.chain.broadcast(payment.rawTransaction);
  } catch (err) {
    const { transactionHash } = payment;
    dependencies.log.warn({ err, transactionHash }, "a payment could not be handed to the chain");
  }
}

async function findDecision({
  payment,
  dependencies,
}: Omit<Resolution, "giveUpAtMs">): Promise<Payment | null> {
  const receipt = await dependencies.chain.findReceipt(payment.transactionHash);
  return receipt && (await close({ payment, receipt, dependencies }));
}

/**
 * Somebody who has the same key used the nonce for something else, so this transaction will never be carried out. Not
 * believed of a young one, whose receipt an endpoint that lags behind may lack.
 */
async function findReplacement({
  payment,
  dependencies,
}: Omit<Resolution, "giveUpAtMs">): Promise<Payment | null> {
  const { chain, clock } = dependencies;
  if (clock() - payment.createdAtMs < youngMs || !(await chain.isNonceSpent(payment))) return null;
  const receipt = await chain.findReceipt(payment.transactionHash);
  return await close({ payment, receipt, dependencies });
}

async function close({
  payment,
  receipt,
  dependencies: { store, ledger, log },
}: Omit<Resolution, "giveUpAtMs"> & { receipt: PaymentReceipt | null }): Promise<Payment> {
  const { transactionHash, amountWei } = payment;
  const state = receipt?.isPaid ? "paid" : "failed";
  const blockNumber = receipt?.blockNumber ?? null;
  const spentWei = (receipt?.isPaid ? amountWei : 0n) + (receipt?.feeWei ?? 0n);
  // The windows first: after a crash in between, this is done again, and a second settling changes nothing.
  await settlePayment({ reservations: payment, spentWei, ledger });
  if (await store.closePayment({ ref: payment, state, blockNumber })) {
    log.info({ transactionHash, state }, "a payment was decided by the chain");
  }
  return { ...payment, state, blockNumber };
}
