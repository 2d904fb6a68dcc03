import { join } from "@prisma/client/runtime/client";
import type { Clock } from "~/platform/clock";
import type { Database } from "~/platform/database/database.server";
import { whileHeld } from "~/platform/database/lease-condition.server";
import type { Channel, ClaimedDelivery, ClaimRequest, DeliveryClaim, OutboxStore } from "./outbox";
import { neverAttemptAtMs } from "./outbox";

export function createOutboxStore({ database, clock }: { database: Database; clock: Clock }): OutboxStore {
  /** Claims what is due and nobody else holds, the longest due first. No two callers hold the same delivery. */
  async function claimDueDeliveries(request: ClaimRequest): Promise<ClaimedDelivery[]> {
    if (request.channels.length === 0) return [];
    const rows = await claimRows({ database, now: BigInt(clock()), request });
    return await addNotifications({ database, rows });
  }

  /** False when the claim lapsed and somebody else took the delivery over, or had already finished it. */
  async function markDelivered(claim: DeliveryClaim): Promise<boolean> {
    const { count } = await database.notificationDelivery.updateMany({
      where: heldBy(claim),
      data: { deliveredAtMs: BigInt(clock()), claimedBy: null, claimedUntilMs: null, lastError: null },
    });
    return count === 1;
  }

  /** Ends the claim and adds one to `attempts`. False as with `markDelivered`. */
  async function markFailed(
    failure: DeliveryClaim & { error: string; nextAttemptAtMs: number },
  ): Promise<boolean> {
    const { count } = await database.notificationDelivery.updateMany({
      where: heldBy(failure),
      data: {
        attempts: { increment: 1 },
        nextAttemptAtMs: BigInt(failure.nextAttemptAtMs),
        claimedBy: null,
        claimedUntilMs: null,
        lastError: failure.error,
      },
    });
    return count === 1;
  }

  /** Deliveries on any channel that are neither delivered nor given up. */
  async function countPending(): Promise<number> {
    return await database.notificationDelivery.count({
      where: { deliveredAtMs: null, nextAttemptAtMs: { lt: BigInt(neverAttemptAtMs) } },
    });
  }

  return { claimDueDeliveries, markDelivered, markFailed, countPending };
}

function heldBy({ notificationId, channel, claimant }: DeliveryClaim) {
  return { notificationId, channel, claimedBy: claimant, deliveredAtMs: null };
}

type ClaimedRow = {
  notificationId: string;
  channel: Channel;
  attempts: number | bigint;
  nextAttemptAtMs: bigint;
};

/**
 * The conditions stand twice: the inner ones choose, the outer ones are looked at again under each row's lock, where
 * another claimant may have been faster.
 */
async function claimRows({
  database,
  now,
  request,
}: {
  database: Database;
  now: bigint;
  request: ClaimRequest;
}): Promise<ClaimedRow[]> {
  const { claimant, limit, claimSeconds, channels, hold } = request;
  const rows = await database.$queryRaw<ClaimedRow[]>`
    UPDATE "NotificationDelivery"
    SET "claimedBy" = ${claimant}, "claimedUntilMs" = ${now + BigInt(claimSeconds) * 1000n}
    WHERE ("notificationId", "channel") IN (
        SELECT "notificationId", "channel" FROM "NotificationDelivery"
        WHERE "deliveredAtMs" IS NULL AND "nextAttemptAtMs" <= ${now}
          AND ("claimedUntilMs" IS NULL OR "claimedUntilMs" <= ${now})
          AND "channel" IN (${join([...channels])})
        ORDER BY "nextAttemptAtMs" LIMIT ${limit})
      AND "deliveredAtMs" IS NULL AND "nextAttemptAtMs" <= ${now}
      AND ("claimedUntilMs" IS NULL OR "claimedUntilMs" <= ${now})
      AND ${whileHeld({ database, hold })}
    RETURNING "notificationId", "channel", "attempts", "nextAttemptAtMs"`;
  return rows.sort((left, right) => Number(left.nextAttemptAtMs - right.nextAttemptAtMs));
}

async function addNotifications({
  database,
  rows,
}: {
  database: Database;
  rows: ClaimedRow[];
}): Promise<ClaimedDelivery[]> {
  if (rows.length === 0) return [];
  const notifications = await database.notification.findMany({
    where: { id: { in: rows.map((row) => row.notificationId) } },
  });
  const byId = new Map(notifications.map((notification) => [notification.id, notification]));
  return rows.flatMap(({ notificationId, channel, attempts }) => {
    const notification = byId.get(notificationId);
    // Deleted between the two statements, and its deliveries with it.
    if (notification === undefined) return [];
    const { kind, payload, createdAtMs } = notification;
    return [
      {
        notificationId,
        channel,
        kind,
        payload,
        attempts: Number(attempts),
        createdAtMs: Number(createdAtMs),
      },
    ];
  });
}
