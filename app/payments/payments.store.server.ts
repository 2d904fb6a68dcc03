import { sqltag as sql } from "@prisma/client/runtime/client";
import type { Address, Hex } from "viem";
import type { Database } from "~/platform/database/database.server";
import { databaseNowMs } from "~/platform/database/lease-condition.server";

export type PaymentRef = { chainId: number; recipient: Address; idempotencyKey: string };
export type Payer = { chainId: number; payer: Address };
export type PaymentState = "signed" | "paid" | "failed";

export type SignedPayment = PaymentRef & {
  createdAtMs: number;
  payer: Address;
  amountWei: bigint;
  rawTransaction: Hex;
  transactionHash: Hex;
  nonce: number;
  addressReservationId: string;
  dayReservationId: string;
};
export type Payment = SignedPayment & {
  state: PaymentState;
  blockNumber: bigint | null;
};

/** `lane-lost`: somebody else may sign by now, so that the nonce can be taken. Only what is `recorded` may be sent. */
export type RecordOutcome = "recorded" | "already-there" | "lane-lost";

export type PaymentStore = ReturnType<typeof createPaymentStore>;

/** More than one can be open only after the wallet was changed. */
const openBatch = 50;

export function createPaymentStore({ database }: { database: Database }) {
  const now = databaseNowMs(database);

  async function findPayment({ ref }: { ref: PaymentRef }): Promise<Payment | null> {
    const row = await database.payment.findUnique({
      where: { chainId_recipient_idempotencyKey: toRefColumns(ref) },
    });
    return row === null ? null : toPayment(row);
  }

  /** Payments of which the chain has not decided yet, oldest first. Without `payer`: of every wallet there was. */
  async function listOpen({ chainId, payer }: { chainId: number; payer?: Address }): Promise<Payment[]> {
    const rows = await database.payment.findMany({
      where: { chainId: BigInt(chainId), state: "signed", ...(payer && { payer: payer.toLowerCase() }) },
      orderBy: { createdAtMs: "asc" },
      take: openBatch,
    });
    return rows.map(toPayment);
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
   * True for one at a time, until it is given back or the lease is over, by the database's clock. `turn` names who has
   * it. A lease that ends later than one taken now was taken before that clock was set back, and is over as well.
   */
  async function takeLane({
    lane: { chainId, payer },
    turn,
    leaseSeconds,
  }: {
    lane: Payer;
    turn: string;
    leaseSeconds: number;
  }): Promise<boolean> {
    const until = sql`${now} + ${BigInt(leaseSeconds * 1000)}`;
    const count = await database.$executeRaw`
      INSERT INTO "PaymentLane" AS lane ("chainId", "payer", "holder", "leaseUntilMs")
      VALUES (${BigInt(chainId)}, ${payer.toLowerCase()}, ${turn}, ${until})
      ON CONFLICT ("chainId", "payer")
      DO UPDATE SET "holder" = excluded."holder", "leaseUntilMs" = ${until}
      WHERE lane."leaseUntilMs" <= ${now} OR lane."leaseUntilMs" > ${until}`;
    return count === 1;
  }

  /** Changes nothing when somebody else has the lane by now. */
  async function leaveLane({ turn }: { turn: string }): Promise<void> {
    await database.paymentLane.deleteMany({ where: { holder: turn } });
  }

  /**
   * Writes the signed transaction down, once for each reference, and has it on the disk when it answers. Touching the lane's row keeps it locked until the
   * commit, so nobody takes the lane over between the check and the write.
   */
  async function recordSigned({
    payment,
    turn,
  }: {
    payment: SignedPayment;
    turn: string;
  }): Promise<RecordOutcome> {
    const { chainId, recipient, idempotencyKey } = toRefColumns(payment);
    const payer = payment.payer.toLowerCase();
    return await database.$transaction(async (transaction) => {
      const { count } = await transaction.paymentLane.updateMany({
        where: { chainId, payer, holder: turn },
        data: { holder: turn },
      });
      if (count === 0) return "lane-lost";
      const inserted = await transaction.$executeRaw`
        INSERT INTO "Payment" ("chainId", "recipient", "idempotencyKey", "payer", "amountWei", "state",
          "rawTransaction", "transactionHash", "nonce", "addressReservationId", "dayReservationId", "createdAtMs")
        VALUES (${chainId}, ${recipient}, ${idempotencyKey}, ${payer}, ${String(payment.amountWei)}, 'signed',
          ${payment.rawTransaction}, ${payment.transactionHash}, ${BigInt(payment.nonce)},
          ${payment.addressReservationId}, ${payment.dayReservationId}, ${BigInt(payment.createdAtMs)})
        ON CONFLICT ("chainId", "recipient", "idempotencyKey") DO NOTHING`;
      return inserted === 1 ? "recorded" : "already-there";
    });
  }

  /** What the chain decided. Whoever comes second changes nothing. */
  async function closePayment({
    ref,
    state,
    blockNumber,
  }: {
    ref: PaymentRef;
    state: "paid" | "failed";
    blockNumber: bigint | null;
  }): Promise<boolean> {
    const { count } = await database.payment.updateMany({
      where: { ...toRefColumns(ref), state: "signed" },
      data: { state, blockNumber },
    });
    return count === 1;
  }

  return { findPayment, listOpen, findLastNonce, takeLane, leaveLane, recordSigned, closePayment };
}

function toRefColumns({ chainId, recipient, idempotencyKey }: PaymentRef) {
  return { chainId: BigInt(chainId), recipient: recipient.toLowerCase(), idempotencyKey };
}

type PaymentRow = NonNullable<Awaited<ReturnType<Database["payment"]["findUnique"]>>>;

function toPayment(row: PaymentRow): Payment {
  return {
    ...row,
    chainId: Number(row.chainId),
    recipient: row.recipient as Address,
    payer: row.payer as Address,
    amountWei: BigInt(row.amountWei),
    state: row.state as PaymentState,
    rawTransaction: row.rawTransaction as Hex,
    transactionHash: row.transactionHash as Hex,
    nonce: Number(row.nonce),
    createdAtMs: Number(row.createdAtMs),
  };
}
