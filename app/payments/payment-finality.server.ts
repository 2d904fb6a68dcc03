import { setTimeout as delay } from "node:timers/promises";
import { BaseError } from "viem";
import type { Hex } from "viem";
import { isRpcRefusal } from "~/platform/chain/chain-client.server";
import { monotonicClock } from "~/platform/time/clock";
import type { Clock } from "~/platform/time/clock";
import type { Log } from "~/platform/log/log.server";
import { toMicroether } from "./ether";
import { isPlainTransfer, readMaxCostWei } from "./payment-chain.gateway.server";
import type { Block, PaymentChain, PaymentReceipt, Spender } from "./payment-chain.gateway.server";
import type { Finding, Payment, PaymentStore } from "./payments.store.server";

/** By the chain's time, not in blocks: fast blocks are no safer. */
const finalSeconds = 15 * 60;

export const noBlock = { blockNumber: null, blockHash: null, finalAtMs: null };

export type CheckDependencies = {
  store: PaymentStore;
  chain: PaymentChain;
  clock: Clock;
  log: Pick<Log, "info" | "warn">;
};

/** `giveUpAtMs` is by the monotonic clock. A payment that is still open then is returned unchanged. */
export type PaymentFollower = (payment: Payment, giveUpAtMs: number) => Promise<Payment>;

/** Callers that wait for the same payment share one chain read. */
export function createPaymentFollower(
  dependencies: CheckDependencies & { pollMs: number; stopSignal: AbortSignal },
): PaymentFollower {
  const { chain, pollMs, stopSignal } = dependencies;
  const followed = new Map<Hex, Promise<Payment>>();

  async function follow(payment: Payment, giveUpAtMs: number): Promise<Payment> {
    const checked = await checkPayment(payment, dependencies);
    if (checked.state !== "signed") return checked;
    while (!stopSignal.aborted && monotonicClock() < giveUpAtMs) {
      const receipt = await chain.findReceipt(payment.transactionHash);
      const noted = receipt && (await noteReceipt(checked, receipt, dependencies));
      if (noted) return noted;
      await delay(pollMs);
    }
    return checked;
  }

  return async (payment, giveUpAtMs) => {
    if (payment.state !== "signed") return payment;
    const hash = payment.transactionHash;
    const running = followed.get(hash) ?? follow(payment, giveUpAtMs).finally(() => followed.delete(hash));
    followed.set(hash, running);
    return await running;
  };
}

/** Records the chain's state. A missing receipt proves nothing. Broadcasts again if the chain lacks the transaction. */
export async function checkPayment(payment: Payment, dependencies: CheckDependencies): Promise<Payment> {
  if (payment.finalAtMs !== null) return payment;
  const receipt = await dependencies.chain.findReceipt(payment.transactionHash);
  if (receipt) return (await noteReceipt(payment, receipt, dependencies)) ?? payment;
  const count = await dependencies.chain.readCount(payment.payer);
  if (count > payment.nonce) return await checkSpender(payment, dependencies);
  const checked = await reopenVanished(payment, dependencies);
  await broadcastAgain(payment, dependencies);
  return checked;
}

/** After a failure the recipient may have been paid under another key, so only the nonce is used up. */
export async function broadcastAgain(payment: Payment, dependencies: CheckDependencies): Promise<void> {
  const { chain, log } = dependencies;
  try {
    if (payment.state === "failed") await fillNonce(payment, dependencies);
    else await chain.broadcast(payment.rawTransaction);
  } catch (err) {
    const about = { err, transactionHash: payment.transactionHash };
    // Endpoints refuse known transactions.
    if (isRpcRefusal(err)) log.info(about, "transaction rejected by the endpoint");
    else log.warn(about, "transaction could not be broadcast");
  }
}

/** Sends an empty transfer to itself. It isn't stored: the nonce's spender shows whether it is in the chain. */
async function fillNonce(payment: Payment, { chain, store, clock, log }: CheckDependencies): Promise<void> {
  // The key of a former wallet is not available.
  if (payment.payer.toLowerCase() !== chain.address.toLowerCase()) return;
  const { nonce } = payment;
  const self = { to: chain.address, amountWei: 0n };
  const terms = await chain.readTerms(self);
  const { rawTransaction, transactionHash } = await chain.sign({ ...self, nonce, terms });
  const cost = toMicroether(terms.maxFeeWei);
  // Counts the cost before it can arise.
  if (!(await store.noteFinding(payment, { ...noBlock, state: "failed", cost, countedAtMs: clock() })))
    return;
  log.warn({ transactionHash, nonce }, "payment failed: its nonce was used by another transaction");
  await chain.broadcast(rawTransaction);
}

