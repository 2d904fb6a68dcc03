import { randomUUID } from "node:crypto";
import type { Clock } from "~/platform/time/clock";
import type { Redis } from "~/platform/redis/redis.server";
import type { QuotaStore } from "./quota.store.server";
import type { ReserveOutcome, ReserveRequest } from "./reservations.store.server";
import { expiryMarginSeconds } from "./quota-reservation";
import {
  findExpiredScript,
  forgetInstancesScript,
  heartbeatScript,
  leaveScript,
  listGoneScript,
  listReservationsScript,
  quotaKeyStart,
  quotaKeys,
  reserveScript,
  settleScript,
  standingScript,
} from "./redis-quota-scripts.server";

/** A crash leaves few reservations; they are looked at in batches of so many. */
const orphanBatch = 200;
/** Keys outlive their window by this, so that Redis' clock, which may be ahead of ours, deletes none too early. */
const keepMs = 60_000;
/** Settles in full, whatever that is. */
const inFull = -1;

/** The ledger of several instances, in Redis. The contract is documented in quota.store.server.ts. */
export function createRedisQuotaStore(redis: Redis, clock: Clock, instance: string): QuotaStore {
  async function settleOnce(id: string, usedTokens: number): Promise<boolean> {
    const keys = [quotaKeys.reservation(id), quotaKeys.reservations, quotaKeyStart];
    return (await redis.run({ script: settleScript, keys, parameters: [id, usedTokens] })) === 1;
  }

  return {
    reserve: (request) => reserve(redis, { nowMs: clock(), instance, ...request }),

    settle: ({ reservationId, usedTokens }) => settleOnce(reservationId, Math.max(0, Math.ceil(usedTokens))),

    async settleOrphans({ nowMs, goneInstances = [], findUsages }) {
      const expired = await readReservations(redis, nowMs);
      const left = goneInstances.length === 0 ? [] : await readReservations(redis);
      const gone = left.filter(({ instance }) => goneInstances.includes(instance));
      const orphans = [...new Set([...expired, ...gone].map(({ id }) => id))];
      let count = 0;
      for (let from = 0; count === 0 && from < orphans.length; from += orphanBatch) {
        const batch = orphans.slice(from, from + orphanBatch);
        const usages = await findUsages?.(batch);
        for (const id of batch) {
          const usage = usages?.get(id);
          if (usage?.isUnderWay) continue;
          if (await settleOnce(id, usage?.usedTokens ?? inFull)) count++;
        }
      }
      return count;
    },

    async sendHeartbeat({ timeoutMs }) {
      const parameters = [instance, timeoutMs];
      return (await redis.run({ script: heartbeatScript, keys: [quotaKeys.instances], parameters })) === 1;
    },

    async leave() {
      await redis.run({ script: leaveScript, keys: [quotaKeys.instances], parameters: [instance] });
    },

    async listGoneInstances() {
      return (await redis.run({ script: listGoneScript, keys: [quotaKeys.instances] })) as string[];
    },

    async forgetInstances(instances) {
      if (instances.length === 0) return;
      const left = new Set((await readReservations(redis)).map(({ instance: owner }) => owner));
      const parameters = instances.filter((name) => !left.has(name));
      if (parameters.length === 0) return;
      await redis.run({ script: forgetInstancesScript, keys: [quotaKeys.instances], parameters });
    },

    async readStanding({ owner, limit }) {
      const answer = await redis.run({
        script: standingScript,
        keys: [quotaKeys.window(owner), quotaKeys.held(owner)],
        parameters: [clock()],
      });
      const [used, reserved, resetAtMs] = (answer as string[]).map(Number);
      if (used === undefined || reserved === undefined || resetAtMs === undefined) {
        return { limit, used: 0, reserved: 0, remaining: limit, resetAtMs: null };
      }
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
  const answer = await redis.run({
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
  const [amount, used, reserved, resetAtMs, endsAtMs] = (answer as string[]).map(Number) as [
    ...[number, number, number, number],
    number?,
  ];
  const remaining = Math.max(0, limit - used - reserved);
  const reservations = endsAtMs === undefined ? null : { amount: reserved, endsAtMs };
  return amount === 0
    ? { outcome: "exhausted", remaining, resetAtMs, reservations }
    : { outcome: "reserved", reservationId, amount, limit, used, reserved, remaining, resetAtMs };
}

type Reservation = { id: string; instance: string };

/** `expiredAtMs`: only those that have expired by then, the longest first; otherwise all. */
async function readReservations(redis: Redis, expiredAtMs?: number): Promise<Reservation[]> {
  const answer =
    expiredAtMs === undefined
      ? await redis.run({ script: listReservationsScript, keys: [quotaKeys.reservations] })
      : await redis.run({
          script: findExpiredScript,
          keys: [quotaKeys.reservations],
          parameters: [expiredAtMs, orphanBatch],
        });
  const flat = answer as string[];
  return Array.from({ length: flat.length / 2 }, (_, index) => {
    const [id = "", ...words] = (flat[2 * index] ?? "").split(" ");
    return { id, instance: words.join(" ") };
  });
}
