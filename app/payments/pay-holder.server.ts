import { BaseError, formatEther } from "viem";
import type { Address } from "viem";
import type { Holder } from "~/gate/tokens/access-token.schema";
import { requireMayUse } from "~/gate/tokens/require-met";
import { monotonicClock } from "~/platform/time/clock";
import { isChainOutage } from "~/platform/chain/chain-client.server";
import { toMicroether, toWei, weiPerMicroether } from "./ether";
import { broadcastAgain, noBlock } from "./payment-finality.server";
import type { CheckDependencies, PaymentFollower } from "./payment-finality.server";
import type { PaymentChain, PaymentTerms } from "./payment-chain.gateway.server";
import type { PaymentQueue } from "./payment-queue.server";
import { PaymentRefused } from "./payment-refused";
import type { Payment, PaymentRef, RecordOutcome, WindowBounds } from "./payments.store.server";
import { daySeconds } from "./payments.settings";
import type { readPayments } from "./payments.settings";

/** `recipient` is the wallet in the access token, never an argument. */
type PaymentRequest = {
  recipient: Address;
  amount: string;
  idempotencyKey: string;
  signal: AbortSignal;
};

type PaymentView = ReturnType<typeof toView>;

export type PaymentDependencies = CheckDependencies & {
  queue: PaymentQueue;
  limits: PaymentLimits;
  follow: PaymentFollower;
  /** In all: for a turn, for open payments, and for the receipt. */
  waitMs: number;
  /** When the service stops, waiting ends. The next start resumes open payments. */
  stopSignal: AbortSignal;
};

/** `giveUpAtMs` is by the monotonic clock. */
type Order = { ref: PaymentRef; amountWei: bigint; giveUpAtMs: number };

/** Far more than a plain wallet needs. A contract could waste more at the payer's cost. */
const maxGas = 500_000n;

export type HolderPayment = Omit<PaymentRequest, "recipient"> & { holder: Holder };
export type RequireHolder = (question: { holder: Holder; fresh: true }) => Promise<void>;

/** Pays the holder's own address, after the gate has verified the key. */
export async function payKeyHolder(
  { holder, ...request }: HolderPayment,
  requireHolder: RequireHolder,
  dependencies: PaymentDependencies,
): Promise<PaymentView> {
  requireMayUse(holder);
  await requireHolder({ holder, fresh: true });
  return await payHolder({ ...request, recipient: holder.address }, dependencies);
}

/** Pays once for each recipient and idempotency key, in however many processes. */
export async function payHolder(
  request: PaymentRequest,
  dependencies: PaymentDependencies,
): Promise<PaymentView> {
  const { store, chain, queue, waitMs, limits } = dependencies;
  const { amount, idempotencyKey, signal } = request;
  const recipient = request.recipient.toLowerCase() as Address;
  const order: Order = {
    ref: { chainId: chain.chainId, recipient, idempotencyKey },
    amountWei: toWei(amount),
    giveUpAtMs: monotonicClock() + waitMs,
  };
  const known = await store.findPayment(order.ref);
  if (known) return await repeat(known, order, dependencies);
  requireWithinCall(order.amountWei, limits);
  return await queue.enter(order.giveUpAtMs, async (turn) => {
    const meanwhile = await store.findPayment(order.ref);
    if (meanwhile) return await repeat(meanwhile, order, dependencies);
    signal.throwIfAborted();
    dependencies.stopSignal.throwIfAborted();
    await requireNothingWaiting(order, dependencies).catch(refuseAsUnconfirmed);
    const payment = await recordPayment({ ...order, turn, signal }, dependencies);
    return await finish(payment, order, dependencies);
  });
}

async function repeat(
  payment: Payment,
  order: Order,
  dependencies: PaymentDependencies,
): Promise<PaymentView> {
  if (payment.amountWei === order.amountWei) return await finish(payment, order, dependencies);
  throw new PaymentRefused(
    "This idempotencyKey was used for another amount. Nothing was paid. A new payment needs a new key.",
  );
}

/** After the payment is recorded, no error may suggest that nobody was paid. */
async function finish(
  payment: Payment,
  { giveUpAtMs }: Order,
  { follow, log }: PaymentDependencies,
): Promise<PaymentView> {
  try {
    return toView(await follow(payment, giveUpAtMs));
  } catch (err) {
    log.warn({ err }, "payment outcome unknown; the next call checks it again");
    return toView(payment);
  }
}

