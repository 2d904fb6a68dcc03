import { formatEther } from "viem";
import type { Clock } from "~/platform/clock";
import type { Database } from "~/platform/database/database.server";
import { neverAttemptAtMs } from "~/platform/outbox/outbox";
import { createLimitSource } from "./limit-table.store.server";
import { createSource, toTableRow } from "./table-source.store.server";
import type { TableSource } from "./table-source.store.server";
import type { TableName } from "./table-spec";
import { tableSpecs } from "./table-specs";

export type TableStore = Readonly<Record<TableName, TableSource>>;

export function createTableStore(database: Database, clock: Clock): TableStore {
  const { usedKey, submission, payment, accessDecision, auditEntry } = database;
  return {
    keys: createSource(tableSpecs.keys, {
      find: (request) => usedKey.findMany(request),
      count: (request) => usedKey.count(request),
      clock,
      keyColumns: ["usedAtMs", "tokenId", "contractAddress", "chainId"],
      toRow: toTableRow,
    }),
    submissions: createSource(tableSpecs.submissions, {
      find: (request) => submission.findMany({ ...request, omit: { messageHash: true } }),
      count: (request) => submission.count(request),
      clock,
      keyColumns: ["createdAtMs", "id"],
      conditionOf: {
        state: (state) => ({ handledAtMs: state === "open" ? null : { not: null } }),
      },
      toRow: (row) => ({ ...toTableRow(row), state: row.handledAtMs === null ? "open" : "handled" }),
    }),
    outbox: createOutboxSource(database, clock),
    payments: createSource(tableSpecs.payments, {
      find: (request) => payment.findMany(request),
      count: (request) => payment.count(request),
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
      find: (request) => accessDecision.findMany(request),
      count: (request) => accessDecision.count(request),
      clock,
      keyColumns: ["id"],
      toRow: toTableRow,
    }),
    audit: createSource(tableSpecs.audit, {
      find: (request) => auditEntry.findMany(request),
      count: (request) => auditEntry.count(request),
      clock,
      keyColumns: ["atMs", "id"],
      toRow: toTableRow,
    }),
  };
}

function createOutboxSource({ notificationDelivery }: Database, clock: Clock): TableSource {
  const never = BigInt(neverAttemptAtMs);
  const states: Record<string, object> = {
    delivered: { deliveredAtMs: { not: null } },
    waiting: { deliveredAtMs: null, nextAttemptAtMs: { lt: never } },
    "given-up": { deliveredAtMs: null, nextAttemptAtMs: never },
  };
  return createSource(tableSpecs.outbox, {
    find: (request) =>
      notificationDelivery.findMany({
        ...request,
        include: { notification: { select: { kind: true, createdAtMs: true } } },
      }),
    count: (request) => notificationDelivery.count(request),
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
    find: (request) => quotaWindow.findMany({ ...request, omit: { windowStartMs: true } }),
    count: (request) => quotaWindow.count(request),
    clock,
    keyColumns: ["kind", "subject"],
    always: () => ({ resetAtMs: { gt: BigInt(clock()) } }),
    toRow: toTableRow,
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
