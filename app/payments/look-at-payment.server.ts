import { BaseError } from "viem";
import { isRpcRefusal } from "~/platform/chain/chain-client.server";
import { toMicroether } from "./ether";
import { isPlainTransfer, readMaxCostWei } from "./payment-chain.gateway.server";
import type { Block, PaymentReceipt, Spender } from "./payment-chain.gateway.server";
import type { LookDependencies } from "./payment-dependencies.server";
import type { Finding, Payment } from "./payments.store.server";

/**
 * How much younger than the newest block a block may be and still be taken back, in the chain's own time: chains whose
 * blocks come every second are no safer for it.
 */
export const finalSeconds = 15 * 60;

/**
 * Asks the chain how a payment stands, hands its transaction in again where the chain lacks it, and writes down what
 * was shown. What cannot be shown changes nothing: a receipt that is missing says nothing of the payment.
 */
export async function lookAtPayment(payment: Payment, dependencies: LookDependencies): Promise<Payment> {
  if (payment.finalAtMs !== null) return payment;
  const receipt = await dependencies.chain.findReceipt(payment.transactionHash);
  if (receipt) return (await noteReceipt(payment, receipt, dependencies)) ?? payment;
  const count = await dependencies.chain.readCount(payment.payer);
  if (count > payment.nonce) return await lookForSpender(payment, dependencies);
  const looked = await reopenVanished(payment, dependencies);
  await handIn(payment, dependencies);
  return looked;
}

/**
 * The same transaction each time, which the chain takes once. A refusal can follow on a first time that did arrive.
 * Whoever was told of a failure may have been paid under another key since: then only the nonce is used up.
 */
export async function handIn(payment: Payment, dependencies: LookDependencies): Promise<void> {
  const { chain, log } = dependencies;
  try {
    if (payment.state === "failed") await fillNonce(payment, dependencies);
    else await chain.broadcast(payment.rawTransaction);
  } catch (err) {
    const about = { err, transactionHash: payment.transactionHash };
    // Endpoints refuse what they have already.
    if (isRpcRefusal(err)) log.info(about, "transaction rejected by the endpoint");
    else log.warn(about, "transaction could not be broadcast");
  }
}

/** The wallet sends itself nothing. Whether it is in the chain is seen by who spent the nonce, so it is not kept. */
async function fillNonce(payment: Payment, { chain, store, clock, log }: LookDependencies): Promise<void> {
  // Of a wallet that was here before there is no key.
  if (payment.payer.toLowerCase() !== chain.address.toLowerCase()) return;
  const self = { to: chain.address, amountWei: 0n };
  const terms = await chain.readTerms(self);
  const { rawTransaction, transactionHash } = await chain.sign({ ...self, nonce: payment.nonce, terms });
  const noBlock = { state: "failed", blockNumber: null, blockHash: null, finalAtMs: null } as const;
  const finding = { ...noBlock, cost: toMicroether(terms.maxFeeWei), countedAtMs: clock() };
  // Its cost counts before it can arise.
  if (!(await store.noteFinding(payment, finding))) return;
  log.warn(
    { transactionHash, nonce: payment.nonce },
    "payment failed: its nonce was used by another transaction",
  );
  await chain.broadcast(rawTransaction);
}

/**
 * Null where the receipt's block is not in the chain, as one endpoint says and another does not. A failure is believed
 * when it is final: after a reorganisation the same transaction may succeed.
 */
export async function noteReceipt(
  payment: Payment,
  receipt: PaymentReceipt,
  dependencies: LookDependencies,
): Promise<Payment | null> {
  const { chain, clock } = dependencies;
  const [block, head] = await Promise.all([chain.findBlock(receipt.blockNumber), chain.readHead()]);
  if (block === null || block.hash !== receipt.blockHash) return null;
  const isFinal = isFinalBlock(block, head);
  if (!receipt.isPaid && !isFinal) return await reopen(payment, dependencies);
  return await note(
    payment,
    toFinding({ payment, block, outcome: receipt, isFinal, nowMs: clock() }),
    dependencies,
  );
}

