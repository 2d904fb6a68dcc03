import { randomUUID } from "node:crypto";
import type { Database } from "~/platform/database/database.server";
import type { Redis } from "~/platform/redis/redis.server";
import type { Clock } from "~/platform/time/clock";
import { expiryMarginSeconds } from "./quota-headers";
import { quotaKinds } from "./quota-subject";
import type { QuotaKind } from "./quota-subject";
import { createQuotaStore, orphanBatch, settleEach } from "./quota.store.server";
import type { QuotaStore, ReserveOutcome, ReserveRequest, Usage } from "./quota.store.server";
import { toAuditRow } from "./quota-windows.store.server";
import type {
  ClearSums,
  DeletedWindows,
  OpenWindow,
  QuotaWindowStore,
  WindowTarget,
} from "./quota-windows.store.server";
import {
  deleteWindowsScript,
  listReservationsScript,
  listWindowsScript,
  quotaKeys,
  quotaKeyStart,
  reserveScript,
  settleScript,
  standingScript,
} from "./redis-quota-scripts.server";

/** Keys outlive their window by this: Redis's clock may be ahead of ours. */
const keepMs = 60_000;
/** `usedTokens` that settles a reservation in full. */
const inFull = -1;

type LedgerOptions = { redis: Redis; database: Database; clock: Clock; instance: string };

/** The ledger of several instances, in Redis. */
export function createRedisQuotaStore({ redis, database, clock, instance }: LedgerOptions): QuotaStore {
  // Which processes are alive is kept there.
  const inDatabase = createQuotaStore(database, clock, instance);

  async function settleOnce({ reservationId, usedTokens }: Usage): Promise<boolean> {
    const keys = [quotaKeys.reservation(reservationId), quotaKeys.reservations, quotaKeyStart];
    const parameters = [reservationId, usedTokens];
    return (await redis.run({ script: settleScript, keys, parameters })) === 1;
  }

  return {
    ...inDatabase,

    reserve: (request) => reserve(redis, { nowMs: clock(), instance, ...request }),

    settle: ({ reservationId, usedTokens }) =>
      settleOnce({ reservationId, usedTokens: Math.max(0, Math.ceil(usedTokens)) }),

    async settleOrphans({ nowMs, goneInstances = [], findUsages }) {
      const expired = await listReservations(redis, nowMs);
      const left = goneInstances.length === 0 ? [] : await listReservations(redis);
      const gone = left.filter((reservation) => goneInstances.includes(reservation.instance));
      const ids = [...new Set([...expired, ...gone].map(({ id }) => id))];
      let count = 0;
      for (let from = 0; count === 0 && from < ids.length; from += orphanBatch) {
        const orphans = ids.slice(from, from + orphanBatch).map((id) => ({ id, amount: inFull }));
        count = await settleEach(orphans, findUsages, settleOnce);
      }
      return count;
    },

    async forgetInstances(names) {
      if (names.length === 0) return;
      const left = new Set((await listReservations(redis)).map((reservation) => reservation.instance));
      await inDatabase.forgetInstances(names.filter((name) => !left.has(name)));
    },

    async readStanding({ owner, limit }) {
      const reply = await redis.run({
        script: standingScript,
        keys: [quotaKeys.window(owner), quotaKeys.held(owner)],
        parameters: [clock()],
      });
      const [used = 0, reserved = 0, resetAtMs = null] = (reply as string[]).map(Number);
      return { limit, used, reserved, remaining: Math.max(0, limit - used - reserved), resetAtMs };
    },
  };
}

async function reserve(
  redis: Redis,
  request: ReserveRequest & { nowMs: number; instance: string },
): Promise<ReserveOutcome> {
  const { owner, wanted, minimum = 1, limit, windowSeconds, expiresInSeconds, nowMs, instance } = request;
  const { reservationId = randomUUID() } = request;
  const windowMs = windowSeconds * 1000;
  const reply = await redis.run({
    script: reserveScript,
    keys: [
      quotaKeys.window(owner),
      quotaKeys.held(owner),
      quotaKeys.reservation(reservationId),
      quotaKeys.reservations,
      quotaKeys.subjects(owner.kind),
      quotaKeyStart,
    ],
    parameters: [
      nowMs,
      nowMs + windowMs,
      windowMs + keepMs,
      Math.max(1, Math.ceil(wanted)),
      minimum,
      limit,
      reservationId,
      owner.kind,
      owner.subject,
      nowMs + expiresInSeconds * 1000,
      instance,
      expiryMarginSeconds * 1000,
    ],
  });
  const [amount, used, reserved, resetAtMs, endsAtMs] = (reply as string[]).map(Number) as [
    ...[number, number, number, number],
    number?,
  ];
  const remaining = Math.max(0, limit - used - reserved);
  const reservations = endsAtMs === undefined ? null : { amount: reserved, endsAtMs };
  return amount === 0
    ? { outcome: "exhausted", remaining, resetAtMs, reservations }
    : { outcome: "reserved", reservationId, amount, limit, used, reserved, remaining, resetAtMs };
}

/** `expiredAtMs`: only those that have expired by then, the longest first; otherwise all. */
async function listReservations(redis: Redis, expiredAtMs?: number) {
  const parameters = expiredAtMs === undefined ? ["+inf", -1] : [expiredAtMs, orphanBatch];
  const keys = [quotaKeys.reservations];
  const reply = await redis.run({ script: listReservationsScript, keys, parameters });
  return (reply as string[]).map((entry) => {
    const [id = "", ...words] = entry.split(" ");
    return { id, instance: words.join(" ") };
  });
}

type Options = { redis: Redis; database: Database; clock: Clock; clearPayments: ClearSums };

/** Writes the audit entry first, in the database: if a reset fails half-way, the order is known. */
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
        // Payments stay in the database.
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
  const reply = await redis.run({
    script: deleteWindowsScript,
    keys: [quotaKeys.reservations, quotaKeys.subjects(kind), quotaKeyStart],
    parameters: [kind, ...(subjects === "all" ? ["all"] : ["named", ...new Set(subjects)])],
  });
  return Number(reply);
}

async function listOf(redis: Redis, kind: QuotaKind, nowMs: number): Promise<OpenWindow[]> {
  const reply = await redis.run({
    script: listWindowsScript,
    keys: [quotaKeys.subjects(kind), quotaKeyStart],
    parameters: [kind, nowMs],
  });
  const flat = reply as string[];
  return Array.from({ length: flat.length / 4 }, (_, index) => {
    const [subject = "", used, reserved, resetAtMs] = flat.slice(4 * index, 4 * index + 4);
    return { kind, subject, used: Number(used), reserved: Number(reserved), resetAtMs: Number(resetAtMs) };
  });
}

function compareWindows(a: OpenWindow, b: OpenWindow): number {
  return b.used - a.used || compareText(a.kind, b.kind) || compareText(a.subject, b.subject);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
