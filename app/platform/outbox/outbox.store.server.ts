import { randomUUID } from "node:crypto";
import { Prisma } from "~/generated/sqlite/client";
import type { Clock } from "~/platform/time/clock";
import type { Database } from "~/platform/database/database.server";
import type {
  Channel,
  ClaimedDelivery,
  ClaimRequest,
  DeliveryClaim,
  DeliveryRef,
  Notification,
} from "./outbox";
import { neverAttemptAtMs } from "./outbox";

type Store = ReturnType<typeof createOutboxStore>;
export type Outbox = Pick<Store, "enqueue" | "isQueued" | "retry">;
export type OutboxStore = Omit<Store, keyof Outbox>;

/** Without channels, notifications stay readable in the operator's view. */
export function createOutboxStore(database: Database, clock: Clock, channels: readonly Channel[] = []) {
  /** In the transaction of the event, so that both are stored or neither. Returns the notification's id. */
  async function enqueue(
    transaction: Pick<Prisma.TransactionClient, "notification" | "notificationDelivery">,
    { kind, data }: Notification,
  ): Promise<string> {
    const id = randomUUID();
    const nowMs = clock();
    const now = BigInt(nowMs);
    // The envelope that Standard Webhooks recommends.
    const payload = JSON.stringify({ type: kind, timestamp: new Date(nowMs).toISOString(), data });
    await transaction.notification.create({ data: { id, kind, payload, createdAtMs: now } });
    if (channels.length > 0) {
      const rows = channels.map((channel) => ({ notificationId: id, channel, nextAttemptAtMs: now }));
      await transaction.notificationDelivery.createMany({ data: rows });
    }
    return id;
  }

  async function isQueued(id: string): Promise<boolean> {
    return (await database.notification.count({ where: { id } })) > 0;
  }

  /** Claims due deliveries, the longest due first. No two callers claim the same one. */
  async function claimDueDeliveries(request: ClaimRequest): Promise<ClaimedDelivery[]> {
    if (request.channels.length === 0) return [];
    const rows = await claimRows(database, BigInt(clock()), request);
    return await addNotifications(database, rows);
  }

  /** False if the claim expired and another process has taken the delivery over. */
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

  async function countPending(): Promise<number> {
    return await database.notificationDelivery.count({
      where: { deliveredAtMs: null, nextAttemptAtMs: { lt: BigInt(neverAttemptAtMs) } },
    });
  }

  /** Makes them due now, and returns their number. Skips those being sent or delivered. */
  async function retry(
    transaction: Pick<Prisma.TransactionClient, "notificationDelivery">,
    deliveries: DeliveryRef | "given-up",
  ): Promise<number> {
    const now = BigInt(clock());
    const which = deliveries === "given-up" ? { nextAttemptAtMs: BigInt(neverAttemptAtMs) } : deliveries;
    const isFree = { OR: [{ claimedUntilMs: null }, { claimedUntilMs: { lte: now } }] };
    const { count } = await transaction.notificationDelivery.updateMany({
      where: { ...which, deliveredAtMs: null, ...isFree },
      data: { nextAttemptAtMs: now },
    });
    return count;
  }

  return { enqueue, isQueued, retry, claimDueDeliveries, markDelivered, markFailed, countPending };
}

function heldBy({ notificationId, channel, claimant }: DeliveryClaim) {
  return { notificationId, channel, claimedBy: claimant, deliveredAtMs: null };
}

type ClaimedRow = DeliveryRef & { channel: Channel; attempts: number | bigint; nextAttemptAtMs: bigint };

/** Checks the conditions twice, the second time under each row's lock, because another process may be faster. */
async function claimRows(database: Database, now: bigint, request: ClaimRequest): Promise<ClaimedRow[]> {
  const { claimant, limit, claimSeconds, channels } = request;
  const rows = await database.$queryRaw<ClaimedRow[]>`
    UPDATE "NotificationDelivery"
    SET "claimedBy" = ${claimant}, "claimedUntilMs" = ${now + BigInt(claimSeconds) * 1000n}
    WHERE ("notificationId", "channel") IN (
        SELECT "notificationId", "channel" FROM "NotificationDelivery"
        WHERE "deliveredAtMs" IS NULL AND "nextAttemptAtMs" <= ${now}
          AND ("claimedUntilMs" IS NULL OR "claimedUntilMs" <= ${now})
          AND "channel" IN (${Prisma.join([...channels])})
        ORDER BY "nextAttemptAtMs" LIMIT ${limit})
      AND "deliveredAtMs" IS NULL AND "nextAttemptAtMs" <= ${now}
      AND ("claimedUntilMs" IS NULL OR "claimedUntilMs" <= ${now})
    RETURNING "notificationId", "channel", "attempts", "nextAttemptAtMs"`;
  return rows.sort((left, right) => Number(left.nextAttemptAtMs - right.nextAttemptAtMs));
}

async function addNotifications(database: Database, rows: ClaimedRow[]): Promise<ClaimedDelivery[]> {
  if (rows.length === 0) return [];
  const notifications = await database.notification.findMany({
    where: { id: { in: rows.map((row) => row.notificationId) } },
  });
  const byId = new Map(notifications.map((notification) => [notification.id, notification]));
  return rows.flatMap(({ notificationId, channel, attempts }) => {
    const notification = byId.get(notificationId);
    // Deleted between the two statements, together with its deliveries.
    if (notification === undefined) return [];
    const { kind, payload } = notification;
    const createdAtMs = Number(notification.createdAtMs);
    return [{ notificationId, channel, kind, payload, attempts: Number(attempts), createdAtMs }];
  });
}
