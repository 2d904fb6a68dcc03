import { randomUUID } from "node:crypto";
import { Prisma } from "~/generated/sqlite/client";
import type { Clock } from "~/platform/time/clock";
import type { Database } from "~/platform/database/database.server";
import { databaseNowMs } from "~/platform/database/database-clock.server";
import { expiryMarginSeconds } from "./quota-headers";
import type { Reservations } from "./quota-headers";
import type { QuotaOwner } from "./quota-subject";

export type QuotaStore = ReturnType<typeof createQuotaStore>;

export type Usage = { reservationId: string; usedTokens: number };

export const orphanBatch = 200;

/** The ledger of quotas. `instance` names this process among all that share the database. */
export function createQuotaStore(database: Database, clock: Clock, instance: string) {
  /**
   * Counts in the window it was reserved in, while that is open. If several calls come at once, the one that deletes
   * the reservation settles it. False: settled before, or wiped by a reset.
   */
  function settle({ reservationId: id, usedTokens }: Usage): Promise<boolean> {
    return database.$transaction(async (client) => {
      const [deleted] = await client.$queryRaw<{ kind: string; subject: string; windowResetAtMs: bigint }[]>`
        DELETE FROM "QuotaReservation" WHERE "id" = ${id} RETURNING "kind", "subject", "windowResetAtMs"`;
      if (!deleted) return false;
      const { kind, subject, windowResetAtMs } = deleted;
      await client.quotaWindow.updateMany({
        where: { kind, subject, resetAtMs: windowResetAtMs },
        data: { used: { increment: Math.max(0, Math.ceil(usedTokens)) } },
      });
      return true;
    });
  }

  return {
    /**
     * Opens a window at its first use. Reserves the wanted amount, or the rest if there is less. Used and reserved
     * together never pass the limit: the window's row is locked from the first statement to the commit.
     */
    reserve: (request: ReserveRequest): Promise<ReserveOutcome> =>
      database.$transaction((client) => reserveWithin(client, { ...request, nowMs: clock(), instance })),
    settle,
    /**
     * Settles reservations that have expired, and those of `goneInstances`. They count in full if the length of their
     * replies is unknown. 0: none are left, except of replies under way.
     */
    async settleOrphans({ nowMs, goneInstances = [], findUsages }: OrphanRequest): Promise<number> {
      const hasExpired = { expiresAtMs: { lte: BigInt(nowMs) } };
      let count = 0;
      for (let after: string | undefined = ""; count === 0 && after !== undefined;) {
        const orphans: { id: string; amount: number }[] = await database.quotaReservation.findMany({
          where: { id: { gt: after }, OR: [hasExpired, { instance: { in: [...goneInstances] } }] },
          orderBy: { id: "asc" },
          take: orphanBatch,
        });
        count = await settleEach(orphans, findUsages, settle);
        after = orphans.at(orphanBatch - 1)?.id;
      }
      return count;
    },
    async readStanding({ owner, limit }: { owner: QuotaOwner; limit: number }): Promise<QuotaStanding> {
      // One statement, so that a concurrent settlement counts exactly once.
      const [row] = await database.$queryRaw<{ used: number; reserved: bigint; resetAtMs: bigint }[]>`
        SELECT w."used", w."resetAtMs", (
          SELECT COALESCE(SUM(r."amount"), 0) FROM "QuotaReservation" AS r
          WHERE r."kind" = w."kind" AND r."subject" = w."subject" AND r."windowResetAtMs" = w."resetAtMs"
        ) AS "reserved"
        FROM "QuotaWindow" AS w
        WHERE w."kind" = ${owner.kind} AND w."subject" = ${owner.subject} AND w."resetAtMs" > ${BigInt(clock())}`;
      const { used, reserved } = { used: Number(row?.used ?? 0), reserved: Number(row?.reserved ?? 0) };
      const remaining = Math.max(0, limit - used - reserved);
      return {
        limit,
        used,
        reserved,
        remaining,
        resetAtMs: row === undefined ? null : Number(row.resetAtMs),
      };
    },
    ...openInstances(database, instance),
  };
}

/** The tokens that replies have used of their reservations. A reply under way settles its own. */
export type FindUsages = (
  reservationIds: readonly string[],
) => Promise<ReadonlyMap<string, { usedTokens: number; isUnderWay: boolean }>>;

type OrphanRequest = {
  nowMs: number;
  goneInstances?: readonly string[];
  findUsages?: FindUsages | undefined;
};

/** Returns how many it settled. */
export async function settleEach(
  orphans: readonly { id: string; amount: number }[],
  findUsages: FindUsages | undefined,
  settle: (usage: Usage) => Promise<boolean>,
): Promise<number> {
  const usages = await findUsages?.(orphans.map(({ id }) => id));
  let count = 0;
  for (const { id: reservationId, amount } of orphans) {
    const usage = usages?.get(reservationId);
    if (usage?.isUnderWay) continue;
    if (await settle({ reservationId, usedTokens: usage?.usedTokens ?? amount })) count++;
  }
  return count;
}

