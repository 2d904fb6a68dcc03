import type { Address } from "viem";
import { Prisma } from "~/generated/sqlite/client";

/** Whose payments are added up: those of one recipient, or all of a chain. */
export type PaymentWindow = { chainId: number; recipient?: Address; sinceMs: number };

/** In millionths of the chain's coin. `oldestAtMs`: the moment that the oldest decided payment counts for. */
export type PaymentSum = { spent: number; oldestAtMs: number | null };

/** The subject under which the sum of all payments is reset. No address is called like this. */
const allPayments = "all-payments";

/**
 * A payment counts from its block's time; while it is open always, because its money may leave at any moment. One
 * statement, so that sum and oldest payment are of the same rows.
 */
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
