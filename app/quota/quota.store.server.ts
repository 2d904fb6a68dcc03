import { randomUUID } from "node:crypto";
import { join, sqltag as sql } from "@prisma/client/runtime/client";
import type { Prisma } from "~/generated/sqlite/client";
import type { Clock } from "~/platform/clock";
import type { Database } from "~/platform/database/database.server";
import { databaseNowMs } from "~/platform/database/lease-condition.server";
import type { SetAside } from "./quota-lease";
import type { QuotaOwner } from "./quota-subject";
import { readSetAside } from "./set-aside.store.server";

export type ReserveRequest = {
  owner: QuotaOwner;
  /** Tokens asked for; what is reserved may be less. */
  wanted: number;
  /** Less than this is of no use: then nothing is reserved. Default: 1. */
  minimum?: number;
  limit: number;
  windowSeconds: number;
  /** How long the reservation may live unsettled: `leaseMarginSeconds` longer than any answer takes. */
  leaseSeconds: number;
};

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
  /** `setAside` null: so much was used that ends of what is under way would not help. */
  | { outcome: "exhausted"; remaining: number; resetAtMs: number; setAside: SetAside | null };

export type QuotaStore = ReturnType<typeof createQuotaStore>;

type Settlement = {
  reservation: QuotaOwner & { id: string; windowResetAtMs: bigint };
  usedTokens: number;
  /** Further conditions under which the reservation is still to be settled. */
  provided?: { leaseUntilMs?: bigint };
};

/** A crash leaves few reservations; more than these wait for the next look. */
const orphanBatch = 200;

/** The ledger of quotas. `instance` names this process among all that share the database. */
export function createQuotaStore(database: Database, clock: Clock, instance: string) {
  /**
   * Opens the window at its first use, and sets aside what is wanted or what is left. However many ask at once, used
   * and reserved together never pass the limit: the window's row is locked from the first statement to the commit.
   */
  async function reserve(request: ReserveRequest): Promise<ReserveOutcome> {
    return await database.$transaction((transaction) =>
      reserveLocked({ transaction, request, clock, instance }),
    );
  }

  /**
   * Puts down what an answer really took, in the window it was reserved in; a window that is over is not reopened.
   * False when the reservation was settled before, or wiped by a reset.
   */
  async function settle({
    reservationId,
    usedTokens,
  }: {
    reservationId: string;
    usedTokens: number;
  }): Promise<boolean> {
    const reservation = await database.quotaReservation.findUnique({ where: { id: reservationId } });
    if (reservation === null) return false;
    return await settleOnce({
      database,
      settlement: { reservation: reservation as typeof reservation & QuotaOwner, usedTokens },
    });
  }

  /** False when there is nothing left to extend. */
  async function extendLease({
    reservationId,
    leaseSeconds,
  }: {
    reservationId: string;
    leaseSeconds: number;
  }): Promise<boolean> {
    const { count } = await database.quotaReservation.updateMany({
      where: { id: reservationId },
      data: { leaseUntilMs: BigInt(clock() + leaseSeconds * 1000) },
    });
    return count === 1;
  }

  /**
   * Settles, in full, reservations nobody will settle any more: how long their answers became is unknown, and use must
   * not go unrecorded. Those are the ones whose lease has run out, and those of `goneInstances`.
   */
  async function settleOrphans({
    nowMs,
    goneInstances = [],
  }: {
    nowMs: number;
    goneInstances?: readonly string[];
  }): Promise<number> {
    const orphans = await database.quotaReservation.findMany({
      where: {
        OR: [{ leaseUntilMs: { lte: BigInt(nowMs) } }, { instance: { in: [...goneInstances] } }],
      },
      take: orphanBatch,
    });
    let count = 0;
    for (const orphan of orphans) {
      const reservation = orphan as typeof orphan & QuotaOwner;
      const { amount: usedTokens, leaseUntilMs } = orphan;
      // A lease that was extended meanwhile belongs to somebody who is alive after all.
      if (await settleOnce({ database, settlement: { reservation, usedTokens, provided: { leaseUntilMs } } }))
        count++;
    }
    return count;
  }

  /** Says that this process is alive for so long from now. False where it had not been, until this moment. */
  async function keepAlive({ leaseMs }: { leaseMs: number }): Promise<boolean> {
    const now = databaseNowMs(database);
    const until = sql`${now} + ${BigInt(leaseMs)}`;
    const renewed = await database.$executeRaw`
      UPDATE "QuotaInstance" SET "expiresAtMs" = ${until}
      WHERE "instance" = ${instance} AND "expiresAtMs" > ${now}`;
    if (renewed === 1) return true;
    await database.$executeRaw`
      INSERT INTO "QuotaInstance" ("instance", "expiresAtMs") VALUES (${instance}, ${until})
      ON CONFLICT ("instance") DO UPDATE SET "expiresAtMs" = excluded."expiresAtMs"`;
    return false;
  }

  /** What this process may still leave belongs to nobody from now on. */
  async function leave(): Promise<void> {
    await database.quotaInstance.updateMany({ where: { instance }, data: { expiresAtMs: 0n } });
  }

  /** By the database's clock. Of a process that never said that it is alive, nothing is known. */
  async function listGoneInstances(): Promise<string[]> {
    const rows = await database.$queryRaw<{ instance: string }[]>`
      SELECT "instance" FROM "QuotaInstance" WHERE "expiresAtMs" <= ${databaseNowMs(database)}`;
    return rows.map((row) => row.instance);
  }

  /** Once what they left is settled; one that is back meanwhile stays. */
  async function forgetInstances(instances: readonly string[]): Promise<void> {
    if (instances.length === 0) return;
    await database.$executeRaw`
      DELETE FROM "QuotaInstance"
      WHERE "instance" IN (${join([...instances])}) AND "expiresAtMs" <= ${databaseNowMs(database)}`;
  }

  async function readStanding({
    owner,
    limit,
  }: {
    owner: QuotaOwner;
    limit: number;
  }): Promise<QuotaStanding> {
    const [row] = await database.$queryRaw<StandingRow[]>`
      SELECT w."used", w."resetAtMs", (
        SELECT COALESCE(SUM(r."amount"), 0) FROM "QuotaReservation" AS r
        WHERE r."kind" = w."kind" AND r."subject" = w."subject" AND r."windowResetAtMs" = w."resetAtMs"
      ) AS "reserved"
      FROM "QuotaWindow" AS w
      WHERE w."kind" = ${owner.kind} AND w."subject" = ${owner.subject} AND w."resetAtMs" > ${BigInt(clock())}`;
    return toStanding(limit, row);
  }

  return {
    reserve,
    settle,
    extendLease,
    settleOrphans,
    readStanding,
    keepAlive,
    leave,
    listGoneInstances,
    forgetInstances,
  };
}

