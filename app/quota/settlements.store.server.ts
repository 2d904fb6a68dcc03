import type { Transaction } from "~/platform/database/transactions.server";

/** What an answer really took. */
export type Settlement = { reservationId: string; usedTokens: number };

/**
 * Counts in the window it was reserved in, while that is open. Deleting the reservation decides who settles it: of several
 * at once exactly one. False: settled before, or wiped by a reset.
 */
export async function settleWithin(
  { client }: Pick<Transaction, "client">,
  { reservationId: id, usedTokens }: Settlement,
): Promise<boolean> {
  const reservation = await client.quotaReservation.findUnique({ where: { id } });
  if (reservation === null) return false;
  const deleted = await client.quotaReservation.deleteMany({ where: { id } });
  if (deleted.count === 0) return false;
  const { kind, subject, windowResetAtMs } = reservation;
  await client.quotaWindow.updateMany({
    where: { kind, subject, resetAtMs: windowResetAtMs },
    data: { used: { increment: Math.max(0, Math.ceil(usedTokens)) } },
  });
  return true;
}
