import type { Clock } from "~/platform/time/clock";
import type { Database } from "~/platform/database/database.server";
import { addAuditEntry, countRefusedSignIn } from "./audit.store.server";
import type { Actor, AuditRecord } from "./audit.store.server";

export type SessionStore = ReturnType<typeof createSessionStore>;

/** Not every page is a write: idleness is known to the minute. */
const seenGrainMs = 60_000;

export function createSessionStore(database: Database, clock: Clock) {
  async function startSession(digest: string, actor: Actor, endsAtMs: number): Promise<void> {
    const nowMs = clock();
    const now = BigInt(nowMs);
    await database.$transaction(async (transaction) => {
      await transaction.operatorSession.create({
        data: {
          digest,
          clientId: actor.clientId,
          startedAtMs: now,
          seenAtMs: now,
          endsAtMs: BigInt(endsAtMs),
        },
      });
      const detail = { endsAt: new Date(endsAtMs).toISOString() };
      await addAuditEntry(transaction, { ...actor, kind: "operator-sign-in", detail }, nowMs);
    });
  }

  /** Counts as a use of the session. False when there is none, or it was idle for too long, or has expired. */
  async function useSession(digest: string, idleMs: number): Promise<boolean> {
    const nowMs = clock();
    const row = await database.operatorSession.findUnique({ where: { digest } });
    if (row === null) return false;
    const seenAtMs = Number(row.seenAtMs);
    if (nowMs >= row.endsAtMs || nowMs >= seenAtMs + idleMs) return false;
    if (nowMs >= seenAtMs + seenGrainMs) {
      // Only where the row still is: a session that was ended meanwhile stays ended.
      await database.operatorSession.updateMany({ where: { digest }, data: { seenAtMs: BigInt(nowMs) } });
    }
    return true;
  }

  /** A session that has ended already is not audited again. */
  async function endSession(digest: string, actor: Actor): Promise<void> {
    const nowMs = clock();
    await database.$transaction(async (transaction) => {
      const { count } = await transaction.operatorSession.deleteMany({ where: { digest } });
      if (count === 0) return;
      await addAuditEntry(transaction, { ...actor, kind: "operator-sign-out", detail: {} }, nowMs);
    });
  }

  async function recordAudit(record: AuditRecord): Promise<void> {
    await database.$transaction((transaction) => addAuditEntry(transaction, record, clock()));
  }

  async function recordRefusal(actor: Actor): Promise<void> {
    await database.$transaction((transaction) => countRefusedSignIn(transaction, actor, clock()));
  }

  return { startSession, useSession, endSession, recordAudit, recordRefusal };
}