/** Which processes are alive, by the database's clock, also if reservations are in Redis. */
function openInstances(database: Database, instance: string) {
  const now = databaseNowMs(database);
  return {
    /** Declares this process alive until the timeout. False if it didn't count as alive before. */
    async sendHeartbeat({ timeoutMs }: { timeoutMs: number }): Promise<boolean> {
      const until = Prisma.sql`${now} + ${BigInt(timeoutMs)}`;
      const renewed = await database.$executeRaw`
        UPDATE "QuotaInstance" SET "expiresAtMs" = ${until}
        WHERE "instance" = ${instance} AND "expiresAtMs" > ${now}`;
      if (renewed === 1) return true;
      await database.$executeRaw`
        INSERT INTO "QuotaInstance" ("instance", "expiresAtMs") VALUES (${instance}, ${until})
        ON CONFLICT ("instance") DO UPDATE SET "expiresAtMs" = excluded."expiresAtMs"`;
      return false;
    },
    async leave(): Promise<void> {
      await database.quotaInstance.updateMany({ where: { instance }, data: { expiresAtMs: 0n } });
    },
    /** Processes that never sent a heartbeat are not listed. */
    async listGoneInstances(): Promise<string[]> {
      const rows = await database.$queryRaw<{ instance: string }[]>`
        SELECT "instance" FROM "QuotaInstance" WHERE "expiresAtMs" <= ${now}`;
      return rows.map((row) => row.instance);
    },
    /** Keeps those that are back or still have reservations. */
    async forgetInstances(instances: readonly string[]): Promise<void> {
      if (instances.length === 0) return;
      await database.$executeRaw`
        DELETE FROM "QuotaInstance" WHERE "instance" IN (${Prisma.join([...instances])}) AND "expiresAtMs" <= ${now}
          AND NOT EXISTS (
            SELECT 1 FROM "QuotaReservation" AS r WHERE r."instance" = "QuotaInstance"."instance"
          )`;
    },
  };
}

export type ReserveRequest = {
  owner: QuotaOwner;
  /** May be reserved in part. */
  wanted: number;
  /** Reserves nothing if less than this is left. Default: 1. */
  minimum?: number;
  limit: number;
  windowSeconds: number;
  /** `expiryMarginSeconds` longer than any reply takes. */
  expiresInSeconds: number;
  reservationId?: string | undefined;
};

/** Includes what was just reserved. `resetAtMs` null: no window is open. */
export type QuotaStanding = {
  limit: number;
  used: number;
  reserved: number;
  remaining: number;
  resetAtMs: number | null;
};

export type ReserveOutcome =
  | ({ outcome: "reserved"; reservationId: string; amount: number } & QuotaStanding & { resetAtMs: number })
  /** `reservations` null: the end of a reservation would not help. */
  | { outcome: "exhausted"; remaining: number; resetAtMs: number; reservations: Reservations | null };

type Client = Prisma.TransactionClient;
type OpenWindow = { used: number; resetAtMs: number };

async function reserveWithin(
  client: Client,
  request: ReserveRequest & { nowMs: number; instance: string },
): Promise<ReserveOutcome> {
  const { owner, wanted, minimum = 1, limit, nowMs, instance } = request;
  const { used, resetAtMs } = await lockWindow(client, request);
  // Read under the lock.
  const others = await client.quotaReservation.findMany({
    where: { ...owner, windowResetAtMs: BigInt(resetAtMs) },
    select: { amount: true, expiresAtMs: true },
  });
  const reserved = others.reduce((sum, { amount }) => sum + amount, 0);
  const remaining = Math.max(0, limit - used - reserved);
  if (remaining < minimum) {
    const ends = others.map(({ expiresAtMs }) => toEnd(Number(expiresAtMs), nowMs));
    const endsAtMs = ends.length > 0 ? Math.min(...ends) : resetAtMs;
    const ofOthers = limit - used >= minimum ? { amount: reserved, endsAtMs } : null;
    return { outcome: "exhausted", remaining, resetAtMs, reservations: ofOthers };
  }
  const amount = Math.min(Math.max(1, Math.ceil(wanted)), remaining);
  const reservationId = request.reservationId ?? randomUUID();
  const expiresAtMs = BigInt(nowMs + request.expiresInSeconds * 1000);
  await client.quotaReservation.create({
    data: { id: reservationId, ...owner, amount, windowResetAtMs: BigInt(resetAtMs), expiresAtMs, instance },
  });
  const figures = { limit, used, reserved: reserved + amount, remaining: remaining - amount, resetAtMs };
  return { outcome: "reserved", reservationId, amount, ...figures };
}

/** Reopens the window if it has expired. Locks it until the transaction ends. */
async function lockWindow(
  client: Client,
  { owner: { kind, subject }, windowSeconds, nowMs }: ReserveRequest & { nowMs: number },
): Promise<OpenWindow> {
  const resetAtMs = nowMs + windowSeconds * 1000;
  const opened = { used: 0, windowStartMs: BigInt(nowMs), resetAtMs: BigInt(resetAtMs) };
  const where = { kind_subject: { kind, subject } };
  // Adds nothing to an existing row, and thereby locks it.
  const window = await client.quotaWindow.upsert({
    where,
    create: { kind, subject, ...opened },
    update: { used: { increment: 0 } },
  });
  // A window from the future was opened before the clock was set back.
  if (window.resetAtMs > nowMs && window.windowStartMs <= resetAtMs)
    return { used: window.used, resetAtMs: Number(window.resetAtMs) };
  await client.quotaWindow.update({ where, data: opened });
  return { used: 0, resetAtMs };
}

/** When the reply must have ended. If that has passed, the reservation is settled when it expires. */
function toEnd(expiresAtMs: number, nowMs: number): number {
  const endsAtMs = expiresAtMs - expiryMarginSeconds * 1000;
  return endsAtMs > nowMs ? endsAtMs : expiresAtMs;
}
