import type { Clock } from "~/platform/time/clock";
import type { Database } from "~/platform/database/database.server";
import type { Redis } from "~/platform/redis/redis.server";
import type {
  ClearSums,
  DeletedWindows,
  OpenWindow,
  QuotaWindowStore,
  WindowTarget,
} from "./quota-windows.store.server";
import { toAuditRow } from "./quota-windows.store.server";
import { quotaKinds } from "./quota-subject";
import type { QuotaKind } from "./quota-subject";
import {
  deleteWindowsScript,
  listWindowsScript,
  quotaKeyStart,
  quotaKeys,
} from "./redis-quota-scripts.server";

type Options = { redis: Redis; database: Database; clock: Clock; clearPayments: ClearSums };

/**
 * What operators do with quotas that live in Redis. The audit entry stays in the database and is there first: a reset
 * of which nobody knows how far it came is known at least as ordered.
 */
export function createRedisQuotaWindowStore({
  redis,
  database,
  clock,
  clearPayments,
}: Options): QuotaWindowStore {
  return {
    async deleteWindows({ targets, record }) {
      const { id } = await database.auditEntry.create({ data: toAuditRow(record, clock) });
      const deleted: DeletedWindows = {};
      for (const target of targets) {
        // What payments cost stands in their own rows, wherever the windows are.
        const sums =
          target.kind === "crypto"
            ? await database.$transaction((transaction) => clearPayments(transaction, target.subjects))
            : 0;
        deleted[target.kind] = (await deleteOf(redis, target)) + sums;
      }
      await database.auditEntry.update({
        where: { id },
        data: { detail: JSON.stringify({ ...record.detail, deleted }) },
      });
      return deleted;
    },

    async listOpenWindows({ count }) {
      const nowMs = clock();
      const lists = await Promise.all(quotaKinds.map((kind) => listOf(redis, kind, nowMs)));
      return lists.flat().sort(compareWindows).slice(0, count);
    },
  };
}

async function deleteOf(redis: Redis, { kind, subjects }: WindowTarget): Promise<number> {
  const answer = await redis.run({
    script: deleteWindowsScript,
    keys: [quotaKeys.reservations, quotaKeys.subjects(kind), quotaKeyStart],
    parameters: [kind, ...(subjects === "all" ? ["all"] : ["named", ...new Set(subjects)])],
  });
  return Number(answer);
}

async function listOf(redis: Redis, kind: QuotaKind, nowMs: number): Promise<OpenWindow[]> {
  const answer = await redis.run({
    script: listWindowsScript,
    keys: [quotaKeys.subjects(kind), quotaKeyStart],
    parameters: [kind, nowMs],
  });
  const flat = answer as string[];
  return Array.from({ length: flat.length / 4 }, (_, index) => {
    const [subject = "", used, reserved, resetAtMs] = flat.slice(4 * index, 4 * index + 4);
    return { kind, subject, used: Number(used), reserved: Number(reserved), resetAtMs: Number(resetAtMs) };
  });
}

/** Those that were used most first, as in the database. */
function compareWindows(a: OpenWindow, b: OpenWindow): number {
  return b.used - a.used || compareText(a.kind, b.kind) || compareText(a.subject, b.subject);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
