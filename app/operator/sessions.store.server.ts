import type { Clock } from "~/platform/time/clock";
import type { Database } from "~/platform/database/database.server";
import { randomUUID } from "node:crypto";
import type { Prisma } from "~/generated/sqlite/client";

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

  /** Counts as a use of the session. False if it doesn't exist, was idle for too long, or has expired. */
  async function useSession(digest: string, idleMs: number): Promise<boolean> {
    const nowMs = clock();
    const row = await database.operatorSession.findUnique({ where: { digest } });
    if (row === null) return false;
    const seenAtMs = Number(row.seenAtMs);
    if (nowMs >= row.endsAtMs || nowMs >= seenAtMs + idleMs) return false;
    if (nowMs >= seenAtMs + seenGrainMs) {
      // Doesn't create the row again: a session that was ended meanwhile stays ended.
      await database.operatorSession.updateMany({ where: { digest }, data: { seenAtMs: BigInt(nowMs) } });
    }
    return true;
  }

  /** Audits only an existing session. */
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

export type Actor = { clientId: string; requestId: string };

type AuditRecord = Actor & {
  kind: `operator-${"sign-in" | "sign-out" | "export" | "retry" | "mark" | "check"}`;
  detail: Readonly<Record<string, unknown>>;
};

/** In the transaction of the recorded action: neither exists without the other. */
export async function addAuditEntry(
  transaction: Prisma.TransactionClient,
  { detail, ...record }: AuditRecord,
  nowMs: number,
): Promise<void> {
  await transaction.auditEntry.create({
    data: { ...record, id: randomUUID(), atMs: BigInt(nowMs), detail: JSON.stringify(detail) },
  });
}

const hourMs = 3_600_000;

/**
 * One row for an address and hour, with their number and the latest attempt, so that a stranger can't fill the table.
 * One statement, so that none is lost. The text has one shape, which both databases can increment.
 */
async function countRefusedSignIn(
  transaction: Prisma.TransactionClient,
  { clientId, requestId }: Actor,
  nowMs: number,
): Promise<void> {
  const id = `sign-in-refused ${Math.floor(nowMs / hourMs)} ${clientId}`;
  await transaction.$executeRaw`
    INSERT INTO "AuditEntry" AS a ("id", "atMs", "kind", "clientId", "requestId", "detail")
    VALUES (${id}, ${BigInt(nowMs)}, 'operator-sign-in-refused', ${clientId}, ${requestId}, '{"times":1}')
    ON CONFLICT ("id") DO UPDATE SET
      "atMs" = excluded."atMs",
      "requestId" = excluded."requestId",
      "detail" = '{"times":' || (CAST(substr(a."detail", 10, length(a."detail") - 10) AS INTEGER) + 1) || '}'`;
}
