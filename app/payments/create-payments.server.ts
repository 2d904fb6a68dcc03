import type { ChainClient } from "~/platform/chain/chain-client.server";
import type { Database } from "~/platform/database/database.server";
import type { LeaseKeeper } from "~/platform/leases/lease-keeper.server";
import type { Log } from "~/platform/log/log.server";
import type { Metrics } from "~/platform/metrics/metrics.server";
import type { OutboxServices } from "~/platform/outbox/create-outbox.server";
import { systemClock as clock } from "~/platform/time/clock";
import { boundsAt, payKeyHolder } from "./pay-holder.server";
import type { HolderPayment, PaymentDependencies, RequireHolder } from "./pay-holder.server";
import { createPaymentChain } from "./payment-chain.gateway.server";
import { createPaymentFollower } from "./payment-finality.server";
import { createPaymentQueue } from "./payment-queue.server";
import { createPaymentResolver, resolverLease } from "./payment-resolver.server";
import type { readPayments } from "./payments.settings";
import { createPaymentStore } from "./payments.store.server";

const pollMs = 500;
/** Less than the tool may take. */
const waitMs = 40_000;

type Dependencies = {
  /** Null: there is no key to pay with. */
  settings: ReturnType<typeof readPayments>;
  client: ChainClient;
  gate: { requireHolder: RequireHolder };
  leases: Pick<LeaseKeeper, "add">;
  outbox: Pick<OutboxServices, "store" | "wake">;
  database: Database;
  metrics: Pick<Metrics, "observePayments">;
  log: Log;
};

export function createPayments(given: Dependencies) {
  const { settings, client, gate, leases, outbox, database, metrics, log } = given;
  if (settings === null) return null;
  const { privateKey, ...limits } = settings;
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
    // Only in a process that can pay.
    lease: leases.add(resolverLease),
    outbox: outbox.store,
    wakeOutbox: outbox.wake,
  });
  log.info({ payer: chain.address, ...limits }, "payments enabled; keep little in this wallet");
  resolver.start();

  /** Amounts are in millionths of the chain's coin. */
  async function readStatus() {
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
