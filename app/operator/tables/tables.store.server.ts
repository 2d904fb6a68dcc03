import { formatEther } from "viem";
import type { Clock } from "~/platform/time/clock";
import type { Database } from "~/platform/database/database.server";
import { neverAttemptAtMs } from "~/platform/outbox/outbox";
import { createLimitSource } from "./limit-table.store.server";
import { createSource, toTableRow } from "./table-source.store.server";
import type { TableSource } from "./table-source.store.server";
import type { TableName } from "./table-spec";
import { tableSpecs } from "./table-specs";

export type TableStore = Readonly<Record<TableName, TableSource>>;

export function createTableStore(database: Database, clock: Clock): TableStore {
  const sources: TableStore = {
    keys: createSource(tableSpecs.keys, {
      model: database.usedKey,
      clock,
      keyColumns: ["usedAtMs", "tokenId", "contractAddress", "chainId"],
      toRow: toTableRow,
    }),
    submissions: createSource(tableSpecs.submissions, {
      model: database.submission,
      clock,
      keyColumns: ["createdAtMs", "id"],
      conditionOf: { state: (state) => ({ handledAtMs: state === "open" ? null : { not: null } }) },
      toRow: ({ messageHash: _messageHash, ...row }) => {
        return { ...toTableRow(row), state: row.handledAtMs === null ? "open" : "handled" };
      },
    }),
    outbox: createOutboxSource(database, clock),
    payments: createSource(tableSpecs.payments, {
      model: database.payment,
      clock,
      keyColumns: ["createdAtMs", "chainId", "recipient", "idempotencyKey"],
      toRow: ({
        createdAtMs,
        recipient,
        amountWei,
        state,
        nonce,
        blockNumber,
        transactionHash,
        chainId,
      }) => ({
        ...toTableRow({ createdAtMs, recipient, blockNumber, transactionHash, chainId }),
        nonce: Number(nonce),
        amount: formatEther(BigInt(amountWei)),
        state: state === "signed" ? "open" : state,
      }),
    }),
    quotas: createQuotaSource(database, clock),
    limits: createLimitSource(database, clock),
    decisions: createSource(tableSpecs.decisions, {
      model: database.accessDecision,
      clock,
      keyColumns: ["id"],
      toRow: toTableRow,
    }),
    audit: createSource(tableSpecs.audit, {
      model: database.auditEntry,
      clock,
      keyColumns: ["atMs", "id"],
      toRow: toTableRow,
    }),
  };
  return sources;
}

function createOutboxSource({ notificationDelivery }: Database, clock: Clock): TableSource {
  const never = BigInt(neverAttemptAtMs);
  const states: Record<string, object> = {
    delivered: { deliveredAtMs: { not: null } },
    waiting: { deliveredAtMs: null, nextAttemptAtMs: { lt: never } },
    "given-up": { deliveredAtMs: null, nextAttemptAtMs: never },
  };
  return createSource(tableSpecs.outbox, {
    model: {
      findMany: (request) => {
        const include = { notification: { select: { kind: true, createdAtMs: true } } };
        return notificationDelivery.findMany({ ...request, include });
      },
      count: notificationDelivery.count,
    },
    clock,
    keyColumns: ["notificationId", "channel"],
    conditionOf: {
      state: (state) => states[state] ?? {},
      createdAtMs: (since) => ({ notification: { createdAtMs: since } }),
    },
    orderOf: { createdAtMs: (order) => ({ notification: { createdAtMs: order } }) },
    toRow: ({ notification, notificationId, channel, attempts, lastError, ...row }) => {
      const isDelivered = row.deliveredAtMs !== null;
      const isGivenUp = row.nextAttemptAtMs === never;
      return {
        ...toTableRow({ notificationId, channel, attempts, lastError, ...notification }),
        state: isDelivered ? "delivered" : isGivenUp ? "given up" : "waiting",
        nextAttemptAtMs: isDelivered || isGivenUp ? null : Number(row.nextAttemptAtMs),
      };
    },
  });
}

function createQuotaSource({ quotaWindow, quotaReservation }: Database, clock: Clock): TableSource {
  const source = createSource(tableSpecs.quotas, {
    model: quotaWindow,
    clock,
    keyColumns: ["kind", "subject"],
    always: () => ({ resetAtMs: { gt: BigInt(clock()) } }),
    toRow: ({ windowStartMs: _windowStartMs, ...row }) => toTableRow(row),
  });
  return {
    ...source,
    async list(query) {
      const rows = await source.list(query);
      const sums = await quotaReservation.groupBy({
        by: ["kind", "subject", "windowResetAtMs"],
        where: { subject: { in: rows.map(({ subject }) => String(subject)) } },
        _sum: { amount: true },
      });
      return rows.map((row) => {
        const sum = sums.find(
          ({ kind, subject, windowResetAtMs }) =>
            kind === row.kind && subject === row.subject && Number(windowResetAtMs) === row.resetAtMs,
        );
        return { ...row, reserved: sum?._sum.amount ?? 0 };
      });
    },
  };
}

export function createMigrationReader(database: Database) {
  return async function readMigrations(): Promise<{ count: number; last: string | null }> {
    const [row] = await database.$queryRaw<{ count: number | bigint; last: string | null }[]>`
      SELECT COUNT(*) AS "count", MAX("migration_name") AS "last" FROM "_prisma_migrations"
      WHERE "finished_at" IS NOT NULL`;
    return { count: Number(row?.count ?? 0), last: row?.last ?? null };
  };
}