/** Null if the receipt's block is not in the chain. A failure counts when final: until then it may succeed. */
async function noteReceipt(
  payment: Payment,
  receipt: PaymentReceipt,
  dependencies: CheckDependencies,
): Promise<Payment | null> {
  const { chain } = dependencies;
  const [block, head] = await Promise.all([chain.findBlock(receipt.blockNumber), chain.readHead()]);
  if (block === null || block.hash !== receipt.blockHash) return null;
  const isFinal = isFinalBlock(block, head);
  if (!receipt.isPaid && !isFinal) return await reopen(payment, dependencies);
  return await noteIncluded(payment, { ...receipt, block, isFinal }, dependencies);
}

/** The nonce was used by this transaction, whose receipt is hidden, or by another one. */
async function checkSpender(payment: Payment, dependencies: CheckDependencies): Promise<Payment> {
  const { chain, clock } = dependencies;
  const { transactionHash, rawTransaction } = payment;
  const head = await chain.readHead();
  const spender = await findSpender(payment, head, dependencies);
  if (!spender) return payment;
  const { block } = spender;
  const isFinal = isFinalBlock(block, head);
  if (spender.hash === transactionHash) {
    if (!isPlainTransfer(rawTransaction)) return payment;
    if (await chain.hasCode(payment.recipient, block.number)) return payment;
    const feeWei = spender.plainFeeWei(rawTransaction);
    return await noteIncluded(payment, { isPaid: true, feeWei, block, isFinal }, dependencies);
  }
  const checked = await reopenVanished(payment, dependencies);
  if (!isFinal || (await chain.isDisputed(transactionHash, block))) return checked;
  const nowMs = clock();
  // A failed payment is checked again only if its nonce had to be filled.
  const isFilled = checked.state === "failed";
  const cost = isFilled ? toMicroether(spender.ownPlainFeeWei) : 0;
  const countedAtMs = isFilled ? countingMs(checked, block, nowMs) : checked.createdAtMs;
  const replaced = { ...noBlock, state: "failed", finalAtMs: nowMs } as const;
  return await note(checked, { ...replaced, cost, countedAtMs }, dependencies);
}

/** Null if endpoints are unreachable or have forgotten the block. */
async function findSpender(
  payment: Payment,
  head: Block,
  { chain }: CheckDependencies,
): Promise<Spender | null> {
  try {
    return await chain.findSpender(payment, head);
  } catch (error) {
    if (error instanceof BaseError) return null;
    throw error;
  }
}

async function reopenVanished(payment: Payment, dependencies: CheckDependencies): Promise<Payment> {
  if (payment.blockNumber === null) return payment;
  const block = await dependencies.chain.findBlock(payment.blockNumber);
  // An endpoint that is behind proves nothing.
  if (block === null || block.hash === payment.blockHash) return payment;
  return await reopen(payment, dependencies);
}

async function reopen(payment: Payment, dependencies: CheckDependencies): Promise<Payment> {
  if (payment.state !== "paid") return payment;
  const { transactionHash, createdAtMs } = payment;
  dependencies.log.warn({ transactionHash }, "payment removed by a reorganisation; it is open again");
  const cost = toMicroether(readMaxCostWei(payment.rawTransaction));
  const open = { ...noBlock, state: "signed", cost, countedAtMs: createdAtMs } as const;
  return await note(payment, open, dependencies);
}

type Included = Pick<PaymentReceipt, "isPaid" | "feeWei"> & { block: Block; isFinal: boolean };

async function noteIncluded(
  payment: Payment,
  { isPaid, feeWei, block, isFinal }: Included,
  dependencies: CheckDependencies,
): Promise<Payment> {
  const nowMs = dependencies.clock();
  const finding: Finding = {
    state: isPaid ? "paid" : "failed",
    blockNumber: block.number,
    blockHash: block.hash,
    cost: toMicroether((isPaid ? payment.amountWei : 0n) + feeWei),
    countedAtMs: countingMs(payment, block, nowMs),
    finalAtMs: isFinal ? nowMs : null,
  };
  return await note(payment, finding, dependencies);
}

async function note(payment: Payment, finding: Finding, { store, log }: CheckDependencies): Promise<Payment> {
  const { state, blockNumber, blockHash, finalAtMs } = finding;
  const { transactionHash } = payment;
  const isNews = state !== payment.state || blockHash !== payment.blockHash || finalAtMs !== null;
  if (!isNews) return payment;
  if (!(await store.noteFinding(payment, finding))) {
    // Another process recorded it first.
    return (await store.findPayment(payment)) ?? payment;
  }
  if (state !== payment.state) log.info({ transactionHash, state }, "payment settled");
  return { ...payment, state, blockNumber, blockHash, finalAtMs };
}

/** Windows count a payment from the time of its block, within what is possible. */
function countingMs({ createdAtMs }: Payment, { timestampSeconds }: Block, nowMs: number): number {
  return Math.min(Math.max(timestampSeconds * 1_000, createdAtMs), nowMs);
}

function isFinalBlock(block: Block, head: Block): boolean {
  return head.timestampSeconds - block.timestampSeconds >= finalSeconds;
}
