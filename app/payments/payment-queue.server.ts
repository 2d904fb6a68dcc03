import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { monotonicClock } from "~/platform/clock";
import { PaymentRefused } from "./payment-refused";
import type { Payer, PaymentStore } from "./payments.store.server";

export type PaymentQueue = ReturnType<typeof createPaymentQueue>;

/**
 * How long a process that was killed keeps others waiting. A turn that outlives it is kept from recording, and what it
 * recorded is seen by the next one, so this is no matter of safety.
 */
const defaultLeaseSeconds = 30;
const maxWaiting = 50;

type CreatePaymentQueueOptions = {
  wallet: Payer;
  store: Pick<PaymentStore, "acquireTurn" | "releaseTurn">;
  pollMs: number;
  leaseSeconds?: number;
  /** When the service stops, nobody waits for a turn any more. */
  signal: AbortSignal;
};

/**
 * One payment at a time: in this process by a queue, among processes by a row in the database. `work` gets the name of
 * its turn, by which the database knows whether it is still its turn.
 */
export function createPaymentQueue({
  wallet,
  store,
  pollMs,
  leaseSeconds = defaultLeaseSeconds,
  signal,
}: CreatePaymentQueueOptions) {
  let tail: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function inTurn<T>(giveUpAtMs: number, work: (turn: string) => Promise<T>): Promise<T> {
    const turn = randomUUID();
    while (!(await store.acquireTurn(wallet, turn, leaseSeconds))) {
      if (signal.aborted || monotonicClock() >= giveUpAtMs) throw busy();
      await delay(pollMs);
    }
    try {
      return await work(turn);
    } finally {
      // Where that fails the lease ends it; what `work` found out must not be lost over it.
      await store.releaseTurn(turn).catch(() => undefined);
    }
  }

  /** `giveUpAtMs` is by the monotonic clock. */
  function enter<T>(giveUpAtMs: number, work: (turn: string) => Promise<T>): Promise<T> {
    if (waiting >= maxWaiting) return Promise.reject(busy());
    waiting += 1;
    const result = tail.then(() => inTurn(giveUpAtMs, work));
    tail = result.catch(() => undefined).finally(() => void (waiting -= 1));
    return result;
  }

  return {
    enter,
    /** Resolves when nothing is being paid any more. */
    drain: async () => void (await tail),
  };
}

function busy(): PaymentRefused {
  return new PaymentRefused(
    "Other payments are being made. Nothing was paid. Try again in a minute with the same idempotencyKey.",
  );
}
