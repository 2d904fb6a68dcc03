import type { Address, Hex } from "viem";
import { Prisma } from "~/generated/sqlite/client";
import type { Database } from "~/platform/database/database.server";
import { databaseNowMs } from "~/platform/database/database-clock.server";
import { isTaken } from "~/platform/database/write-conflict.server";

export type PaymentRef = { chainId: number; recipient: Address; idempotencyKey: string };
export type Payer = { chainId: number; payer: Address };

export type SignedPayment = PaymentRef & {
  createdAtMs: number;
  payer: Address;
  amountWei: bigint;
  /** The most it can cost, in millionths of the coin. */
  maxCost: number;
  rawTransaction: Hex;
  transactionHash: Hex;
  nonce: number;
  /** The newest block at that time; null for payments of an earlier version. */
  signedAtBlock: bigint | null;
};
export type Payment = Omit<SignedPayment, "maxCost"> & {
  state: "signed" | "paid" | "failed";
  blockNumber: bigint | null;
  blockHash: Hex | null;
  finalAtMs: number | null;
  toldAtMs: number | null;
};

export type WindowBounds = Record<"address" | "total", { limit: number; sinceMs: number }>;

/** Only a `recorded` payment may be sent. `turn-lost`: another process may sign by now. */
export type RecordOutcome =
  | { outcome: "recorded" | "already-there" | "turn-lost" | "nonce-taken" }
  | ({ outcome: "exhausted"; window: keyof WindowBounds; left: number } & Pick<PaymentSum, "oldestAtMs">);

type SignedOrder = { payment: SignedPayment; turn: string; bounds: WindowBounds };
type Transaction = Prisma.TransactionClient;

export type Finding = Pick<Payment, "state" | "blockNumber" | "blockHash" | "finalAtMs"> & {
  cost: number;
  countedAtMs: number;
};

export type PaymentStore = ReturnType<typeof createPaymentStore>;

/** Open payments count in the windows, so there are few, unless a chain vanished. */
const batchSize = 200;

export function createPaymentStore(database: Database) {
  async function list(query: Pick<Prisma.PaymentFindManyArgs, "where" | "orderBy">): Promise<Payment[]> {
    return (await database.payment.findMany({ ...query, take: batchSize })).map(toPayment);
  }

  return {
    async findPayment(ref: PaymentRef): Promise<Payment | null> {
      const where = { chainId_recipient_idempotencyKey: toRefColumns(ref) };
      const row = await database.payment.findUnique({ where });
      return row && toPayment(row);
    },

    /** Undecided payments, by nonce. */
    listOpen: (payer: Payer) =>
      list({
        where: { ...toPayerColumns(payer), finalAtMs: null, state: "signed" },
        orderBy: { nonce: "asc" },
      }),

    /** Payments of every wallet that are not final, oldest first. */
    listUnsettled: (chainId: number) =>
      list({ where: { chainId: BigInt(chainId), finalAtMs: null }, orderBy: { createdAtMs: "asc" } }),

    /** Reopens payments from a nonce on, and returns the first of them. */
    async reviveFrom(payer: Payer, nonce: number): Promise<Payment[]> {
      const where = { ...toPayerColumns(payer), nonce: { gte: BigInt(nonce) } };
      const final = { ...where, finalAtMs: { not: null } };
      await database.payment.updateMany({ where: final, data: { finalAtMs: null } });
      return await list({ where, orderBy: { nonce: "asc" } });
    },

    async readOpen() {
      const { _count: count, _min } = await database.payment.aggregate({
        where: { finalAtMs: null, state: "signed" },
        _count: true,
        _min: { createdAtMs: true },
      });
      return { count, oldestAtMs: toNumber(_min.createdAtMs) };
    },

    async findLastNonce(payer: Payer): Promise<number | null> {
      const where = toPayerColumns(payer);
      return toNumber((await database.payment.aggregate({ where, _max: { nonce: true } }))._max.nonce);
    },

    sum: (window: PaymentWindow) => sumPayments(database, window),

    /** True for one at a time, until `turn` releases it or it expires. */
    acquireTurn: (payer: Payer, turn: string, turnSeconds: number) =>
      acquireTurn(database, { ...payer, turn, turnSeconds }),

    /** Changes nothing if another process has the turn by now. */
    async releaseTurn(turn: string): Promise<void> {
      await database.paymentTurn.deleteMany({ where: { owner: turn } });
    },

    /** Writes the signed transaction if the windows have room for the most it can cost. Durable when it resolves. */
    async recordSigned(order: SignedOrder): Promise<RecordOutcome> {
      try {
        return await database.$transaction((transaction) => recordSigned(transaction, order));
      } catch (error) {
        // Another row has the nonce.
        if (isTaken(error, "Payment")) return { outcome: "nonce-taken" };
        throw error;
      }
    },

    /** Records the chain's state, unless another finding was recorded since the payment was read. */
    noteFinding: (payment: Payment, finding: Finding) => noteFinding(database, payment, finding),

    /** Once for each payment, together with its notification. */
    markTold: (ref: PaymentRef, nowMs: number, enqueue: (transaction: Transaction) => Promise<unknown>) =>
      database.$transaction(async (transaction) => {
        const { count } = await transaction.payment.updateMany({
          where: { ...toRefColumns(ref), toldAtMs: null },
          data: { toldAtMs: BigInt(nowMs) },
        });
        if (count === 1) await enqueue(transaction);
        return count === 1;
      }),
  };
}

