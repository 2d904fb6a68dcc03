import { formatEther } from "viem";
import type { Clock } from "~/platform/clock";
import type { Database } from "~/platform/database/database.server";
import { neverAttemptAtMs } from "~/platform/outbox/outbox";
import { createLimitSource } from "./limit-table.store.server";
import { createSource, toMs } from "./table-source.store.server";
import type { TableSource } from "./table-source.store.server";
import type { TableName } from "./table-spec";

export type TableStore = Readonly<Record<TableName, TableSource>>;

/** All that the operator's tables show, each read as its table is described in table-spec.ts. */
export function createTableStore(database: Database, clock: Clock): TableStore {
  const sources: TableStore = {
    keys: createKeySource({ database, clock }),
    submissions: createSubmissionSource({ database, clock }),
    outbox: createOutboxSource({ database, clock }),
    payments: createPaymentSource({ database, clock }),
    quotas: createQuotaSource({ database, clock }),
    limits: createLimitSource(database, clock),
    decisions: createDecisionSource({ database, clock }),
    audit: createAuditSource({ database, clock }),
  };
  return sources;
}

type Parts = { database: Database; clock: Clock };

function createKeySource({ database, clock }: Parts): TableSource {
  return createSource({
    find: (request) => database.usedKey.findMany(request),
    count: (request) => database.usedKey.count(request),
    clock,
    timeColumn: "usedAtMs",
    keyColumns: ["usedAtMs", "tokenId", "contractAddress", "chainId"],
    toRow: ({ usedAtMs, tokenId, usedBy, contractAddress, chainId }) => ({
      usedAtMs: toMs(usedAtMs),
      tokenId,
      usedBy,
      contractAddress,
      chainId: String(chainId),
    }),
  });
}

function createSubmissionSource({ database, clock }: Parts): TableSource {
  return createSource({
    find: (request) => database.submission.findMany(request),
    count: (request) => database.submission.count(request),
    clock,
    timeColumn: "createdAtMs",
    keyColumns: ["createdAtMs", "id"],
    conditionOf: {
      state: (state) => ({ handledAtMs: state === "open" ? null : { not: null } }),
    },
    toRow: ({
      id,
      createdAtMs,
      tokenId,
      address,
      message,
      handledAtMs,
      contractAddress,
      chainId,
      requestId,
    }) => ({
      createdAtMs: toMs(createdAtMs),
      id,
      tokenId,
      address,
      message,
      contractAddress,
      requestId,
      chainId: String(chainId),
      state: handledAtMs === null ? "open" : "handled",
      handledAtMs: handledAtMs === null ? null : toMs(handledAtMs),
    }),
  });
}

function createOutboxSource({ database, clock }: Parts): TableSource {
  const never = BigInt(neverAttemptAtMs);
  const states: Record<string, object> = {
    delivered: { deliveredAtMs: { not: null } },
    waiting: { deliveredAtMs: null, nextAttemptAtMs: { lt: never } },
    "given-up": { deliveredAtMs: null, nextAttemptAtMs: never },
  };
  return createSource({
    find: (request) =>
      database.notificationDelivery.findMany({
        ...request,
        include: { notification: { select: { kind: true, createdAtMs: true } } },
      }),
    count: (request) => database.notificationDelivery.count(request),
    clock,
    timeColumn: "createdAtMs",
    keyColumns: ["notificationId", "channel"],
    conditionOf: {
      state: (state) => states[state] ?? {},
      createdAtMs: (since) => ({ notification: { createdAtMs: since } }),
    },
    orderOf: { createdAtMs: (order) => ({ notification: { createdAtMs: order } }) },
    toRow: ({
      notification,
      notificationId,
      channel,
      attempts,
      nextAttemptAtMs,
      deliveredAtMs,
      lastError,
    }) => {
      const isGivenUp = nextAttemptAtMs === never;
      return {
        notificationId,
        channel,
        attempts,
        lastError,
        kind: notification.kind,
        createdAtMs: toMs(notification.createdAtMs),
        state: deliveredAtMs !== null ? "delivered" : isGivenUp ? "given up" : "waiting",
        nextAttemptAtMs: deliveredAtMs !== null || isGivenUp ? null : toMs(nextAttemptAtMs),
      };
    },
  });
}

function createPaymentSource({ database, clock }: Parts): TableSource {
  return createSource({
    find: (request) => database.payment.findMany(request),
    count: (request) => database.payment.count(request),
    clock,
    timeColumn: "createdAtMs",
    keyColumns: ["createdAtMs", "chainId", "recipient", "idempotencyKey"],
    toRow: ({ createdAtMs, recipient, amountWei, state, nonce, blockNumber, transactionHash, ...row }) => ({
      recipient,
      transactionHash,
      nonce: Number(nonce),
      createdAtMs: toMs(createdAtMs),
      amount: formatEther(BigInt(amountWei)),
      state: state === "signed" ? "open" : state,
      blockNumber: blockNumber === null ? null : String(blockNumber),
      chainId: String(row.chainId),
    }),
  });
}

function createQuotaSource({ database, clock }: Parts): TableSource {
  const source = createSource({
    find: (request) => database.quotaWindow.findMany(request),
    count: (request) => database.quotaWindow.count(request),
    clock,
    timeColumn: null,
    keyColumns: ["kind", "subject"],
    always: () => ({ resetAtMs: { gt: BigInt(clock()) } }),
    toRow: ({ kind, subject, used, resetAtMs }) => ({ kind, subject, used, resetAtMs: toMs(resetAtMs) }),
  });
  return {
    ...source,
    list: async (request) => {
      const rows = await source.list(request);
      const sums = await database.quotaReservation.groupBy({
        by: ["kind", "subject", "windowResetAtMs"],
        where: { subject: { in: rows.map(({ subject }) => String(subject)) } },
        _sum: { amount: true },
      });
      return rows.map((row) => {
        const sum = sums.find(
          ({ kind, subject, windowResetAtMs }) =>
            kind === row.kind && subject === row.subject && toMs(windowResetAtMs) === row.resetAtMs,
        );
        return { ...row, reserved: sum?._sum.amount ?? 0 };
      });
    },
  };
}

function createDecisionSource({ database, clock }: Parts): TableSource {
  return createSource({
    find: (request) => database.accessDecision.findMany(request),
    count: (request) => database.accessDecision.count(request),
    clock,
    timeColumn: "atMs",
    keyColumns: ["id"],
    toRow: ({ atMs, ...rest }) => ({ ...rest, atMs: toMs(atMs) }),
  });
}

function createAuditSource({ database, clock }: Parts): TableSource {
  return createSource({
    find: (request) => database.auditEntry.findMany(request),
    count: (request) => database.auditEntry.count(request),
    clock,
    timeColumn: "atMs",
    keyColumns: ["atMs", "id"],
    toRow: ({ atMs, ...rest }) => ({ ...rest, atMs: toMs(atMs) }),
  });
}
