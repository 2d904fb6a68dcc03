import { sqltag as sql } from "@prisma/client/runtime/client";
import type { Address, Hex } from "viem";
import type { Prisma } from "~/generated/sqlite/client";
import type { Database } from "~/platform/database/database.server";
import { databaseNowMs } from "~/platform/database/lease-condition.server";
import { sumPayments } from "./payment-windows.store.server";
import type { PaymentSum, PaymentWindow } from "./payment-windows.store.server";

export type PaymentRef = { chainId: number; recipient: Address; idempotencyKey: string };
export type Payer = { chainId: number; payer: Address };
export type PaymentState = "signed" | "paid" | "failed";

export type SignedPayment = PaymentRef & {
  createdAtMs: number;
  payer: Address;
  amountWei: bigint;
  /** The most it can cost, in millionths of the coin. */
  maxCost: number;
  rawTransaction: Hex;
  transactionHash: Hex;
  nonce: number;
  /** The newest block at that time; null of payments that a former version made. */
  signedAtBlock: bigint | null;
};
export type Payment = Omit<SignedPayment, "maxCost"> & {
  state: PaymentState;
  blockNumber: bigint | null;
  blockHash: Hex | null;
  finalAtMs: number | null;
  toldAtMs: number | null;
};

/** How much may be spent, from a moment on, for one address and for all. */
export type WindowBound = { limit: number; sinceMs: number };
export type WindowBounds = { address: WindowBound; total: WindowBound };

/**
 * `turn-lost`: somebody else may sign by now. `nonce-taken`: another record has it. Only what is `recorded` may be sent.
 */
export type RecordOutcome =
  | { outcome: "recorded" | "already-there" | "turn-lost" | "nonce-taken" }
  | ({ outcome: "exhausted"; window: keyof WindowBounds; left: number } & Pick<PaymentSum, "oldestAtMs">);

/** What the chain shows of a payment. */
export type Finding = Pick<Payment, "state" | "blockNumber" | "blockHash" | "finalAtMs"> & {
  cost: number;
  countedAtMs: number;
};

export type PaymentStore = ReturnType<typeof createPaymentStore>;

/** Open payments count in the windows, so that there are few; a chain that vanished may leave more. */
const batchSize = 200;

