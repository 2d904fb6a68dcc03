import { join } from "@prisma/client/runtime/client";
import type { Clock } from "~/platform/clock";
import type { Database } from "~/platform/database/database.server";

export type Channel = "webhook" | "email";

export type ClaimedDelivery = {
  notificationId: string;
  channel: Channel;
  kind: string;
  payload: string;
  attempts: number;
  createdAtMs: number;
};

export type DeliveryClaim = { notificationId: string; channel: Channel; claimant: string };

export type ClaimRequest = {
  /** Names the caller among all processes: two callers with one name would share their claims. */
  claimant: string;
  limit: number;
  claimSeconds: number;
  channels: readonly Channel[];
};

/** `nextAttemptAtMs` of a delivery that was given up: the last moment a Date can name. */
const neverAttemptAtMs = 8_640_000_000_000_000n;

type ClaimedRow = { notificationId: string; channel: Channel; attempts: number | bigint };

export function createOutboxStore({ database, clock }: { database: Database; clock: Clock }) {
  /**
   * Claims what is due, the oldest first. The conditions stand twice: the inner ones choose, the outer ones are looked
   * at again under the row's lock, so that no two callers hold the same delivery.
   */
  async function claimDueDeliveries(request: ClaimRequest): Promise<ClaimedDelivery[]> {
    if (request.channels.length === 0) return [];
    const now = BigInt(clock());
    const claimedUntilMs = now + BigInt(request.claimSeconds) * 1000n;
    const rows = await database.$queryRaw<ClaimedRow[]>`
      UPDATE "NotificationDelivery" SET "claimedBy" = ${request.claimant}, "claimedUntilMs" = ${claimedUntilMs}
      WHERE ("notificationId", "channel") IN (
          SELECT "notificationId", "channel" FROM "NotificationDelivery"
          WHERE "deliveredAtMs" IS NULL AND "nextAttemptAtMs" <= ${now}
            AND ("claimedUntilMs" IS NULL OR "claimedUntilMs" <= ${now})
            AND "channel" IN (${join([...request.channels])})
          ORDER BY "nextAttemptAtMs" LIMIT ${request.limit})
        AND "deliveredAtMs" IS NULL AND "nextAttemptAtMs" <= ${now}
        AND ("claimedUntilMs" IS NULL OR "claimedUntilMs" <= ${now})
      RETURNING "notificationId", "channel", "attempts"`;
    const claimed = await addNotifications(rows);
    return claimed.sort((left, right) => left.createdAtMs - right.createdAtMs);
  }

  async function addNotifications(rows: ClaimedRow[]): Promise<ClaimedDelivery[]> {
    if (rows.length === 0) return [];
    const notifications = await database.notification.findMany({
      where: { id: { in: rows.map((row) => row.notificationId) } },
    });
    const byId = new Map(notifications.map((notification) => [notification.id, notification]));
    return rows.flatMap(({ notificationId, channel, attempts }) => {
      const notification = byId.get(notificationId);
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

  /** False when the claim lapsed and somebody else took the delivery over, or had already finished it. */
  async function markDelivered({ notificationId, channel, claimant }: DeliveryClaim): Promise<boolean> {
    const { count } = await database.notificationDelivery.updateMany({
      where: { notificationId, channel, claimedBy: claimant, deliveredAtMs: null },
      data: { deliveredAtMs: BigInt(clock()), claimedBy: null, claimedUntilMs: null, lastError: null },
    });
    return count === 1;
  }

  /** Ends the claim and adds one to `attempts`. False as with `markDelivered`. */
  async function markFailed(
    failure: DeliveryClaim & { error: string; nextAttemptAtMs: number },
  ): Promise<boolean> {
    const { notificationId, channel, claimant, error, nextAttemptAtMs } = failure;
    const { count } = await database.notificationDelivery.updateMany({
      where: { notificationId, channel, claimedBy: claimant, deliveredAtMs: null },
      data: {
        attempts: { increment: 1 },
        nextAttemptAtMs: BigInt(nextAttemptAtMs),
        claimedBy: null,
        claimedUntilMs: null,
        lastError: error,
      },
    });
    return count === 1;
  }

  /** Deliveries on any channel that are neither delivered nor given up. */
  async function countPending(): Promise<number> {
    return await database.notificationDelivery.count({
      where: { deliveredAtMs: null, nextAttemptAtMs: { lt: neverAttemptAtMs } },
    });
  }

  return { claimDueDeliveries, markDelivered, markFailed, countPending };
}
