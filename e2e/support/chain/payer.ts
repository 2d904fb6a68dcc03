import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { Address, Hex } from "viem";
import { createPaymentChain } from "~/payments/payment-chain.gateway.server";
import type { PaymentChain } from "~/payments/payment-chain.gateway.server";
import { createPaymentLane } from "~/payments/payment-lane.server";
import { payHolder, resumePayments } from "~/payments/pay-holder.server";
import type { PaymentDependencies } from "~/payments/payment-dependencies.server";
import { createPaymentStore } from "~/payments/payments.store.server";
import type { Database } from "~/platform/database/database.server";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import { createQuotaStore } from "~/quota/quota.store.server";
import type { TestChain } from "./chain";

export const paymentLimits = {
  maxMicroetherPerCall: 1_000,
  addressMicroether: 100_000,
  addressWindowSeconds: 3_600,
  dailyMicroether: 1_000_000,
};

export async function fundedKey({ chain, ether = 10n }: { chain: TestChain; ether?: bigint }): Promise<Hex> {
  const privateKey = generatePrivateKey();
  await chain.control.setBalance({
    address: privateKeyToAccount(privateKey).address,
    value: ether * 10n ** 18n,
  });
  return privateKey;
}

/** Nobody has been paid there before. */
export function newAddress(): Address {
  return privateKeyToAccount(generatePrivateKey()).address;
}

/** A service that pays, as one process would have it: everything real but what `changes` puts in its place. */
export function createPayer({
  database,
  client,
  privateKey,
  limits = paymentLimits,
  waitMs = 20_000,
  clock = Date.now,
  leaseSeconds,
  changeChain = (chain) => chain,
}: {
  database: Database;
  client: ChainClient;
  privateKey: Hex;
  limits?: typeof paymentLimits;
  waitMs?: number;
  clock?: () => number;
  leaseSeconds?: number;
  changeChain?: (chain: PaymentChain) => PaymentChain;
}) {
  const pollMs = 20;
  const shutdown = new AbortController();
  const store = createPaymentStore({ database });
  const chain = changeChain(createPaymentChain({ client, privateKey }));
  const lane = createPaymentLane({
    lane: { chainId: chain.chainId, payer: chain.address },
    store,
    pollMs,
    ...(leaseSeconds !== undefined && { leaseSeconds }),
    signal: shutdown.signal,
  });
  const ledger = createQuotaStore({ database, clock, instance: "payer" });
  const log = { info: () => undefined, warn: () => undefined };
  const dependencies: PaymentDependencies = {
    ...{ store, chain, lane, ledger, limits, clock, pollMs, waitMs, log },
    stopSignal: shutdown.signal,
  };
  return {
    pollMs,
    store,
    chain,
    ledger,
    shutdown,
    pay: ({ to, amount = "0.0001", key }: { to: Address; amount?: string; key: string }) =>
      payHolder({
        request: { recipient: to, amount, idempotencyKey: key, signal: new AbortController().signal },
        dependencies,
      }),
    resume: () => resumePayments({ dependencies }),
  };
}