export function createPaymentStore(database: Database) {
  const now = databaseNowMs(database);

  async function findPayment({ ref }: { ref: PaymentRef }): Promise<Payment | null> {
    const row = await database.payment.findUnique({
      where: { chainId_recipient_idempotencyKey: toRefColumns(ref) },
    });
    return row === null ? null : toPayment(row);
  }

  /** Payments of which the chain has not decided yet, in the order of their nonces. */
  async function listOpen({ chainId, payer }: Payer): Promise<Payment[]> {
    const rows = await database.payment.findMany({
      where: { chainId: BigInt(chainId), payer: payer.toLowerCase(), finalAtMs: null, state: "signed" },
      orderBy: { nonce: "asc" },
      take: batchSize,
    });
    return rows.map(toPayment);
  }

  /** Payments that are not final, oldest first, of every wallet there was. */
  async function listUnsettled(chainId: number): Promise<Payment[]> {
    const rows = await database.payment.findMany({
      where: { chainId: BigInt(chainId), finalAtMs: null },
      orderBy: { createdAtMs: "asc" },
      take: batchSize,
    });
    return rows.map(toPayment);
  }

  /** Takes back that payments from a nonce on are final, and gives the first of them. */
  async function reviveFrom({ chainId, payer }: Payer, nonce: number): Promise<Payment[]> {
    const where = { chainId: BigInt(chainId), payer: payer.toLowerCase(), nonce: { gte: BigInt(nonce) } };
    await database.payment.updateMany({
      where: { ...where, finalAtMs: { not: null } },
      data: { finalAtMs: null },
    });
    const rows = await database.payment.findMany({ where, orderBy: { nonce: "asc" }, take: batchSize });
    return rows.map(toPayment);
  }

  /** How many are open on any chain, and since when the oldest is. */
  async function readOpen(): Promise<{ count: number; oldestAtMs: number | null }> {
    const { _count, _min } = await database.payment.aggregate({
      where: { finalAtMs: null, state: "signed" },
      _count: true,
      _min: { createdAtMs: true },
    });
    return { count: _count, oldestAtMs: _min.createdAtMs === null ? null : Number(_min.createdAtMs) };
  }

  /** The latest nonce that stands in any record. */
  async function findLastNonce({ chainId, payer }: Payer): Promise<number | null> {
    const { _max } = await database.payment.aggregate({
      where: { chainId: BigInt(chainId), payer: payer.toLowerCase() },
      _max: { nonce: true },
    });
    return _max.nonce === null ? null : Number(_max.nonce);
  }

  /**
   * True for one at a time, until it is released or the lease expires, by the database's clock. `turn` names who has
   * it. A lease that expires later than one acquired now was acquired before that clock was set back, and has expired.
   */
  async function acquireTurn(
    { chainId, payer }: Payer,
    turn: string,
    leaseSeconds: number,
  ): Promise<boolean> {
    const until = sql`${now} + ${BigInt(leaseSeconds * 1000)}`;
    const count = await database.$executeRaw`
      INSERT INTO "PaymentLane" AS lane ("chainId", "payer", "holder", "leaseUntilMs")
      VALUES (${BigInt(chainId)}, ${payer.toLowerCase()}, ${turn}, ${until})
      ON CONFLICT ("chainId", "payer")
      DO UPDATE SET "holder" = excluded."holder", "leaseUntilMs" = ${until}
      WHERE lane."leaseUntilMs" <= ${now} OR lane."leaseUntilMs" > ${until}`;
    return count === 1;
  }

  /** Changes nothing when it is somebody else's turn by now. */
  async function releaseTurn(turn: string): Promise<void> {
    await database.paymentLane.deleteMany({ where: { holder: turn } });
  }

  /**
   * Writes the signed transaction down, where the windows have room for the most it can cost, and has it on the disk
   * when it answers. Touching the turns of all wallets keeps them locked until the commit: nobody takes this one over,
   * and nobody else's payment comes between the sums and the write.
   */
  async function recordSigned({
    payment,
    turn,
    bounds,
  }: {
    payment: SignedPayment;
    turn: string;
    bounds: WindowBounds;
  }): Promise<RecordOutcome> {
    const { chainId } = toRefColumns(payment);
    const payer = payment.payer.toLowerCase();
    return await database.$transaction(async (transaction) => {
      const turns = await transaction.$queryRaw<{ payer: string; holder: string }[]>`
        UPDATE "PaymentLane" SET "holder" = "holder" WHERE "chainId" = ${chainId} RETURNING "payer", "holder"`;
      if (!turns.some((row) => row.payer === payer && row.holder === turn)) return { outcome: "turn-lost" };
      const known = await transaction.payment.count({ where: toRefColumns(payment) });
      if (known > 0) return { outcome: "already-there" };
      const exhausted = await findExhausted(transaction, payment, bounds);
      if (exhausted) return exhausted;
      return { outcome: (await insertSigned(transaction, payment)) ? "recorded" : "nonce-taken" };
    });
  }

  /** Writes down what the chain shows, unless somebody has written something else since the payment was read. */
  async function noteFinding(payment: Payment, finding: Finding): Promise<boolean> {
    const { chainId, recipient, idempotencyKey } = toRefColumns(payment);
    const { state, blockNumber, blockHash, cost, countedAtMs, finalAtMs } = finding;
    const count = await database.$executeRaw`
      UPDATE "Payment" SET "state" = ${state}, "blockNumber" = ${blockNumber}, "blockHash" = ${blockHash},
        "addressCost" = CASE WHEN "addressCost" IS NULL THEN NULL ELSE CAST(${BigInt(cost)} AS BIGINT) END,
        "totalCost" = CASE WHEN "totalCost" IS NULL THEN NULL ELSE CAST(${BigInt(cost)} AS BIGINT) END,
        "countedAtMs" = ${BigInt(countedAtMs)}, "finalAtMs" = ${finalAtMs === null ? null : BigInt(finalAtMs)}
      WHERE "chainId" = ${chainId} AND "recipient" = ${recipient} AND "idempotencyKey" = ${idempotencyKey}
        AND "state" = ${payment.state} AND COALESCE("blockHash", '') = ${payment.blockHash ?? ""}
        AND "finalAtMs" IS NULL`;
    return count === 1;
  }

  /** Once for each payment, together with its notification. */
  async function markTold(
    ref: PaymentRef,
    nowMs: number,
    enqueue: (transaction: Prisma.TransactionClient) => Promise<unknown>,
  ): Promise<boolean> {
    return await database.$transaction(async (transaction) => {
      const { count } = await transaction.payment.updateMany({
        where: { ...toRefColumns(ref), toldAtMs: null },
        data: { toldAtMs: BigInt(nowMs) },
      });
      if (count === 1) await enqueue(transaction);
      return count === 1;
    });
  }

  return {
    findPayment,
    listOpen,
    listUnsettled,
    reviveFrom,
    readOpen,
    findLastNonce,
    sum: (window: PaymentWindow) => sumPayments(database, window),
    acquireTurn,
    releaseTurn,
    recordSigned,
    noteFinding,
    markTold,
  };
}

