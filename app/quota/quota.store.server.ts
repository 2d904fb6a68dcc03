import { randomUUID } from "node:crypto";
import { join, sqltag as sql } from "@prisma/client/runtime/client";
import type { Clock } from "~/platform/clock";
import type { Database } from "~/platform/database/database.server";
import { databaseNowMs } from "~/platform/database/lease-condition.server";
import type { Figure, Statements, TransactionStatements } from "~/platform/database/direct-statements.server";
import { createSharedTransactions } from "~/platform/database/shared-transactions.server";
import { expiryMarginSeconds } from "./quota-reservation";
import type { Reservations } from "./quota-reservation";
import type { QuotaOwner } from "./quota-subject";
import { settlementsOn } from "./settlements.store.server";
import type { Settlement } from "./settlements.store.server";

export type ReserveRequest = {
  owner: QuotaOwner;
  /** Tokens asked for; what is reserved may be less. */
  wanted: number;
  /** Less than this is of no use: then nothing is reserved. Default: 1. */
  minimum?: number;
  limit: number;
  windowSeconds: number;
  /** `expiryMarginSeconds` longer than any answer takes. */
  expiresInSeconds: number;
  /** Default: a new one. */
  reservationId?: string | undefined;
} & Within;

/** The database's transaction of which it becomes a part. Default: one of its own. */
type Within = { transaction?: TransactionStatements | null | undefined };

/** `used` and `reserved` include what was just reserved. `resetAtMs` null: no window is open. */
export type QuotaStanding = {
  limit: number;
  used: number;
  reserved: number;
  remaining: number;
  resetAtMs: number | null;
};

export type ReserveOutcome =
  | ({ outcome: "reserved"; reservationId: string; amount: number } & QuotaStanding & { resetAtMs: number })
  /** `reservations` null: too much is used for the end of a reservation to help. */
  | { outcome: "exhausted"; remaining: number; resetAtMs: number; reservations: Reservations | null };

export type QuotaStore = ReturnType<typeof createQuotaStore>;

export type Usage = Settlement & Within;

/** A crash leaves few reservations; they are looked at in batches of so many. */
const orphanBatch = 200;

