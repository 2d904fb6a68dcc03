import { randomUUID } from "node:crypto";
import type { Prisma } from "~/generated/sqlite/client";
import type { Clock } from "~/platform/time/clock";
import type { Database } from "~/platform/database/database.server";
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
  /** `reservations` null: too much is used for the end of a reservation to help. */
  | { outcome: "exhausted"; remaining: number; resetAtMs: number; reservations: Reservations | null };

type Options = { clock: Clock; instance: string };

/**
 * Opens windows at their first use, and reserves what is wanted or what is left. However many ask at once, used and
 * reserved together never pass the limit: a window's row is locked from the first statement to the commit.
 */
export const reservationsOn =
  (database: Database, { clock, instance }: Options) =>
  (request: ReserveRequest): Promise<ReserveOutcome> =>
    database.$transaction((client) => reserveWithin(client, { ...request, nowMs: clock(), instance }));

type Client = Prisma.TransactionClient;
type OpenWindow = { used: number; resetAtMs: number };

async function reserveWithin(
  client: Client,
  request: ReserveRequest & { nowMs: number; instance: string },
): Promise<ReserveOutcome> {
  const { owner, wanted, minimum = 1, limit, nowMs, instance } = request;
  const { used, resetAtMs } = await lockWindow(client, request);
  // Read under the lock, so that all that was reserved before is seen.
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

/** The owner's window as of now, reopened where it has expired, and locked until the transaction ends. */
async function lockWindow(
  client: Client,
  { owner: { kind, subject }, windowSeconds, nowMs }: ReserveRequest & { nowMs: number },
): Promise<OpenWindow> {
  const resetAtMs = nowMs + windowSeconds * 1000;
  const opened = { used: 0, windowStartMs: BigInt(nowMs), resetAtMs: BigInt(resetAtMs) };
  const where = { kind_subject: { kind, subject } };
  // One statement, which adds nothing where there is a row, and thereby locks it.
  const window = await client.quotaWindow.upsert({
    where,
    create: { kind, subject, ...opened },
    update: { used: { increment: 0 } },
  });
  // A window that begins that far ahead was opened before the clock was set back, and would stay for too long.
  if (window.resetAtMs > nowMs && window.windowStartMs <= resetAtMs)
    return { used: window.used, resetAtMs: Number(window.resetAtMs) };
  await client.quotaWindow.update({ where, data: opened });
  return { used: 0, resetAtMs };
}

/** When the answer of a reservation must have ended. Where that is past, it is settled when it expires. */
function toEnd(expiresAtMs: number, nowMs: number): number {
  const endsAtMs = expiresAtMs - expiryMarginSeconds * 1000;
  return endsAtMs > nowMs ? endsAtMs : expiresAtMs;
}
