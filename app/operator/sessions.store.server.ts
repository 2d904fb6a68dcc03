import type { Clock } from "~/platform/clock";
import type { Database } from "~/platform/database/database.server";
import { addAuditEntry } from "./audit.store.server";
import type { Actor, AuditRecord } from "./audit.store.server";

export type OperatorSession = { startedAtMs: number; endsAtMs: number };

export type SessionStore = ReturnType<typeof createSessionStore>;

/** Not every page is a write: idleness is known to the minute. */
const seenGrainMs = 60_000;

export function createSessionStore(database: Database, clock: Clock) {
  async function startSession({
    digest,
    actor,
    endsAtMs,
  }: {
    digest: string;
    actor: Actor;
    endsAtMs: number;
  }): Promise<void> {
    const nowMs = clock();
    await database.$transaction(async (transaction) => {
      await transaction.operatorSession.create({
        data: {
          digest,
          clientId: actor.clientId,
          startedAtMs: BigInt(nowMs),
          seenAtMs: BigInt(nowMs),
          endsAtMs: BigInt(endsAtMs),
        },
      });
      await addAuditEntry({
        transaction,
        record: { ...actor, kind: "operator-sign-in", detail: { endsAt: new Date(endsAtMs).toISOString() } },
        nowMs,
      });
    });
  }

  /** Null when there is none, or it was idle for so long, or its time is over. Counts as a use of it. */
  async function useSession({
    digest,
    idleMs,
  }: {
    digest: string;
    idleMs: number;
  }): Promise<OperatorSession | null> {
    const nowMs = clock();
    const row = await database.operatorSession.findUnique({ where: { digest } });
    if (row === null) return null;
    const [startedAtMs, seenAtMs, endsAtMs] = [row.startedAtMs, row.seenAtMs, row.endsAtMs].map(Number) as [
      number,
      number,
      number,
    ];
    if (nowMs >= endsAtMs || nowMs >= seenAtMs + idleMs) return null;
    if (nowMs >= seenAtMs + seenGrainMs) {
      // Only where the row still is: a session that was ended meanwhile stays ended.
      await database.operatorSession.updateMany({ where: { digest }, data: { seenAtMs: BigInt(nowMs) } });
    }
    return { startedAtMs, endsAtMs };
  }

  /** Ending what has ended already leaves no second trace. */
  async function endSession({ digest, actor }: { digest: string; actor: Actor }): Promise<void> {
    const nowMs = clock();
    await database.$transaction(async (transaction) => {
      const { count } = await transaction.operatorSession.deleteMany({ where: { digest } });
      if (count === 0) return;
      const record = { ...actor, kind: "operator-sign-out", detail: {} } as const;
      await addAuditEntry({ transaction, record, nowMs });
    });
  }

  async function recordAudit(record: AuditRecord): Promise<void> {
    const nowMs = clock();
    await database.$transaction((transaction) => addAuditEntry({ transaction, record, nowMs }));
  }

  return { startSession, useSession, endSession, recordAudit };
}