/** By the database's clock. A later expiry than that of a new turn is from before the clock was set back. */
async function acquireTurn(
  database: Database,
  { chainId, payer, turn, turnSeconds }: Payer & { turn: string; turnSeconds: number },
): Promise<boolean> {
  const now = databaseNowMs(database);
  const until = Prisma.sql`${now} + ${BigInt(turnSeconds * 1000)}`;
  const count = await database.$executeRaw`
    INSERT INTO "PaymentLane" AS turn ("chainId", "payer", "holder", "leaseUntilMs")
    VALUES (${BigInt(chainId)}, ${payer.toLowerCase()}, ${turn}, ${until})
    ON CONFLICT ("chainId", "payer")
    DO UPDATE SET "holder" = excluded."holder", "leaseUntilMs" = ${until}
    WHERE turn."leaseUntilMs" <= ${now} OR turn."leaseUntilMs" > ${until}`;
  return count === 1;
}

/** Updating all wallets' turns locks them until the commit, so that no payment comes between the sums and the write. */
async function recordSigned(
  transaction: Transaction,
  { payment, turn, bounds }: SignedOrder,
): Promise<RecordOutcome> {
  const { chainId, payer } = toPayerColumns(payment);
  const turns = await transaction.$queryRaw<{ payer: string; owner: string }[]>`
    UPDATE "PaymentLane" SET "holder" = "holder" WHERE "chainId" = ${chainId} RETURNING "payer", "holder" AS "owner"`;
  if (!turns.some((row) => row.payer === payer && row.owner === turn)) return { outcome: "turn-lost" };
  const known = await transaction.payment.count({ where: toRefColumns(payment) });
  if (known > 0) return { outcome: "already-there" };
  const exhausted = await findExhausted(transaction, payment, bounds);
  if (exhausted) return exhausted;
  await insertSigned(transaction, payment);
  return { outcome: "recorded" };
}

