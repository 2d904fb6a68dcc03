import { createPaymentFollower } from "~/payments/payment-finality.server";
import { createPaymentChain } from "~/payments/payment-chain.gateway.server";
import { createPaymentQueue } from "~/payments/payment-queue.server";
import { createPaymentStore } from "~/payments/payments.store.server";
import { createPaymentResolver, resolverLease } from "~/payments/payment-resolver.server";
import { boundsAt } from "~/payments/payment-limits.server";
import { payKeyHolder } from "~/payments/pay-holder.server";
import type { HolderPayment, PaymentDependencies } from "~/payments/pay-holder.server";
import { systemClock as clock } from "~/platform/time/clock";
import type { LeaseKeeper } from "~/platform/leases/lease-keeper.server";
import type { Foundation } from "~/services/foundation.server";
import type { GateServices } from "~/gate/create-gate.server";
import type { OutboxServices } from "~/platform/outbox/create-outbox.server";

export type PaymentServices = NonNullable<ReturnType<typeof wirePayments>>;

/** What operators ask. Amounts are in millionths of the chain's coin. */
export type PaymentStatus = { open: number; oldestOpenMs: number | null; spent: number; dailyLimit: number };

const pollMs = 500;
/** Less than the tool may take. */
const waitMs = 40_000;

type PaymentNeeds = { gate: GateServices; outbox: OutboxServices; leases: LeaseKeeper };

/** Null without a key to pay with. */
export function wirePayments(foundation: Foundation, { gate, outbox, leases }: PaymentNeeds) {
  const { config, database, chain: client, metrics, log } = foundation;
  if (config.payments === null) return null;
  const { privateKey, ...limits } = config.payments;
  const shutdown = new AbortController();
  const stopSignal = shutdown.signal;
  const store = createPaymentStore(database);
  const chain = createPaymentChain(client, privateKey);
  const payer = { chainId: chain.chainId, payer: chain.address };
  const queue = createPaymentQueue({ wallet: payer, store, pollMs, signal: stopSignal });
  const shared = { store, chain, clock, log };
  const follow = createPaymentFollower({ ...shared, pollMs, stopSignal });
  const dependencies: PaymentDependencies = { ...shared, queue, limits, follow, waitMs, stopSignal };
  const resolver = createPaymentResolver({
    ...shared,
    // Not in a process that cannot pay: it must not keep the work from one that can.
    lease: leases.add(resolverLease),
    outbox: outbox.store,
    wakeOutbox: outbox.sender.wake,
  });
  log.info({ payer: chain.address, ...limits }, "payments enabled; keep little in this wallet");
  resolver.start();

  async function readStatus(): Promise<PaymentStatus> {
    const { sinceMs } = boundsAt(limits, clock()).total;
    const [{ count, oldestAtMs }, { spent }] = await Promise.all([
      store.readOpen(),
      store.sum({ chainId: chain.chainId, sinceMs }),
    ]);
    const oldestOpenMs = oldestAtMs === null ? null : Math.max(0, clock() - oldestAtMs);
    return { open: count, oldestOpenMs, spent, dailyLimit: limits.dailyMicroether };
  }
  metrics.observePayments(readStatus);

  return {
    pay: (payment: HolderPayment) => payKeyHolder(payment, gate.requireHolder, dependencies),
    readStatus,
    stop: async () => {
      shutdown.abort();
      await Promise.all([resolver.stop(), queue.drain()]);
    },
  };
}
