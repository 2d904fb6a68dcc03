import { randomUUID } from "node:crypto";
import { sqltag as sql } from "@prisma/client/runtime/client";
import type { Sql } from "@prisma/client/runtime/client";
import type { Clock } from "~/platform/clock";
import { isSqlite } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import { transactDirectly } from "~/platform/database/direct-statements.server";
import type { Figure, Statements, TransactionStatements } from "~/platform/database/direct-statements.server";
import { givenRows } from "~/platform/database/given-rows.server";
import type { GivenRow } from "~/platform/database/given-rows.server";
import { inLockingBatches } from "~/platform/database/locking-batches.server";
import { createSharedTransactions } from "~/platform/database/shared-transactions.server";
import { expiryMarginSeconds } from "./quota-reservation";
import type { Reservations } from "./quota-reservation";
import type { QuotaOwner } from "./quota-subject";

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
export type Within = { transaction?: TransactionStatements | null | undefined };

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

const marginMs = expiryMarginSeconds * 1000;

type Options = { clock: Clock; instance: string };

/**
 * Opens windows at their first use, and reserves what is wanted or what is left. However many ask at once, used and
 * reserved together never pass the limit: a window's row is locked from the first statement to the commit. On PostgreSQL
 * those that ask at once share a transaction, of which each statement costs more than its rows.
 */
export const reservationsOn = (database: Database, { clock, instance }: Options) => {
  const reserveWithin = (statements: Statements, requests: readonly ReserveRequest[], lockWait?: Sql) =>
    reserveAll({ database, statements, lockWait, nowMs: clock(), instance }, requests);
  async function reserveOne(statements: Statements, request: ReserveRequest): Promise<ReserveOutcome> {
    const [outcome] = await reserveWithin(statements, [request]);
    return outcome!;
  }
  const transact = createSharedTransactions(database);
  const reserveAlone = isSqlite(database)
    ? (request: ReserveRequest) => transact((transaction) => reserveOne(transaction, request))
    : inLockingBatches((requests: readonly ReserveRequest[], lockWait) =>
        transactDirectly(database, (transaction) => reserveWithin(transaction, requests, lockWait)),
      );
  return (request: ReserveRequest): Promise<ReserveOutcome> =>
    request.transaction ? reserveOne(request.transaction, request) : reserveAlone(request);
};

/** `lockWait`: see `inLockingBatches`. */
type Context = {
  database: Database;
  statements: Statements;
  lockWait?: Sql | undefined;
  nowMs: number;
  instance: string;
};

/** `endsAtMs`: when the first of its reservations must have ended; null where there are none. */
type OpenWindow = QuotaOwner & {
  used: number;
  reserved: number;
  resetAtMs: number;
  endsAtMs: number | null;
};

async function reserveAll(context: Context, requests: readonly ReserveRequest[]): Promise<ReserveOutcome[]> {
  const { database, statements } = context;
  const windows = await lockWindows(context, requests);
  await addReserved(context, windows);
  const reservations: GivenRow<keyof typeof reservationColumns>[] = [];
  const outcomes = requests.map((request): ReserveOutcome => {
    const { owner, wanted, minimum = 1, limit, reservationId = randomUUID() } = request;
    const window = windows.get(keyOf(owner))!;
    const { used, resetAtMs } = window;
    const remaining = Math.max(0, limit - used - window.reserved);
    if (remaining < minimum) {
      // What should have ended by now is settled when it expires.
      const endsAtMs = window.endsAtMs ?? resetAtMs;
      const ofOthers = limit - used >= minimum ? { amount: window.reserved, endsAtMs } : null;
      return { outcome: "exhausted", remaining, resetAtMs, reservations: ofOthers };
    }
    const amount = Math.min(Math.max(1, Math.ceil(wanted)), remaining);
    const leaseUntilMs = context.nowMs + request.expiresInSeconds * 1000;
    reservations.push({ id: reservationId, ...owner, amount, resetAtMs, leaseUntilMs });
    window.reserved += amount;
    window.endsAtMs = Math.min(window.endsAtMs ?? Infinity, toEnd(leaseUntilMs, context.nowMs));
    const { reserved } = window;
    const figures = { limit, used, reserved, remaining: remaining - amount, resetAtMs };
    return { outcome: "reserved", reservationId, amount, ...figures };
  });
  if (reservations.length > 0) {
    await statements.execute`
      INSERT INTO "QuotaReservation"
        ("id", "kind", "subject", "amount", "windowResetAtMs", "leaseUntilMs", "instance")
      SELECT given."id", given."kind", given."subject", given."amount", given."resetAtMs", given."leaseUntilMs",
        ${context.instance}
      FROM ${givenRows(database, reservationColumns, reservations)} WHERE given."id" IS NOT NULL`;
  }
  return outcomes;
}

