import { randomUUID } from "node:crypto";
import { setImmediate as letOthersRun } from "node:timers/promises";
import type { Prisma } from "~/generated/sqlite/client";
import type { Clock } from "~/platform/time/clock";
import type { Database } from "~/platform/database/database.server";
import type { QuotaKind } from "./quota-subject";

export type WindowTarget = { kind: QuotaKind; subjects: "all" | readonly string[] };

type ResetRecord = { clientId: string; requestId: string; detail: Record<string, unknown> };

type WindowReset = { targets: readonly WindowTarget[]; record: ResetRecord };

export type OpenWindow = { kind: string; subject: string; used: number; reserved: number; resetAtMs: number };

/**
 * Clears what payments have spent, in the transaction, for the named subjects or all. Returns how many subjects had
 * something to clear.
 */
export type ClearSums = (
  transaction: Prisma.TransactionClient,
  subjects: WindowTarget["subjects"],
) => Promise<number>;

export type DeletedWindows = Partial<Record<QuotaKind, number>>;
export type QuotaWindowStore = ReturnType<typeof createQuotaWindowStore>;

export function toAuditRow({ clientId, requestId, detail }: ResetRecord, clock: Clock) {
  return {
    id: randomUUID(),
    atMs: BigInt(clock()),
    kind: "quota-reset",
    clientId,
    requestId,
    detail: JSON.stringify(detail),
  };
}

export function createQuotaWindowStore(database: Database, clock: Clock, clearPayments: ClearSums) {
  /**
   * Deletes windows and their reservations, with an audit entry: all or nothing. A running reply counts nowhere then.
   * Reservations go first, in the order in which settling takes its locks.
   */
  async function deleteWindows({ targets, record }: WindowReset): Promise<DeletedWindows> {
    return await database.$transaction(async (transaction) => {
      const deleted: DeletedWindows = {};
      for (const { kind, subjects } of targets) {
        deleted[kind] = 0;
        for (const where of toConditions(kind, subjects)) {
          await transaction.quotaReservation.deleteMany({ where });
          deleted[kind] += (await transaction.quotaWindow.deleteMany({ where })).count;
          // SQLite statements are synchronous.
          await letOthersRun();
        }
        if (kind === "crypto") deleted[kind] += await clearPayments(transaction, subjects);
      }
      const detail = { ...record.detail, deleted };
      await transaction.auditEntry.create({ data: toAuditRow({ ...record, detail }, clock) });
      return deleted;
    });
  }

  /** Open windows, the most used first. */
  async function listOpenWindows({ count }: { count: number }): Promise<OpenWindow[]> {
    const windows = await database.quotaWindow.findMany({
      where: { resetAtMs: { gt: BigInt(clock()) } },
      orderBy: [{ used: "desc" }, { kind: "asc" }, { subject: "asc" }],
      take: count,
    });
    const sums = await database.quotaReservation.groupBy({
      by: ["kind", "subject", "windowResetAtMs"],
      where: { subject: { in: windows.map(({ subject }) => subject) } },
      _sum: { amount: true },
    });
    return windows.map(({ kind, subject, used, resetAtMs }) => ({
      kind,
      subject,
      used,
      reserved:
        sums.find((sum) => sum.kind === kind && sum.subject === subject && sum.windowResetAtMs === resetAtMs)
          ?._sum.amount ?? 0,
      resetAtMs: Number(resetAtMs),
    }));
  }

  return { deleteWindows, listOpenWindows };
}

/** A statement with more subjects would block the event loop for too long. */
const subjectsAtOnce = 50;

function toConditions(kind: QuotaKind, subjects: WindowTarget["subjects"]) {
  if (subjects === "all") return [{ kind }];
  const count = Math.ceil(subjects.length / subjectsAtOnce);
  return Array.from({ length: count }, (_, index) => ({
    kind,
    subject: { in: subjects.slice(index * subjectsAtOnce, (index + 1) * subjectsAtOnce) },
  }));
}