/** Signs nothing behind an open nonce. A nonce that the chain counts blocks nothing. */
async function requireNothingWaiting(
  { giveUpAtMs }: Order,
  { store, chain, follow }: PaymentDependencies,
): Promise<void> {
  for (const payment of await store.listOpen({ chainId: chain.chainId, payer: chain.address })) {
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

/** Refusals leave no record. If the commit is in doubt, the payment counts and is carried out. */
async function recordPayment(
  { ref, amountWei, giveUpAtMs, turn, signal }: Order & { turn: string; signal: AbortSignal },
  dependencies: PaymentDependencies,
): Promise<Payment> {
  const { store, chain, limits, clock, log } = dependencies;
  const { recipient } = ref;
  const terms = await requirePayable(recipient, amountWei, chain);
  const nonce = await takeNextNonce(giveUpAtMs, dependencies).catch(refuseAsUnconfirmed);
  const signed = await chain.sign({ to: recipient, amountWei, nonce, terms });
  const createdAtMs = clock();
  const payment = {
    ...ref,
    ...signed,
    amountWei,
    nonce,
    payer: chain.address,
    signedAtBlock: terms.newestBlock,
    createdAtMs,
  };
  const maxCost = toMicroether(amountWei + terms.maxFeeWei);
  signal.throwIfAborted();
  const bounds = boundsAt(limits, createdAtMs);
  const outcome = await store.recordSigned({ payment: { ...payment, maxCost }, turn, bounds });
  if (outcome.outcome === "exhausted") throw refuseExhausted(outcome, limits);
  if (outcome.outcome !== "recorded") {
    throw new PaymentRefused("Somebody else took over. Try again with the same idempotencyKey.");
  }
  const { transactionHash } = signed;
  log.info({ recipient, amountWei: String(amountWei), transactionHash }, "payment signed");
  return { ...payment, ...noBlock, toldAtMs: null, state: "signed" };
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
    if (!(error instanceof BaseError)) throw error;
    const text = "The chain would not carry out a payment to this address. Nothing was paid.";
    throw new PaymentRefused(text, { cause: error });
  }
}

/** Rebroadcasts recorded transactions that the chain lacks. That of a failed payment only uses up its nonce. */
async function takeNextNonce(giveUpAtMs: number, dependencies: PaymentDependencies): Promise<number> {
  const { chain, store } = dependencies;
  const payer = { chainId: chain.chainId, payer: chain.address };
  const nonce = await chain.readNextNonce();
  const lastNonce = await store.findLastNonce(payer);
  if (lastNonce === null || nonce > lastNonce) return nonce;
  for (const payment of await store.reviveFrom(payer, nonce)) {
    if (monotonicClock() >= giveUpAtMs) break;
    await broadcastAgain(payment, dependencies);
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

function refuseAsUnconfirmed(error: unknown): never {
  throw isChainOutage(error) ? unconfirmedChain(error) : error;
}

const notes = {
  paid: "The chain has confirmed the payment.",
  failed:
    "The chain has not carried the payment out. Nothing was paid; a new payment needs a new idempotencyKey.",
  signed:
    "Not confirmed by the chain yet. Ask again with the same amount and idempotencyKey; it is paid once.",
} as const;

function toView(payment: Payment) {
  const { state, amountWei, recipient, chainId, transactionHash, blockNumber } = payment;
  return {
    status: state === "signed" ? ("pending" as const) : state,
    amount: formatEther(amountWei),
    to: recipient,
    chainId,
    transactionHash,
    blockNumber: blockNumber === null ? null : String(blockNumber),
    note: notes[state],
  };
}

type PaymentLimits = Omit<NonNullable<ReturnType<typeof readPayments>>, "privateKey">;

function requireWithinCall(amountWei: bigint, limits: PaymentLimits): void {
  const maxWei = BigInt(limits.maxMicroetherPerCall) * weiPerMicroether;
  if (amountWei > 0n && amountWei <= maxWei) return;
  throw new PaymentRefused(
    `One payment is more than 0 and at most ${formatEther(maxWei)}. Nothing was paid.`,
  );
}

/** The windows end now, so that no span of their length exceeds the limits. */
export function boundsAt(limits: PaymentLimits, nowMs: number): WindowBounds {
  const since = (seconds: number) => nowMs - seconds * 1_000;
  return {
    address: { limit: limits.addressMicroether, sinceMs: since(limits.addressWindowSeconds) },
    total: { limit: limits.dailyMicroether, sinceMs: since(daySeconds) },
  };
}

function refuseExhausted(
  { window, left, oldestAtMs }: Extract<RecordOutcome, { outcome: "exhausted" }>,
  limits: PaymentLimits,
): PaymentRefused {
  const [what, seconds] =
    window === "address"
      ? ["This address has had what it may have for now", limits.addressWindowSeconds]
      : ["The service has paid what it may pay in a day", daySeconds];
  const when =
    oldestAtMs === null
      ? "The rest is reserved for payments that the chain has not confirmed yet."
      : `More is left from ${new Date(oldestAtMs + seconds * 1_000).toISOString()} on.`;
  const leftText = formatEther(BigInt(left) * weiPerMicroether);
  return new PaymentRefused(`${what}: ${leftText} is left, fees included. ${when} Nothing was paid.`);
}
