import { randomUUID } from "node:crypto";
import type { Prisma } from "~/generated/sqlite/client";

/** Who does something in the operator's view. */
export type Actor = { clientId: string; requestId: string };

export type AuditRecord = Actor & {
  kind: `operator-${"sign-in" | "sign-out" | "export" | "retry" | "mark" | "check"}`;
  detail: Readonly<Record<string, unknown>>;
};

/** In the transaction of what it records: neither exists without the other, and both are durable. */
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
 * One row for an address and hour, with their number and the latest of them: a stranger's attempts must not fill the table.
 * One statement, so that none is lost among many at once; text of one shape, which both databases count up alike.
 */
export async function countRefusedSignIn(
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
