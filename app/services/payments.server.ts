import type { Holder } from "~/gate/holder.server";
import { createPaymentChain } from "~/payments/payment-chain.gateway.server";
import { createPaymentLane } from "~/payments/payment-lane.server";
import { createPaymentStore } from "~/payments/payments.store.server";
import { payHolder, resumePayments } from "~/payments/pay-holder.server";
import type { PaymentView } from "~/payments/pay-holder.server";
import type { PaymentDependencies } from "~/payments/payment-dependencies.server";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import { systemClock as clock } from "~/platform/clock";
import type { Config } from "~/platform/config/config.server";
import type { Database } from "~/platform/database/database.server";
import type { Log } from "~/platform/log.server";
import type { GateServices } from "./gate.server";
import type { QuotaServices } from "./quota.server";

export type PaymentServices = {
  /** Pays the holder's own address, after the gate has found that the key is theirs still. */
  pay: (request: {
    holder: Holder;
    amount: string;
    idempotencyKey: string;
    signal: AbortSignal;
  }) => Promise<PaymentView>;
  stop: () => Promise<void>;
};

const pollMs = 500;
/** Less than the tool may take. */
const waitMs = 40_000;

/** Null without a key to pay with. Takes up what the last run left, and does not wait for it. */
export function wirePayments({
  config,
  database,
  chain: client,
  gate,
  quota,
  log,
}: {
  config: Config;
  database: Database;
  chain: ChainClient;
  gate: GateServices;
  quota: QuotaServices;
  log: Log;
}): PaymentServices | null {
  if (config.payments === null) return null;
  const { privateKey, ...limits } = config.payments;
  const shutdown = new AbortController();
  const store = createPaymentStore({ database });
  const chain = createPaymentChain({ client, privateKey });
  const lane = createPaymentLane({
    lane: { chainId: chain.chainId, payer: chain.address },
    store,
    pollMs,
    signal: shutdown.signal,
  });
  const dependencies: PaymentDependencies = {
    ...{ store, chain, lane, limits, clock, pollMs, waitMs, log },
    ledger: quota.ledgerOf("crypto"),
    stopSignal: shutdown.signal,
  };
  log.info({ payer: chain.address, ...limits }, "holders can be paid; fund this wallet with little");
  const resumed = resumePayments({ dependencies });

  return {
    pay: async ({ holder, ...request }) => {
      await gate.requireHolder({ holder, fresh: true });
      return await payHolder({ request: { ...request, recipient: holder.address }, dependencies });
    },
    stop: async () => {
      shutdown.abort();
      await Promise.all([resumed, lane.drain()]);
    },
  };
}
