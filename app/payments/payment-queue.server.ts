import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { monotonicClock } from "~/platform/time/clock";
import { PaymentRefused } from "./payment-refused";
import type { Payer, PaymentStore } from "./payments.store.server";

export type PaymentQueue = ReturnType<typeof createPaymentQueue>;

/** After a crash. A later turn records nothing, so safety does not depend on it. */
const defaultTurnSeconds = 30;
const maxWaiting = 50;

type CreatePaymentQueueOptions = {
  wallet: Payer;
  store: Pick<PaymentStore, "acquireTurn" | "releaseTurn">;
  pollMs: number;
  turnSeconds?: number;
  signal: AbortSignal;
};

/** A queue in this process, and a row in the database among processes, which contains the turn's id. */
export function createPaymentQueue({
  wallet,
  store,
  pollMs,
  turnSeconds = defaultTurnSeconds,
  signal,
}: CreatePaymentQueueOptions) {
  let tail: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function inTurn<T>(giveUpAtMs: number, work: (turn: string) => Promise<T>): Promise<T> {
    const turn = randomUUID();
    while (!(await store.acquireTurn(wallet, turn, turnSeconds))) {
      if (signal.aborted || monotonicClock() >= giveUpAtMs) throw busy();
      await delay(pollMs);
    }
    try {
      return await work(turn);
    } finally {
      // If it fails, the turn expires. The result of `work` must not be lost.
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
    drain: async () => void (await tail),
  };
}

function busy(): PaymentRefused {
  return new PaymentRefused(
    "Other payments are being made. Nothing was paid. Try again in a minute with the same idempotencyKey.",
  );
}