async function findExhausted(
  transaction: Prisma.TransactionClient,
  { chainId, recipient, maxCost }: SignedPayment,
  { address, total }: WindowBounds,
): Promise<RecordOutcome | null> {
  const sums = {
    address: await sumPayments(transaction, { chainId, recipient, sinceMs: address.sinceMs }),
    total: await sumPayments(transaction, { chainId, sinceMs: total.sinceMs }),
  };
  for (const [window, { limit }] of [
    ["address", address],
    ["total", total],
  ] as const) {
    const { spent, oldestAtMs } = sums[window];
    if (spent + maxCost > limit)
      return { outcome: "exhausted", window, left: Math.max(0, limit - spent), oldestAtMs };
  }
  return null;
}

/** False when another row has the nonce. */
async function insertSigned(transaction: Prisma.TransactionClient, payment: SignedPayment): Promise<boolean> {
  const { chainId, recipient, idempotencyKey } = toRefColumns(payment);
  const [cost, createdAtMs] = [BigInt(payment.maxCost), BigInt(payment.createdAtMs)];
  const inserted = await transaction.$executeRaw`
    INSERT INTO "Payment" ("chainId", "recipient", "idempotencyKey", "payer", "amountWei", "state", "rawTransaction",
      "transactionHash", "nonce", "signedAtBlock", "addressCost", "totalCost", "createdAtMs", "countedAtMs")
    VALUES (${chainId}, ${recipient}, ${idempotencyKey}, ${payment.payer.toLowerCase()},
      ${String(payment.amountWei)}, 'signed', ${payment.rawTransaction}, ${payment.transactionHash},
      ${BigInt(payment.nonce)}, ${payment.signedAtBlock}, ${cost}, ${cost}, ${createdAtMs}, ${createdAtMs})
    ON CONFLICT DO NOTHING`;
  return inserted === 1;
}

function toRefColumns({ chainId, recipient, idempotencyKey }: PaymentRef) {
  return { chainId: BigInt(chainId), recipient: recipient.toLowerCase(), idempotencyKey };
}

type PaymentRow = NonNullable<Awaited<ReturnType<Database["payment"]["findUnique"]>>>;

function toPayment(row: PaymentRow): Payment {
  const { idempotencyKey, signedAtBlock, blockNumber } = row;
  return {
    idempotencyKey,
    signedAtBlock,
    blockNumber,
    chainId: Number(row.chainId),
    recipient: row.recipient as Address,
    payer: row.payer as Address,
    amountWei: BigInt(row.amountWei),
    state: row.state as PaymentState,
    rawTransaction: row.rawTransaction as Hex,
    transactionHash: row.transactionHash as Hex,
    nonce: Number(row.nonce),
    blockHash: row.blockHash as Hex | null,
    createdAtMs: Number(row.createdAtMs),
    finalAtMs: row.finalAtMs === null ? null : Number(row.finalAtMs),
    toldAtMs: row.toldAtMs === null ? null : Number(row.toldAtMs),
  };
}
