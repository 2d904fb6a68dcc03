import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { Address, Hex } from "viem";
import { createPaymentFollower } from "~/payments/payment-finality.server";
import { createPaymentChain } from "~/payments/payment-chain.gateway.server";
import type { PaymentChain } from "~/payments/payment-chain.gateway.server";
import { createPaymentQueue } from "~/payments/payment-queue.server";
import { boundsAt, payHolder } from "~/payments/pay-holder.server";
import type { PaymentDependencies } from "~/payments/pay-holder.server";
import { createPaymentResolver } from "~/payments/payment-resolver.server";
import { createPaymentStore } from "~/payments/payments.store.server";
import type { Database } from "~/platform/database/database.server";
import type { Lease } from "~/platform/leases/lease";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import { createOutboxStore } from "~/platform/outbox/outbox.store.server";
import type { TestChain } from "./chain";

export const paymentLimits = {
  maxMicroetherPerCall: 1_000,
  addressMicroether: 100_000,
  addressWindowSeconds: 3_600,
  dailyMicroether: 1_000_000,
};

export async function fundedKey(chain: TestChain, ether: bigint = 10n): Promise<Hex> {
  const privateKey = generatePrivateKey();
  await chain.control.setBalance({
    address: privateKeyToAccount(privateKey).address,
    value: ether * 10n ** 18n,
  });
  return privateKey;
}

/** An address without payments. */
export function newAddress(): Address {
  return privateKeyToAccount(generatePrivateKey()).address;
}

type CreatePayerOptions = {
  database: Database;
  client: ChainClient;
  privateKey: Hex;
  limits?: typeof paymentLimits;
  waitMs?: number;
  clock?: () => number;
  turnSeconds?: number;
  lease?: Lease;
  everyMs?: number;
  changeChain?: (chain: PaymentChain) => PaymentChain;
};

/** A paying service, as one process would have it. Everything is real except `changes`. */
export function createPayer({
  database,
  client,
  privateKey,
  limits = paymentLimits,
  waitMs = 20_000,
  clock = Date.now,
  turnSeconds,
  lease,
  everyMs,
  changeChain = (chain) => chain,
}: CreatePayerOptions) {
  const pollMs = 20;
  const shutdown = new AbortController();
  const store = createPaymentStore(database);
  const outbox = createOutboxStore(database, clock, ["webhook"]);
  const chain = changeChain(createPaymentChain(client, privateKey));
  const queue = createPaymentQueue({
    wallet: { chainId: chain.chainId, payer: chain.address },
    store,
    pollMs,
    ...(turnSeconds !== undefined && { turnSeconds }),
    signal: shutdown.signal,
  });
  const told: string[] = [];
  const log = {
    info: () => undefined,
    warn: (_: unknown, message?: string) => void told.push(String(message)),
  };
  const shared = { store, chain, clock, log };
  const follow = createPaymentFollower({ ...shared, pollMs, stopSignal: shutdown.signal });
  const dependencies: PaymentDependencies = {
    ...shared,
    queue,
    limits,
    follow,
    waitMs,
    stopSignal: shutdown.signal,
  };
  const resolver = createPaymentResolver({
    ...shared,
    lease,
    everyMs,
    outbox,
    wakeOutbox: () => undefined,
  });
  /** The current sums of payments to an address and to everybody. */
  async function readSums(to: Address) {
    const { address, total } = boundsAt(limits, clock());
    const { chainId } = chain;
    const sums = await Promise.all([
      store.sum({ chainId, recipient: to, sinceMs: address.sinceMs }),
      store.sum({ chainId, sinceMs: total.sinceMs }),
    ]);
    return { address: sums[0].spent, total: sums[1].spent };
  }
  return {
    pollMs,
    store,
    chain,
    shutdown,
    told,
    resolver,
    readSums,
    pay: ({ to, amount = "0.0001", key }: { to: Address; amount?: string; key: string }) =>
      payHolder(
        { recipient: to, amount, idempotencyKey: key, signal: new AbortController().signal },
        dependencies,
      ),
    /** Checks all open payments, like the resolver's first round. */
    resume: () => createPaymentResolver({ ...shared, outbox, wakeOutbox: () => undefined }).check(),
  };
}
