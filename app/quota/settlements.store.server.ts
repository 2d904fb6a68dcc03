import type { Database } from "~/platform/database/database.server";
import type { Figure, TransactionStatements } from "~/platform/database/direct-statements.server";
import { givenRows, inParts } from "~/platform/database/given-rows.server";
import type { QuotaOwner } from "./quota-subject";

/** What an answer really took. */
export type Settlement = { reservationId: string; usedTokens: number };

/** Whether it settled. */
type SettleWithin = (transaction: TransactionStatements, settlement: Settlement) => Promise<boolean>;

/** By the ids of reservations: what each used. */
type Usages = Map<string, number>;

/** What is asked of one transaction at once is settled together: answers end in groups. */
export const settlementsOn = (database: Database): SettleWithin => {
  const asked = new WeakMap<TransactionStatements, { usages: Usages; settled: Promise<Set<string>> }>();

  async function settleAsked(transaction: TransactionStatements, usages: Usages) {
    // Those that ask now have done so by then.
    await null;
    asked.delete(transaction);
    const settled: string[] = [];
    for (const some of inParts([...usages]))
      settled.push(...(await settleSome(database, transaction, new Map(some))));
    return new Set(settled);
  }

  return async function settleWithin(transaction, { reservationId, usedTokens }) {
    let together = asked.get(transaction);
    if (together === undefined) {
      const usages: Usages = new Map();
      together = { usages, settled: settleAsked(transaction, usages) };
      asked.set(transaction, together);
    }
    const { usages, settled } = together;
    if (!usages.has(reservationId)) usages.set(reservationId, usedTokens);
    return (await settled).delete(reservationId);
  };
};

type Settled = QuotaOwner & { id: string; windowResetAtMs: Figure };
type Sum = { kind: string; subject: string; resetAtMs: number; used: number };

/**
 * Counts in the windows they were reserved in, while those are open. Deleting a reservation decides who settles it; of
 * several at once exactly one. The ids of those that were settled: not before, and not wiped by a reset.
 */
async function settleSome(
  database: Database,
  { query, execute }: TransactionStatements,
  usages: Usages,
): Promise<string[]> {
  const given = [...usages.keys()].map((reservationId) => ({ reservationId }));
  const settled = await query<Settled>`
    DELETE FROM "QuotaReservation"
    WHERE "id" IN (SELECT given."reservationId" FROM ${givenRows(database, { reservationId: "TEXT" }, given)})
    RETURNING "id", "kind", "subject", "windowResetAtMs"`;
  const sums = new Map<string, Sum>();
  for (const { id, kind, subject, windowResetAtMs } of settled) {
    const window = `${kind} ${windowResetAtMs} ${subject}`;
    const sum = sums.get(window) ?? { kind, subject, resetAtMs: Number(windowResetAtMs), used: 0 };
    sum.used += Math.max(0, Math.ceil(usages.get(id) ?? 0));
    sums.set(window, sum);
  }
  if (sums.size > 0)
    await execute`
      UPDATE "QuotaWindow" AS w SET "used" = w."used" + given."used"
      FROM ${givenRows(database, sumColumns, [...sums.values()])}
      WHERE w."kind" = given."kind" AND w."subject" = given."subject" AND w."resetAtMs" = given."resetAtMs"`;
  return settled.map(({ id }) => id);
}

const sumColumns = { kind: "TEXT", subject: "TEXT", resetAtMs: "BIGINT", used: "INTEGER" } as const;
