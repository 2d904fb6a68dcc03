import { randomUUID } from "node:crypto";
import type { Clock } from "~/platform/clock";
import type { Redis } from "~/platform/redis/redis.server";
import type { QuotaStore, ReserveOutcome, ReserveRequest } from "./quota.store.server";
import { leaseMarginSeconds } from "./quota-lease";
import type { QuotaOwner } from "./quota-subject";
import { quotaKeyStart, quotaKeys } from "./redis-quota-keys";
import {
  extendScript,
  findLapsedScript,
  forgetInstancesScript,
  keepAliveScript,
  leaveScript,
  listGoneScript,
  listLeasesScript,
  reserveScript,
  settleScript,
  standingScript,
} from "./redis-quota-scripts.server";

/** A crash leaves few reservations; more than these wait for the next look. */
const orphanBatch = 200;
/** Redis' clock is not ours: what is over by ours must not be gone by its clock before. */
const keepMs = 60_000;
/** Settles in full, whatever that is. */
const inFull = -1;

/** The ledger of several instances, in Redis. What the functions promise stands in quota.store.server.ts. */
export function createRedisQuotaStore(redis: Redis, clock: Clock, instance: string): QuotaStore {
  async function settleOnce(id: string, usedTokens: number, leaseUntilMs?: number): Promise<boolean> {
    const condition = leaseUntilMs === undefined ? [] : [leaseUntilMs];
    const answer = await redis.run({
      script: settleScript,
      keys: [quotaKeys.reservation(id), quotaKeys.leases, quotaKeyStart],
      parameters: [id, usedTokens, ...condition],
    });
    return answer === 1;
  }

  return {
    reserve: (request) => reserve({ redis, request, nowMs: clock(), instance }),

    settle: ({ reservationId, usedTokens }) => settleOnce(reservationId, Math.max(0, Math.ceil(usedTokens))),

    async extendLease({ reservationId, leaseSeconds }) {
      const answer = await redis.run({
        script: extendScript,
        keys: [quotaKeys.reservation(reservationId), quotaKeys.leases],
        parameters: [reservationId, clock() + leaseSeconds * 1000],
      });
      return answer === 1;
    },

    async settleOrphans({ nowMs, goneInstances = [] }) {
      const lapsed = await readLeases(redis, nowMs);
      const left = goneInstances.length === 0 ? [] : await readLeases(redis);
      const gone = left.filter((lease) => goneInstances.includes(lease.instance));
      const orphans = new Map([...lapsed, ...gone].map((lease) => [lease.id, lease]));
      let count = 0;
      for (const { id, leaseUntilMs } of [...orphans.values()].slice(0, orphanBatch)) {
        // A lease that was extended meanwhile belongs to somebody who is alive after all.
        if (await settleOnce(id, inFull, leaseUntilMs)) count++;
      }
      return count;
    },

    async keepAlive({ leaseMs }) {
      const parameters = [instance, leaseMs];
      return (await redis.run({ script: keepAliveScript, keys: [quotaKeys.instances], parameters })) === 1;
    },

    async leave() {
      await redis.run({ script: leaveScript, keys: [quotaKeys.instances], parameters: [instance] });
    },

    async listGoneInstances() {
      return (await redis.run({ script: listGoneScript, keys: [quotaKeys.instances] })) as string[];
    },

    async forgetInstances(instances) {
      const parameters = [...instances];
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

type ReserveOptions = {
  redis: Redis;
  request: ReserveRequest;
  nowMs: number;
  instance: string;
};

async function reserve({
  redis,
  request: { owner, wanted, minimum = 1, limit, windowSeconds, leaseSeconds },
  nowMs,
  instance,
}: ReserveOptions): Promise<ReserveOutcome> {
  const reservationId = randomUUID();
  const windowMs = windowSeconds * 1000;
  const answer = await redis.run({
    script: reserveScript,
    keys: keysOfReserving(owner, reservationId),
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
      nowMs + leaseSeconds * 1000,
      instance,
      leaseMarginSeconds * 1000,
    ],
  });
  const [amount, used, reserved, resetAtMs, endsAtMs] = (answer as string[]).map(Number) as [
    ...[number, number, number, number],
    number?,
  ];
  const remaining = Math.max(0, limit - used - reserved);
  const setAside = endsAtMs === undefined ? null : { amount: reserved, endsAtMs };
  return amount === 0
    ? { outcome: "exhausted", remaining, resetAtMs, setAside }
    : { outcome: "reserved", reservationId, amount, limit, used, reserved, remaining, resetAtMs };
}

function keysOfReserving(owner: QuotaOwner, reservationId: string): string[] {
  return [
    quotaKeys.window(owner),
    quotaKeys.held(owner),
    quotaKeys.reservation(reservationId),
    quotaKeys.leases,
    quotaKeys.subjects(owner.kind),
    quotaKeyStart,
  ];
}

type Lease = { id: string; instance: string; leaseUntilMs: number };

/** `lapsedAtMs`: only those that are over by then, the longest first; otherwise all. */
async function readLeases(redis: Redis, lapsedAtMs?: number): Promise<Lease[]> {
  const answer =
    lapsedAtMs === undefined
      ? await redis.run({ script: listLeasesScript, keys: [quotaKeys.leases] })
      : await redis.run({
          script: findLapsedScript,
          keys: [quotaKeys.leases],
          parameters: [lapsedAtMs, orphanBatch],
        });
  const flat = answer as string[];
  return Array.from({ length: flat.length / 2 }, (_, index) => {
    const [id = "", ...words] = (flat[2 * index] ?? "").split(" ");
    return { id, instance: words.join(" "), leaseUntilMs: Number(flat[2 * index + 1]) };
  });
}
