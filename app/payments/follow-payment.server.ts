import { setTimeout as delay } from "node:timers/promises";
import type { Hex } from "viem";
import { monotonicClock } from "~/platform/clock";
import { lookAtPayment, noteReceipt } from "./look-at-payment.server";
import type { LookDependencies } from "./payment-dependencies.server";
import type { Payment } from "./payments.store.server";

/** `giveUpAtMs` is by the monotonic clock. What is still open then is answered as it was. */
export type PaymentFollower = (payment: Payment, giveUpAtMs: number) => Promise<Payment>;

/** Waits until a payment is in a block. Callers who wait for the same one ask the chain once for all of them. */
export function createPaymentFollower(
  dependencies: LookDependencies & { pollMs: number; stopSignal: AbortSignal },
): PaymentFollower {
  const { chain, pollMs, stopSignal } = dependencies;
  const followed = new Map<Hex, Promise<Payment>>();

  async function follow(payment: Payment, giveUpAtMs: number): Promise<Payment> {
    const looked = await lookAtPayment(payment, dependencies);
    if (looked.state !== "signed") return looked;
    while (!stopSignal.aborted && monotonicClock() < giveUpAtMs) {
      const receipt = await chain.findReceipt(payment.transactionHash);
      const noted = receipt && (await noteReceipt(looked, receipt, dependencies));
      if (noted) return noted;
      await delay(pollMs);
    }
    return looked;
  }

  return async (payment, giveUpAtMs) => {
    if (payment.state !== "signed") return payment;
    const hash = payment.transactionHash;
    const running = followed.get(hash) ?? follow(payment, giveUpAtMs).finally(() => followed.delete(hash));
    followed.set(hash, running);
    return await running;
  };
}
