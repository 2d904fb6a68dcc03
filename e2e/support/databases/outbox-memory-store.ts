import type { Clock } from "~/platform/time/clock";
import type { Channel, ClaimedDelivery, DeliveryClaim } from "~/platform/outbox/outbox";
import { neverAttemptAtMs } from "~/platform/outbox/outbox";
import type { OutboxStore } from "~/platform/outbox/outbox.store.server";

export type StoredDelivery = ClaimedDelivery & {
  nextAttemptAtMs: number;
  claimedBy: string | null;
  claimedUntilMs: number;
  deliveredAtMs: number | null;
  lastError: string | null;
};

export type OutboxMemoryStore = OutboxStore & {
  deliveries: StoredDelivery[];
  queue(delivery: Partial<ClaimedDelivery> & { notificationId: string }): StoredDelivery;
};

/** The outbox store's contract in memory, for the sender's tests: same claims, same expiry, no database. */
export function createOutboxMemoryStore(clock: Clock): OutboxMemoryStore {
  const deliveries: StoredDelivery[] = [];

  function isFree(delivery: StoredDelivery): boolean {
    return delivery.claimedBy === null || delivery.claimedUntilMs <= clock();
  }

  function findClaimed({ notificationId, channel, claimant }: DeliveryClaim): StoredDelivery | undefined {
    return deliveries.find(
      (delivery) =>
        delivery.notificationId === notificationId &&
        delivery.channel === channel &&
        delivery.claimedBy === claimant &&
        delivery.deliveredAtMs === null,
    );
  }

  return {
    deliveries,
    queue(fields) {
      const delivery: StoredDelivery = {
        channel: "webhook" as Channel,
        kind: "test.happened",
        payload: "{}",
        attempts: 0,
        createdAtMs: clock(),
        nextAttemptAtMs: clock(),
        claimedBy: null,
        claimedUntilMs: 0,
        deliveredAtMs: null,
        lastError: null,
        ...fields,
      };
      deliveries.push(delivery);
      return delivery;
    },
    async claimDueDeliveries({ claimant, limit, claimSeconds, channels }) {
      const due = deliveries
        .filter((delivery) => delivery.deliveredAtMs === null && delivery.nextAttemptAtMs <= clock())
        .filter((delivery) => channels.includes(delivery.channel) && isFree(delivery))
        .sort((left, right) => left.nextAttemptAtMs - right.nextAttemptAtMs)
        .slice(0, limit);
      for (const delivery of due) {
        delivery.claimedBy = claimant;
        delivery.claimedUntilMs = clock() + claimSeconds * 1000;
      }
      return due.map((delivery) => ({ ...delivery }));
    },
    async markDelivered(claim) {
      const delivery = findClaimed(claim);
      if (!delivery) return false;
      delivery.deliveredAtMs = clock();
      delivery.claimedBy = null;
      return true;
    },
    async markFailed({ error, nextAttemptAtMs, ...claim }) {
      const delivery = findClaimed(claim);
      if (!delivery) return false;
      delivery.attempts += 1;
      delivery.lastError = error;
      delivery.nextAttemptAtMs = nextAttemptAtMs;
      delivery.claimedBy = null;
      return true;
    },
    async countPending() {
      return deliveries.filter(
        (delivery) => delivery.deliveredAtMs === null && delivery.nextAttemptAtMs < neverAttemptAtMs,
      ).length;
    },
  };
}