/** One statement, because a reset may take the payment out of a sum meanwhile. */
async function noteFinding(database: Database, payment: Payment, finding: Finding): Promise<boolean> {
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

async function findExhausted(
  transaction: Transaction,
  { chainId, recipient, maxCost }: SignedPayment,
  bounds: WindowBounds,
): Promise<RecordOutcome | null> {
  for (const window of ["address", "total"] as const) {
    const { limit, sinceMs } = bounds[window];
    const whose = window === "address" ? { recipient } : {};
    const { spent, oldestAtMs } = await sumPayments(transaction, { chainId, sinceMs, ...whose });
    if (spent + maxCost > limit)
      return { outcome: "exhausted", window, left: Math.max(0, limit - spent), oldestAtMs };
  }
  return null;
}

async function insertSigned(transaction: Transaction, payment: SignedPayment): Promise<void> {
  const [cost, createdAtMs] = [BigInt(payment.maxCost), BigInt(payment.createdAtMs)];
  await transaction.payment.create({
    data: {
      ...toRefColumns(payment),
      payer: payment.payer.toLowerCase(),
      amountWei: String(payment.amountWei),
      state: "signed",
      rawTransaction: payment.rawTransaction,
      transactionHash: payment.transactionHash,
      nonce: BigInt(payment.nonce),
      signedAtBlock: payment.signedAtBlock,
      addressCost: cost,
      totalCost: cost,
      createdAtMs,
      countedAtMs: createdAtMs,
    },
  });
}

function toPayerColumns({ chainId, payer }: Payer) {
  return { chainId: BigInt(chainId), payer: payer.toLowerCase() };
}

function toRefColumns({ chainId, recipient, idempotencyKey }: PaymentRef) {
  return { chainId: BigInt(chainId), recipient: recipient.toLowerCase(), idempotencyKey };
}

function toNumber(column: bigint | null): number | null {
  return column === null ? null : Number(column);
}

type PaymentRow = NonNullable<Awaited<ReturnType<Database["payment"]["findUnique"]>>>;

function toPayment(row: PaymentRow): Payment {
  return {
    idempotencyKey: row.idempotencyKey,
    signedAtBlock: row.signedAtBlock,
    blockNumber: row.blockNumber,
    chainId: Number(row.chainId),
    recipient: row.recipient as Address,
    payer: row.payer as Address,
    amountWei: BigInt(row.amountWei),
    state: row.state as Payment["state"],
    rawTransaction: row.rawTransaction as Hex,
    transactionHash: row.transactionHash as Hex,
    nonce: Number(row.nonce),
    blockHash: row.blockHash as Hex | null,
    createdAtMs: Number(row.createdAtMs),
    finalAtMs: toNumber(row.finalAtMs),
    toldAtMs: toNumber(row.toldAtMs),
  };
}

/** Payments of one recipient, or all of a chain. */
type PaymentWindow = { chainId: number; recipient?: Address; sinceMs: number };

/** In millionths of the chain's coin. `oldestAtMs`: the timestamp of the oldest decided payment. */
type PaymentSum = { spent: number; oldestAtMs: number | null };

/** Resets the sum of all payments. No address has this name. */
const allPayments = "all-payments";

/**
 * A payment counts from its block's time. An open one always counts, because its money may leave at any moment. One
 * statement, so that sum and oldest payment are of the same rows.
 */
async function sumPayments(
  client: Pick<Prisma.TransactionClient, "$queryRaw">,
  { chainId, recipient, sinceMs }: PaymentWindow,
): Promise<PaymentSum> {
  const cost = recipient === undefined ? Prisma.sql`"totalCost"` : Prisma.sql`"addressCost"`;
  const whose =
    recipient === undefined ? Prisma.sql`1 = 1` : Prisma.sql`"recipient" = ${recipient.toLowerCase()}`;
  const [row] = await client.$queryRaw<{ spent: bigint | number; oldest: bigint | null }[]>`
    SELECT CAST(COALESCE(SUM(${cost}), 0) AS BIGINT) AS "spent",
      MIN(CASE WHEN "state" <> 'signed' THEN "countedAtMs" END) AS "oldest"
    FROM "Payment"
    WHERE "chainId" = ${BigInt(chainId)} AND ${whose} AND ${cost} IS NOT NULL
      AND ("countedAtMs" > ${BigInt(sinceMs)} OR ("finalAtMs" IS NULL AND "state" = 'signed'))`;
  const oldest = row?.oldest ?? null;
  return { spent: Number(row?.spent ?? 0), oldestAtMs: oldest === null ? null : Number(oldest) };
}

/** For the named wallets, or for all and their sum. Returns how many wallets, and one more for the sum. */
export async function clearPaymentSums(
  { payment }: Pick<Prisma.TransactionClient, "payment">,
  subjects: "all" | readonly string[],
): Promise<number> {
  const whose = subjects === "all" ? {} : { recipient: { in: [...subjects] } };
  const where = { addressCost: { not: null }, ...whose };
  const wallets = await payment.groupBy({ by: ["recipient"], where });
  await payment.updateMany({ where, data: { addressCost: null } });
  if (subjects !== "all" && !subjects.includes(allPayments)) return wallets.length;
  const cleared = await payment.updateMany({
    where: { totalCost: { not: null } },
    data: { totalCost: null },
  });
  return wallets.length + (cleared.count > 0 ? 1 : 0);
}
