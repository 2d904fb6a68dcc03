import type { Address } from "viem";
import { Prisma } from "~/generated/sqlite/client";

/** Whose payments are added up: those of one recipient, or all of a chain. */
export type PaymentWindow = { chainId: number; recipient?: Address; sinceMs: number };

/** In millionths of the chain's coin. `oldestAtMs`: the moment that the oldest decided payment counts for. */
export type PaymentSum = { spent: number; oldestAtMs: number | null };

/** The subject under which the sum of all payments is reset. No address is called like this. */
const allPayments = "all-payments";

/** A payment counts from its block's time; while it is open always, because its money may leave at any moment. */
export async function sumPayments(
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

/** For the wallets that are named, or for all and their sum. Returns how many wallets, and one more for the sum. */
export async function clearPaymentSums(
  transaction: Pick<Prisma.TransactionClient, "$queryRaw" | "$executeRaw">,
  subjects: "all" | readonly string[],
): Promise<number> {
  const wallets = subjects === "all" ? [] : subjects.filter((subject) => subject !== allPayments);
  const whose =
    subjects === "all" ? Prisma.sql`1 = 1` : Prisma.sql`"recipient" IN (${Prisma.join(["", ...wallets])})`;
  const [row] = await transaction.$queryRaw<{ count: bigint | number }[]>`
    SELECT COUNT(DISTINCT "recipient") AS "count" FROM "Payment" WHERE "addressCost" IS NOT NULL AND ${whose}`;
  await transaction.$executeRaw`
    UPDATE "Payment" SET "addressCost" = NULL WHERE "addressCost" IS NOT NULL AND ${whose}`;
  const isSumCleared = subjects === "all" || subjects.includes(allPayments);
  const rest = isSumCleared
    ? await transaction.$executeRaw`UPDATE "Payment" SET "totalCost" = NULL WHERE "totalCost" IS NOT NULL`
    : 0;
  return Number(row?.count ?? 0) + (rest > 0 ? 1 : 0);
}
