import type { Prisma } from "~/generated/sqlite/client";
import { leaseMarginSeconds } from "./quota-lease";
import type { SetAside } from "./quota-lease";
import type { QuotaOwner } from "./quota-subject";

type ReadSetAsideOptions = {
  transaction: Prisma.TransactionClient;
  owner: QuotaOwner;
  resetAtMs: bigint;
  nowMs: number;
};

/** What should have ended by now belongs to nobody any more, and is settled when its lease runs out. */
export async function readSetAside({
  transaction,
  owner,
  resetAtMs,
  nowMs,
}: ReadSetAsideOptions): Promise<SetAside> {
  const marginMs = BigInt(leaseMarginSeconds) * 1000n;
  const [row] = await transaction.$queryRaw<{ amount: number | bigint; endsAtMs: bigint | null }[]>`
    SELECT COALESCE(SUM("amount"), 0) AS "amount",
      MIN(CASE WHEN "leaseUntilMs" - ${marginMs} > ${BigInt(nowMs)}
        THEN "leaseUntilMs" - ${marginMs} ELSE "leaseUntilMs" END) AS "endsAtMs"
    FROM "QuotaReservation"
    WHERE "kind" = ${owner.kind} AND "subject" = ${owner.subject} AND "windowResetAtMs" = ${resetAtMs}`;
  return { amount: Number(row?.amount ?? 0), endsAtMs: Number(row?.endsAtMs ?? resetAtMs) };
}