const reservationColumns = {
  id: "TEXT",
  kind: "TEXT",
  subject: "TEXT",
  amount: "INTEGER",
  resetAtMs: "BIGINT",
  leaseUntilMs: "BIGINT",
} as const;

const windowKeyColumns = { kind: "TEXT", subject: "TEXT", resetAtMs: "BIGINT" } as const;
const windowColumns = { kind: "TEXT", subject: "TEXT", startMs: "BIGINT", resetAtMs: "BIGINT" } as const;

/** The owners' windows as of now, reopened where they have expired, and locked until the transaction ends. */
async function lockWindows(
  { database, statements: { query }, lockWait, nowMs }: Context,
  requests: readonly ReserveRequest[],
): Promise<Map<string, OpenWindow>> {
  const asked = new Map(requests.map(({ owner, windowSeconds }) => [keyOf(owner), { owner, windowSeconds }]));
  // In the same order everywhere, so that no two transactions wait for each other.
  const rows = [...asked]
    .sort(([key], [other]) => (key < other ? -1 : 1))
    .map(([, { owner, windowSeconds }]) => ({
      kind: owner.kind,
      subject: owner.subject,
      startMs: nowMs,
      resetAtMs: nowMs + windowSeconds * 1000,
    }));
  const given = givenRows(database, windowColumns, rows);
  // A window that begins that far ahead was opened before the clock was set back, and would stay for too long.
  const isOpen = sql`w."resetAtMs" > excluded."windowStartMs" AND w."windowStartMs" <= excluded."resetAtMs"`;
  const locked = await query<QuotaOwner & { used: Figure; resetAtMs: Figure }>`
    INSERT INTO "QuotaWindow" AS w ("kind", "subject", "used", "windowStartMs", "resetAtMs")
    SELECT given."kind", given."subject", 0, given."startMs", given."resetAtMs"
    FROM ${lockWait ? sql`${lockWait} AS locks, ${given}` : given} WHERE given."kind" IS NOT NULL
    ON CONFLICT ("kind", "subject") DO UPDATE SET
      "used" = CASE WHEN ${isOpen} THEN w."used" ELSE 0 END,
      "windowStartMs" = CASE WHEN ${isOpen} THEN w."windowStartMs" ELSE excluded."windowStartMs" END,
      "resetAtMs" = CASE WHEN ${isOpen} THEN w."resetAtMs" ELSE excluded."resetAtMs" END
    RETURNING "kind", "subject", "used", "resetAtMs"`;
  const windows = new Map<string, OpenWindow>();
  for (const { kind, subject, used, resetAtMs } of locked) {
    const figures = { used: Number(used), resetAtMs: Number(resetAtMs), reserved: 0, endsAtMs: null };
    windows.set(keyOf({ kind, subject }), { kind, subject, ...figures });
  }
  return windows;
}

/** A statement of its own, begun under the lock: inside the one above, PostgreSQL would count as of its beginning. */
async function addReserved(
  { database, statements: { query }, nowMs }: Context,
  windows: ReadonlyMap<string, OpenWindow>,
): Promise<void> {
  const rows = [...windows.values()].map(({ kind, subject, resetAtMs }) => ({ kind, subject, resetAtMs }));
  const end = sql`r."leaseUntilMs" - ${marginMs}`;
  const sums = await query<QuotaOwner & { reserved: Figure; endsAtMs: Figure }>`
    SELECT r."kind", r."subject", SUM(r."amount") AS "reserved",
      MIN(CASE WHEN ${end} > ${BigInt(nowMs)} THEN ${end} ELSE r."leaseUntilMs" END) AS "endsAtMs"
    FROM ${givenRows(database, windowKeyColumns, rows)}
    JOIN "QuotaReservation" AS r
      ON r."kind" = given."kind" AND r."subject" = given."subject" AND r."windowResetAtMs" = given."resetAtMs"
    GROUP BY r."kind", r."subject"`;
  for (const { kind, subject, reserved, endsAtMs } of sums) {
    const window = windows.get(keyOf({ kind, subject }))!;
    window.reserved = Number(reserved);
    window.endsAtMs = Number(endsAtMs);
  }
}

function keyOf({ kind, subject }: QuotaOwner): string {
  return `${kind} ${subject}`;
}

/** When the answer of a reservation must have ended; where that is past, when the reservation expires. As `addReserved` has it. */
function toEnd(leaseUntilMs: number, nowMs: number): number {
  return leaseUntilMs - marginMs > nowMs ? leaseUntilMs - marginMs : leaseUntilMs;
}
