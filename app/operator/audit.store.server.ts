import { randomUUID } from "node:crypto";
import type { Prisma } from "~/generated/sqlite/client";

/** Who does something in the operator's view. */
export type Actor = { clientId: string; requestId: string };

export type AuditKind =
  | "operator-sign-in"
  | "operator-sign-in-refused"
  | "operator-sign-out"
  | "operator-export"
  | "operator-retry"
  | "operator-mark";

export type AuditRecord = Actor & { kind: AuditKind; detail: Readonly<Record<string, unknown>> };

/** In the transaction of what it tells of: neither is there without the other, and both are durable. */
export async function addAuditEntry({
  transaction,
  record: { kind, clientId, requestId, detail },
  nowMs,
}: {
  transaction: Prisma.TransactionClient;
  record: AuditRecord;
  nowMs: number;
}): Promise<void> {
  await transaction.auditEntry.create({
    data: {
      id: randomUUID(),
      kind,
      clientId,
      requestId,
      atMs: BigInt(nowMs),
      detail: JSON.stringify(detail),
    },
  });
}
