import { BaseError, formatEther } from "viem";
import type { Address } from "viem";
import { monotonicClock } from "~/platform/clock";
import { isChainOutage } from "~/platform/chain/chain-client.server";
import { toMicroether, toWei } from "./ether";
import { handIn } from "./look-at-payment.server";
import type { PaymentChain, PaymentTerms } from "./payment-chain.gateway.server";
import { boundsAt, refuseExhausted, requireWithinCall } from "./payment-limits.server";
import { PaymentRefused } from "./payment-refused";
import type { Payment, PaymentRef } from "./payments.store.server";
import type { PaymentDependencies } from "./payment-dependencies.server";

/** `recipient` is whoever signed in, as proven by the access token; it never comes from an argument. */
export type PaymentRequest = {
  recipient: Address;
  amount: string;
  idempotencyKey: string;
  signal: AbortSignal;
};

export type PaymentView = {
  status: "paid" | "failed" | "pending";
  amount: string;
  to: string;
  chainId: number;
  transactionHash: string;
  blockNumber: string | null;
  note: string;
};

/** Far more than a plain wallet needs; a contract that wants more would spend it at the payer's cost. */
const maxGas = 500_000n;

/** Pays once for each recipient and idempotency key, however often and in however many processes it is asked. */
export async function payHolder({
  request: { recipient, amount, idempotencyKey, signal },
  dependencies,
}: {
  request: PaymentRequest;
  dependencies: PaymentDependencies;
}): Promise<PaymentView> {
  const { store, chain, queue, waitMs, limits } = dependencies;
  const amountWei = toWei(amount);
  const ref = { chainId: chain.chainId, recipient: recipient.toLowerCase() as Address, idempotencyKey };
  const giveUpAtMs = monotonicClock() + waitMs;
  const known = await store.findPayment({ ref });
  if (known) return await repeat({ payment: known, amountWei, giveUpAtMs, dependencies });
  requireWithinCall(amountWei, limits);
  return await queue.enter({
    giveUpAtMs,
    work: async (turn) => {
      const meanwhile = await store.findPayment({ ref });
      if (meanwhile) return await repeat({ payment: meanwhile, amountWei, giveUpAtMs, dependencies });
      signal.throwIfAborted();
      dependencies.stopSignal.throwIfAborted();
      await requireNothingWaiting(giveUpAtMs, dependencies).catch(refuseAsUnconfirmed);
      const order = { ref, amountWei, turn, giveUpAtMs, signal };
      const payment = await recordPayment(order, dependencies);
      return await finish(payment, giveUpAtMs, dependencies);
    },
  });
}

type RepeatOptions = {
  payment: Payment;
  amountWei: bigint;
  giveUpAtMs: number;
  dependencies: PaymentDependencies;
};

async function repeat({ payment, amountWei, giveUpAtMs, dependencies }: RepeatOptions): Promise<PaymentView> {
  if (payment.amountWei !== amountWei) {
    throw new PaymentRefused(
      "This idempotencyKey was used for another amount. Nothing was paid. A new payment needs a new key.",
    );
  }
  return await finish(payment, giveUpAtMs, dependencies);
}

/** From the record on nothing may look as if nobody had been paid. */
async function finish(
  payment: Payment,
  giveUpAtMs: number,
  dependencies: PaymentDependencies,
): Promise<PaymentView> {
  try {
    return toView(await dependencies.follow(payment, giveUpAtMs));
  } catch (err) {
    dependencies.log.warn({ err }, "payment could not be followed; the next call resumes it");
    return toView(payment);
  }
}

/**
 * What waits for a block holds up everything behind its nonce, so nothing is signed behind it. What has left its nonce
 * behind holds up nothing, however long it takes until it can be shown how it ended.
 */
async function requireNothingWaiting(
  giveUpAtMs: number,
  { store, chain, follow }: PaymentDependencies,
): Promise<void> {
  const payer = { chainId: chain.chainId, payer: chain.address };
  for (const payment of await store.listOpen(payer)) {
    const isWaiting = async () => (await chain.readCount(payment.payer)) <= payment.nonce;
    if (!(await isWaiting())) continue;
    const { state } = await follow(payment, giveUpAtMs);
    if (state === "signed" && (await isWaiting())) {
      throw new PaymentRefused(
        "An earlier payment is not confirmed by the chain yet. Nothing was paid. Try again later with the same idempotencyKey.",
      );
    }
  }
}

type PaymentOrder = {
  ref: PaymentRef;
  amountWei: bigint;
  turn: string;
  giveUpAtMs: number;
  signal: AbortSignal;
};

/**
 * Everything that can be refused is refused in here, and leaves no record. Where the database is lost while it writes,
 * nobody knows whether there is one; if so it counts, and it is carried out.
 */