type StandingRow = { used: number | bigint; reserved: number | bigint; resetAtMs: bigint };

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

type ReserveLockedOptions = {
  transaction: Prisma.TransactionClient;
  request: ReserveRequest;
  clock: Clock;
  instance: string;
};

async function reserveLocked({
  transaction,
  request,
  clock,
  instance,
}: ReserveLockedOptions): Promise<ReserveOutcome> {
  const { owner, wanted, minimum = 1, limit, leaseSeconds } = request;
  const nowMs = clock();
  const { used, resetAtMs } = await lockWindow({ transaction, request, nowMs });
  // A statement of its own, begun under the lock: inside the one above, PostgreSQL would count as of its beginning.
  const [sum] = await transaction.$queryRaw<{ reserved: number | bigint }[]>`
    SELECT COALESCE(SUM("amount"), 0) AS "reserved" FROM "QuotaReservation"
    WHERE "kind" = ${owner.kind} AND "subject" = ${owner.subject} AND "windowResetAtMs" = ${resetAtMs}`;
  const before = toStanding(limit, { used, reserved: sum?.reserved ?? 0, resetAtMs });
  const { remaining } = before;
  if (remaining < minimum) {
    const hasRoom = limit - before.used >= minimum;
    const setAside = hasRoom ? await readSetAside({ transaction, owner, resetAtMs, nowMs }) : null;
    return { outcome: "exhausted", remaining, resetAtMs: Number(resetAtMs), setAside };
  }

  const amount = Math.min(Math.max(1, Math.ceil(wanted)), before.remaining);
  const reservationId = randomUUID();
  await transaction.$executeRaw`
    INSERT INTO "QuotaReservation"
      ("id", "kind", "subject", "amount", "windowResetAtMs", "leaseUntilMs", "instance")
    VALUES (${reservationId}, ${owner.kind}, ${owner.subject}, ${amount}, ${resetAtMs},
      ${BigInt(nowMs + leaseSeconds * 1000)}, ${instance})`;
  return {
    outcome: "reserved",
    reservationId,
    amount,
    limit,
    used: before.used,
    reserved: before.reserved + amount,
    remaining: before.remaining - amount,
    resetAtMs: Number(resetAtMs),
  };
}

/** The owner's window as of now, opened anew where it is over, and locked until the transaction ends. */
async function lockWindow({
  transaction,
  request: { owner, windowSeconds },
  nowMs,
}: {
  transaction: Prisma.TransactionClient;
  request: ReserveRequest;
  nowMs: number;
}): Promise<{ used: number | bigint; resetAtMs: bigint }> {
  const now = BigInt(nowMs);
  const end = now + BigInt(windowSeconds) * 1000n;
  // A window that begins that far ahead was opened before the clock was set back, and would stay for too long.
  const rows = await transaction.$queryRaw<{ used: number | bigint; resetAtMs: bigint }[]>`
    INSERT INTO "QuotaWindow" AS w ("kind", "subject", "used", "windowStartMs", "resetAtMs")
    VALUES (${owner.kind}, ${owner.subject}, 0, ${now}, ${end})
    ON CONFLICT ("kind", "subject") DO UPDATE SET
      "used" = CASE WHEN w."resetAtMs" > ${now} AND w."windowStartMs" <= ${end} THEN w."used" ELSE 0 END,
      "windowStartMs" = CASE WHEN w."resetAtMs" > ${now} AND w."windowStartMs" <= ${end}
        THEN w."windowStartMs" ELSE excluded."windowStartMs" END,
      "resetAtMs" = CASE WHEN w."resetAtMs" > ${now} AND w."windowStartMs" <= ${end}
        THEN w."resetAtMs" ELSE excluded."resetAtMs" END
    RETURNING "used", "resetAtMs"`;
  const [row] = rows;
  if (row === undefined) throw new Error("The database opened a quota window without answering with it.");
  return row;
}

/** Deleting the reservation decides who settles it; of several at once exactly one. */
async function settleOnce({
  database,
  settlement: { reservation, usedTokens, provided },
}: {
  database: Database;
  settlement: Settlement;
}): Promise<boolean> {
  const { id, kind, subject, windowResetAtMs } = reservation;
  return await database.$transaction(async (transaction) => {
    const { count } = await transaction.quotaReservation.deleteMany({ where: { id, ...provided } });
    if (count === 0) return false;
    await transaction.quotaWindow.updateMany({
      where: { kind, subject, resetAtMs: windowResetAtMs },
      data: { used: { increment: Math.max(0, Math.ceil(usedTokens)) } },
    });
    return true;
  });
}
