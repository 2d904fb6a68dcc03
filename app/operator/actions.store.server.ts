import type { Clock } from "~/platform/time/clock";
import type { Database } from "~/platform/database/database.server";
import type { DeliveryRef } from "~/platform/outbox/outbox";
import type { Outbox } from "~/platform/outbox/outbox.store.server";
import { addAuditEntry } from "./sessions.store.server";
import type { Actor } from "./sessions.store.server";

export type ActionStore = ReturnType<typeof createActionStore>;

/** Actions on rows, each with its audit entry in the same transaction. Both return the number of rows. */
export function createActionStore(database: Database, clock: Clock, outbox: Outbox) {
  async function retryDeliveries(deliveries: DeliveryRef | "given-up", actor: Actor): Promise<number> {
    return await database.$transaction(async (transaction) => {
      const count = await outbox.retry(transaction, deliveries);
      const detail = { ...(deliveries === "given-up" ? { all: true } : deliveries), deliveries: count };
      await addAuditEntry(transaction, { ...actor, kind: "operator-retry", detail }, clock());
      return count;
    });
  }

  /** If the submission is marked already, nothing is audited. */
  async function markSubmission(submissionId: string, isHandled: boolean, actor: Actor): Promise<number> {
    const nowMs = clock();
    return await database.$transaction(async (transaction) => {
      const { count } = await transaction.submission.updateMany({
        where: { id: submissionId, handledAtMs: isHandled ? null : { not: null } },
        data: { handledAtMs: isHandled ? BigInt(nowMs) : null },
      });
      if (count === 0) return 0;
      const detail = { submissionId, state: isHandled ? "handled" : "open" };
      await addAuditEntry(transaction, { ...actor, kind: "operator-mark", detail }, nowMs);
      return count;
    });
  }

  async function findSubmission(id: string) {
    const row = await database.submission.findUnique({ where: { id } });
    return (
      row && {
        ...row,
        chainId: String(row.chainId),
        createdAtMs: Number(row.createdAtMs),
        handledAtMs: row.handledAtMs === null ? null : Number(row.handledAtMs),
      }
    );
  }

  return { retryDeliveries, markSubmission, findSubmission };
}