async function recordPayment(order: PaymentOrder, dependencies: PaymentDependencies): Promise<Payment> {
  const { ref, amountWei, turn, giveUpAtMs, signal } = order;
  const { store, chain, limits, clock, log } = dependencies;
  const terms = await requirePayable(ref.recipient, amountWei, chain);
  const nonce = await takeNextNonce(giveUpAtMs, dependencies).catch(refuseAsUnconfirmed);
  const signed = await chain.sign({ to: ref.recipient, amountWei, nonce, terms });
  const payment = {
    ...ref,
    ...signed,
    amountWei,
    nonce,
    payer: chain.address,
    maxCost: toMicroether(amountWei + terms.maxFeeWei),
    signedAtBlock: terms.newestBlock,
    createdAtMs: clock(),
  };
  signal.throwIfAborted();
  const outcome = await store.recordSigned({ payment, turn, bounds: boundsAt(limits, payment.createdAtMs) });
  if (outcome.outcome === "exhausted") throw refuseExhausted(outcome, limits);
  if (outcome.outcome !== "recorded") {
    throw new PaymentRefused("Somebody else took over. Try again with the same idempotencyKey.");
  }
  const { recipient, transactionHash } = payment;
  log.info({ recipient, amountWei: String(amountWei), transactionHash }, "payment signed");
  const { maxCost: _, ...recorded } = payment;
  const nothing = { blockNumber: null, blockHash: null, finalAtMs: null, toldAtMs: null };
  return { ...recorded, ...nothing, state: "signed" };
}

async function requirePayable(
  recipient: Address,
  amountWei: bigint,
  chain: PaymentChain,
): Promise<PaymentTerms> {
  try {
    if ((await chain.readChainId()) !== chain.chainId) throw unconfirmedChain();
    const balanceWei = await chain.readBalanceWei();
    if (balanceWei < amountWei) throw tooLittle();
    const terms = await chain.readTerms({ to: recipient, amountWei });
    if (balanceWei < amountWei + terms.maxFeeWei) throw tooLittle();
    if (terms.gas <= maxGas) return terms;
    throw new PaymentRefused("To pay this address costs more gas than the service spends. Nothing was paid.");
  } catch (error) {
    if (isChainOutage(error)) throw unconfirmedChain(error);
    if (error instanceof BaseError) throw notTaken(error);
    throw error;
  }
}

/**
 * What the chain counts, if it counts all that was recorded. Else the endpoint lags behind, or blocks were taken back:
 * then what is missing is handed in again, whatever was known of it, and the nonce after it is the next one; of what
 * failed only the nonce is used up.
 */
async function takeNextNonce(giveUpAtMs: number, dependencies: PaymentDependencies): Promise<number> {
  const { chain, store } = dependencies;
  const payer = { chainId: chain.chainId, payer: chain.address };
  const nonce = await chain.readNextNonce();
  const lastNonce = await store.findLastNonce(payer);
  if (lastNonce === null || nonce > lastNonce) return nonce;
  for (const payment of await store.reviveFrom(payer, nonce)) {
    if (monotonicClock() >= giveUpAtMs) break;
    await handIn(payment, dependencies);
  }
  const nonceNow = await chain.readNextNonce();
  if (nonceNow > lastNonce) return nonceNow;
  throw new PaymentRefused(
    "The chain does not show the last payment yet. Nothing was paid. Try again later with the same idempotencyKey.",
  );
}

function tooLittle(): PaymentRefused {
  return new PaymentRefused(
    "The service's wallet holds too little for this payment and its fee. Nothing was paid. Its operator has to fund it.",
  );
}

function unconfirmedChain(cause?: unknown): PaymentRefused {
  return new PaymentRefused(
    "The configured chain does not answer, or another chain does in its place. Nothing was paid. Try again later.",
    { cause },
  );
}

/** Nothing is recorded yet where the chain is asked what stands before a payment. */
function refuseAsUnconfirmed(error: unknown): never {
  throw isChainOutage(error) ? unconfirmedChain(error) : error;
}

function notTaken(cause: BaseError): PaymentRefused {
  return new PaymentRefused("The chain would not carry out a payment to this address. Nothing was paid.", {
    cause,
  });
}

const notes = {
  paid: "The chain has confirmed the payment.",
  failed:
    "The chain has not carried the payment out. Nothing was paid; a new payment needs a new idempotencyKey.",
  signed:
    "Not confirmed by the chain yet. Ask again with the same amount and idempotencyKey; it is paid once.",
} as const;

function toView({
  state,
  amountWei,
  recipient,
  chainId,
  transactionHash,
  blockNumber,
}: Payment): PaymentView {
  return {
    status: state === "signed" ? "pending" : state,
    amount: formatEther(amountWei),
    to: recipient,
    chainId,
    transactionHash,
    blockNumber: blockNumber === null ? null : String(blockNumber),
    note: notes[state],
  };
}
