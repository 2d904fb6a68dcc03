import { BaseError, formatEther } from "viem";
import type { Address } from "viem";
import { monotonicClock } from "~/platform/clock";
import { isChainOutage } from "~/platform/chain/chain-client.server";
import { toWei } from "./ether";
import type { PaymentChain, PaymentTerms } from "./payment-chain.gateway.server";
import { requireWithinCall, reservePayment, settlePayment } from "./payment-limits.server";
import { PaymentRefused } from "./payment-refused";
import { resolvePayment } from "./resolve-payment.server";
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
  const { store, chain, lane, waitMs, limits } = dependencies;
  const amountWei = toWei(amount);
  const ref = { chainId: chain.chainId, recipient: recipient.toLowerCase() as Address, idempotencyKey };
  const giveUpAtMs = monotonicClock() + waitMs;
  const known = await store.findPayment({ ref });
  if (known) return await repeat({ payment: known, amountWei, giveUpAtMs, dependencies });
  requireWithinCall({ amountWei, limits });
  return await lane.enter({
    giveUpAtMs,
    work: async (turn) => {
      const meanwhile = await store.findPayment({ ref });
      if (meanwhile) return await repeat({ payment: meanwhile, amountWei, giveUpAtMs, dependencies });
      signal.throwIfAborted();
      dependencies.stopSignal.throwIfAborted();
      await requireNothingOpen({ giveUpAtMs, dependencies });
      const payment = await recordPayment({ ref, amountWei, turn, signal, dependencies });
      return await finish({ payment, giveUpAtMs, dependencies });
    },
  });
}

/** What the last run left. Never rejects: what stays open is looked at again before the next payment. */
export async function resumePayments({ dependencies }: { dependencies: PaymentDependencies }): Promise<void> {
  const { store, chain, waitMs, log } = dependencies;
  try {
    for (const payment of await store.listOpen({ chainId: chain.chainId })) {
      await resolvePayment({ payment, giveUpAtMs: monotonicClock() + waitMs, dependencies });
    }
  } catch (err) {
    log.warn({ err }, "open payments could not be taken up; the next payment tries again");
  }
}

async function repeat({
  payment,
  amountWei,
  giveUpAtMs,
  dependencies,
}: {
  payment: Payment;
  amountWei: bigint;
  giveUpAtMs: number;
  dependencies: PaymentDependencies;
}): Promise<PaymentView> {
  if (payment.amountWei !== amountWei) {
    throw new PaymentRefused(
      "This idempotencyKey was used for another amount. Nothing was paid. A new payment needs a new key.",
    );
  }
  return await finish({ payment, giveUpAtMs, dependencies });
}

/** From the record on nothing may look as if nobody had been paid. */
async function finish({
  payment,
  giveUpAtMs,
  dependencies,
}: {
  payment: Payment;
  giveUpAtMs: number;
  dependencies: PaymentDependencies;
}): Promise<PaymentView> {
  try {
    return toView(await resolvePayment({ payment, giveUpAtMs, dependencies }));
  } catch (err) {
    dependencies.log.warn({ err }, "a payment could not be followed; the next call takes it up");
    return toView(payment);
  }
}

/** One open payment at most: so its nonce is the next one, and what the windows do not know yet is bounded. */
async function requireNothingOpen({
  giveUpAtMs,
  dependencies,
}: {
  giveUpAtMs: number;
  dependencies: PaymentDependencies;
}): Promise<void> {
  const { store, chain } = dependencies;
  for (const payment of await store.listOpen({ chainId: chain.chainId, payer: chain.address })) {
    const { state } = await resolvePayment({ payment, giveUpAtMs, dependencies });
    if (state === "signed") {
      throw new PaymentRefused(
        "An earlier payment is not confirmed by the chain yet. Nothing was paid. Try again later with the same idempotencyKey.",
      );
    }
  }
}

/** Everything that can be refused is refused in here, and leaves neither a reservation nor a transaction. */
async function recordPayment({
  ref,
  amountWei,
  turn,
  signal,
  dependencies: { store, chain, ledger, limits, clock, log },
}: {
  ref: PaymentRef;
  amountWei: bigint;
  turn: string;
  signal: AbortSignal;
  dependencies: PaymentDependencies;
}): Promise<Payment> {
  const { recipient } = ref;
  const terms = await requirePayable({ recipient, amountWei, chain });
  const maxCostWei = amountWei + terms.maxFeeWei;
  const reservations = await reservePayment({ recipient, maxCostWei, limits, ledger });
  try {
    const nonce = await requireNextNonce({ chain, store });
    const signed = await chain.sign({ to: recipient, amountWei, nonce, terms });
    const paid = { amountWei, nonce, payer: chain.address, createdAtMs: clock() };
    const payment = { ...ref, ...signed, ...reservations, ...paid };
    signal.throwIfAborted();
    const outcome = await store.recordSigned({ payment, turn });
    if (outcome !== "recorded") {
      throw new PaymentRefused("Somebody else took over. Try again with the same idempotencyKey.");
    }
    const { transactionHash } = payment;
    log.info({ recipient, amountWei: String(amountWei), transactionHash }, "a payment was signed");
    return { ...payment, state: "signed", blockNumber: null };
  } catch (error) {
    // A record that was written although its answer was lost keeps what is set aside.
    const written = await store.findPayment({ ref });
    if (written?.addressReservationId !== reservations.addressReservationId)
      await settlePayment({ reservations, spentWei: 0n, ledger });
    throw error;
  }
}

async function requirePayable({
  recipient,
  amountWei,
  chain,
}: {
  recipient: Address;
  amountWei: bigint;
  chain: PaymentChain;
}): Promise<PaymentTerms> {
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

/** An endpoint that lags behind would give a nonce that is taken, and the payment could never be carried out. */
async function requireNextNonce({
  chain,
  store,
}: Pick<PaymentDependencies, "chain" | "store">): Promise<number> {
  const nonce = await chain.readNextNonce();
  const lastNonce = await store.findLastNonce({ chainId: chain.chainId, payer: chain.address });
  if (lastNonce === null || nonce > lastNonce) return nonce;
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