/** The ledger of quotas. `instance` names this process among all that share the database. */
export function createQuotaStore(database: Database, clock: Clock, instance: string) {
  const transact = createSharedTransactions(database);
  const settleWithin = settlementsOn(database);

  /** False when it was settled before, or wiped by a reset. */
  function settle({ transaction, ...settlement }: Usage): Promise<boolean> {
    if (transaction) return settleWithin(transaction, settlement);
    return transact((own) => settleWithin(own, settlement));
  }

  return {
    /**
     * Opens the window at its first use, and reserves what is wanted or what is left. However many ask at once, used
     * and reserved together never pass the limit: the window's row is locked from the first statement to the commit.
     */
    reserve(request: ReserveRequest): Promise<ReserveOutcome> {
      const reserve = (statements: Statements) =>
        reserveLocked(statements, { nowMs: clock(), instance, ...request });
      return request.transaction ? reserve(request.transaction) : transact(reserve);
    },
    settle,
    /**
     * Settles reservations nobody will settle any more: those that have expired, and those of `goneInstances`. Where it
     * is unknown how long their answers became, in full: use must not go unrecorded. 0: there are none left, except of
     * answers under way.
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
        const usages = await findUsages?.(orphans.map(({ id }) => id));
        for (const { id: reservationId, amount } of orphans) {
          const usage = usages?.get(reservationId);
          if (usage?.isUnderWay) continue;
          if (await settle({ reservationId, usedTokens: usage?.usedTokens ?? amount })) count++;
        }
        after = orphans.at(orphanBatch - 1)?.id;
      }
      return count;
    },
    async readStanding({ owner, limit }: { owner: QuotaOwner; limit: number }): Promise<QuotaStanding> {
      const [row] = await database.$queryRaw<StandingRow[]>`
        SELECT w."used", w."resetAtMs", (
          SELECT COALESCE(SUM(r."amount"), 0) FROM "QuotaReservation" AS r
          WHERE r."kind" = w."kind" AND r."subject" = w."subject" AND r."windowResetAtMs" = w."resetAtMs"
        ) AS "reserved"
        FROM "QuotaWindow" AS w
        WHERE w."kind" = ${owner.kind} AND w."subject" = ${owner.subject} AND w."resetAtMs" > ${BigInt(clock())}`;
      return toStanding(limit, row);
    },
    ...createInstanceStore(database, instance),
  };
}

/** What is known elsewhere of what reservations were used for. One that is under way is settled by whoever ends it. */
export type FindUsages = (
  reservationIds: readonly string[],
) => Promise<ReadonlyMap<string, { usedTokens: number; isUnderWay: boolean }>>;

type OrphanRequest = {
  nowMs: number;
  goneInstances?: readonly string[];
  findUsages?: FindUsages | undefined;
};

/** Which processes with reservations are alive, by the database's clock. */
function createInstanceStore(database: Database, instance: string) {
  const now = databaseNowMs(database);
  return {
    /** Declares this process alive until the timeout. False where it did not count as alive before. */
    async sendHeartbeat({ timeoutMs }: { timeoutMs: number }): Promise<boolean> {
      const until = sql`${now} + ${BigInt(timeoutMs)}`;
      const renewed = await database.$executeRaw`
        UPDATE "QuotaInstance" SET "expiresAtMs" = ${until}
        WHERE "instance" = ${instance} AND "expiresAtMs" > ${now}`;
      if (renewed === 1) return true;
      await database.$executeRaw`
        INSERT INTO "QuotaInstance" ("instance", "expiresAtMs") VALUES (${instance}, ${until})
        ON CONFLICT ("instance") DO UPDATE SET "expiresAtMs" = excluded."expiresAtMs"`;
      return false;
    },
    /** Reservations of this process have no owner from now on. */
    async leave(): Promise<void> {
      await database.quotaInstance.updateMany({ where: { instance }, data: { expiresAtMs: 0n } });
    },
    /** Processes that never sent a heartbeat are not listed. */
    async listGoneInstances(): Promise<string[]> {
      const rows = await database.$queryRaw<{ instance: string }[]>`
        SELECT "instance" FROM "QuotaInstance" WHERE "expiresAtMs" <= ${now}`;
      return rows.map((row) => row.instance);
    },
    /** Once all they left is settled; one that is back meanwhile stays. */
    async forgetInstances(instances: readonly string[]): Promise<void> {
      if (instances.length === 0) return;
      await database.$executeRaw`
        DELETE FROM "QuotaInstance" WHERE "instance" IN (${join([...instances])}) AND "expiresAtMs" <= ${now}
          AND NOT EXISTS (
            SELECT 1 FROM "QuotaReservation" AS r WHERE r."instance" = "QuotaInstance"."instance"
          )`;
    },
  };
}

type StandingRow = { used: Figure; reserved: Figure; resetAtMs: Figure };

function toStanding(limit: number, row: StandingRow | undefined): QuotaStanding {
  const used = Number(row?.used ?? 0);
  const reserved = Number(row?.reserved ?? 0);
  return {
    limit,
    used,
    reserved,
    remaining: Math.max(0, limit - used - reserved),
    resetAtMs: row === undefined ? null : Number(row.resetAtMs),
  };
}

type LockedRequest = ReserveRequest & { nowMs: number; instance: string };

async function reserveLocked(statements: Statements, request: LockedRequest): Promise<ReserveOutcome> {
  const { owner, wanted, minimum = 1, limit, expiresInSeconds, nowMs, instance } = request;
  const { reservationId = randomUUID() } = request;
  const { used, resetAtMs } = await lockWindow(statements, request);
  const marginMs = BigInt(expiryMarginSeconds) * 1000n;
  // A statement of its own, begun under the lock: inside the one above, PostgreSQL would count as of its beginning.
  const [sum] = await statements.query<{ reserved: Figure; endsAtMs: Figure | null }>`
    SELECT COALESCE(SUM("amount"), 0) AS "reserved",
      MIN(CASE WHEN "leaseUntilMs" - ${marginMs} > ${BigInt(nowMs)}
        THEN "leaseUntilMs" - ${marginMs} ELSE "leaseUntilMs" END) AS "endsAtMs"
    FROM "QuotaReservation"
    WHERE "kind" = ${owner.kind} AND "subject" = ${owner.subject} AND "windowResetAtMs" = ${resetAtMs}`;
  const before = toStanding(limit, { used, reserved: sum?.reserved ?? 0, resetAtMs });
  const { remaining, reserved } = before;

  if (remaining < minimum) {
    // What should have ended by now is settled when it expires.
    const endsAtMs = Number(sum?.endsAtMs ?? resetAtMs);
    const reservations = limit - before.used >= minimum ? { amount: reserved, endsAtMs } : null;
    return { outcome: "exhausted", remaining, resetAtMs: Number(resetAtMs), reservations };
  }

  const amount = Math.min(Math.max(1, Math.ceil(wanted)), remaining);
  await statements.execute`
    INSERT INTO "QuotaReservation"
      ("id", "kind", "subject", "amount", "windowResetAtMs", "leaseUntilMs", "instance")
    VALUES (${reservationId}, ${owner.kind}, ${owner.subject}, ${amount}, ${resetAtMs},
      ${BigInt(nowMs + expiresInSeconds * 1000)}, ${instance})`;
  return {
    outcome: "reserved",
    reservationId,
    amount,
    limit,
    used: before.used,
    reserved: reserved + amount,
    remaining: remaining - amount,
    resetAtMs: Number(resetAtMs),
  };
}

/** The owner's window as of now, reopened where it has expired, and locked until the transaction ends. */
async function lockWindow(
  { query }: Statements,
  { owner, windowSeconds, nowMs }: LockedRequest,
): Promise<{ used: Figure; resetAtMs: bigint }> {
  const now = BigInt(nowMs);
  const end = now + BigInt(windowSeconds) * 1000n;
  // A window that begins that far ahead was opened before the clock was set back, and would stay for too long.
  const isOpen = sql`w."resetAtMs" > ${now} AND w."windowStartMs" <= ${end}`;
  const [row] = await query<{ used: Figure; resetAtMs: Figure }>`
    INSERT INTO "QuotaWindow" AS w ("kind", "subject", "used", "windowStartMs", "resetAtMs")
    VALUES (${owner.kind}, ${owner.subject}, 0, ${now}, ${end})
    ON CONFLICT ("kind", "subject") DO UPDATE SET
      "used" = CASE WHEN ${isOpen} THEN w."used" ELSE 0 END,
      "windowStartMs" = CASE WHEN ${isOpen} THEN w."windowStartMs" ELSE excluded."windowStartMs" END,
      "resetAtMs" = CASE WHEN ${isOpen} THEN w."resetAtMs" ELSE excluded."resetAtMs" END
    RETURNING "used", "resetAtMs"`;
  if (row === undefined) throw new Error("The database opened a quota window without answering with it.");
  return { used: row.used, resetAtMs: BigInt(row.resetAtMs) };
}
