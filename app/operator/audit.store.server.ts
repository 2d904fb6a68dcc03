import { randomUUID } from "node:crypto";
import type { Prisma } from "~/generated/sqlite/client";

/** Who does something in the operator's view. */
export type Actor = { clientId: string; requestId: string };

export type AuditRecord = Actor & {
  kind: `operator-${"sign-in" | "sign-in-refused" | "sign-out" | "export" | "retry" | "mark" | "check"}`;
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