/** Who used the nonce: this very transaction, whose receipt is hidden, or another one. */
async function lookForSpender(payment: Payment, dependencies: LookDependencies): Promise<Payment> {
  const { chain, clock } = dependencies;
  const head = await chain.readHead();
  const spender = await findSpender(payment, head, dependencies);
  if (!spender) return payment;
  const isFinal = isFinalBlock(spender.block, head);
  if (spender.hash === payment.transactionHash) {
    if (!isPlainTransfer(payment.rawTransaction)) return payment;
    if (await chain.hasCode(payment.recipient, spender.block.number)) return payment;
    const outcome = { isPaid: true, feeWei: spender.plainFeeWei(payment.rawTransaction) };
    return await note(
      payment,
      toFinding({ payment, block: spender.block, outcome, isFinal, nowMs: clock() }),
      dependencies,
    );
  }
  const looked = await reopenVanished(payment, dependencies);
  if (!isFinal || (await chain.isDisputed(payment.transactionHash, spender.block))) return looked;
  const nowMs = clock();
  const replaced = { state: "failed", blockNumber: null, blockHash: null, finalAtMs: nowMs } as const;
  // What was told to have failed before is looked at anew only where its nonce had to be filled.
  const isFilled = looked.state === "failed";
  const cost = isFilled ? toMicroether(spender.ownPlainFeeWei) : 0;
  const countedAtMs = isFilled ? countingMs(looked, spender.block, nowMs) : looked.createdAtMs;
  return await note(looked, { ...replaced, cost, countedAtMs }, dependencies);
}

/** Endpoints that cannot be asked, or that forgot what is asked for, show nothing. */
async function findSpender(
  payment: Payment,
  head: Block,
  { chain }: LookDependencies,
): Promise<Spender | null> {
  try {
    return await chain.findSpender(payment, head);
  } catch (error) {
    if (error instanceof BaseError) return null;
    throw error;
  }
}

async function reopenVanished(payment: Payment, dependencies: LookDependencies): Promise<Payment> {
  if (payment.blockNumber === null) return payment;
  const block = await dependencies.chain.findBlock(payment.blockNumber);
  // An endpoint that has not come so far yet says nothing.
  if (block === null || block.hash === payment.blockHash) return payment;
  return await reopen(payment, dependencies);
}

async function reopen(payment: Payment, dependencies: LookDependencies): Promise<Payment> {
  if (payment.state !== "paid") return payment;
  const { transactionHash, createdAtMs } = payment;
  dependencies.log.warn({ transactionHash }, "payment removed by a reorganisation; it is open again");
  const cost = toMicroether(readMaxCostWei(payment.rawTransaction));
  const nothing = { state: "signed", blockNumber: null, blockHash: null, finalAtMs: null } as const;
  return await note(payment, { ...nothing, cost, countedAtMs: createdAtMs }, dependencies);
}

async function note(payment: Payment, finding: Finding, { store, log }: LookDependencies): Promise<Payment> {
  const { state, blockNumber, blockHash, finalAtMs } = finding;
  const isNews = state !== payment.state || blockHash !== payment.blockHash || finalAtMs !== null;
  if (!isNews) return payment;
  if (!(await store.noteFinding(payment, finding))) {
    // Somebody else was faster, whose finding is as good.
    return (await store.findPayment({ ref: payment })) ?? payment;
  }
  if (state !== payment.state) {
    log.info({ transactionHash: payment.transactionHash, state }, "payment settled");
  }
  return { ...payment, state, blockNumber, blockHash, finalAtMs };
}

type Included = {
  payment: Payment;
  block: Block;
  outcome: Pick<PaymentReceipt, "isPaid" | "feeWei">;
  isFinal: boolean;
  nowMs: number;
};

/** The windows count a payment from the time of its block, which is not believed beyond what is possible. */
function countingMs({ createdAtMs }: Payment, { timestampSeconds }: Block, nowMs: number): number {
  return Math.min(Math.max(timestampSeconds * 1_000, createdAtMs), nowMs);
}

function toFinding({ payment, block, outcome: { isPaid, feeWei }, isFinal, nowMs }: Included): Finding {
  return {
    state: isPaid ? "paid" : "failed",
    blockNumber: block.number,
    blockHash: block.hash,
    cost: toMicroether((isPaid ? payment.amountWei : 0n) + feeWei),
    countedAtMs: countingMs(payment, block, nowMs),
    finalAtMs: isFinal ? nowMs : null,
  };
}

function isFinalBlock(block: Block, head: Block): boolean {
  return head.timestampSeconds - block.timestampSeconds >= finalSeconds;
}
