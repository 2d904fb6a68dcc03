import { createKeptAnswerStore } from "~/chat/kept/kept-answers.store.server";
import { createDoorCodeStore } from "~/door/door-codes.store.server";
import { createRedisDoorCodeStore } from "~/door/redis-door-codes.store.server";
import { createNonceStore, createRedisNonceStore } from "~/gate/proofs/nonces.store.server";
import { clearPaymentSums } from "~/payments/payments.store.server";
import type { Clock } from "~/platform/time/clock";
import type { Database } from "~/platform/database/database.server";
import { createRateLimitStore } from "~/platform/limits/rate-limits.store.server";
import { createRedisRateLimitStore } from "~/platform/limits/redis-rate-limits.store.server";
import type { Redis } from "~/platform/redis/redis.server";
import { createQuotaStore } from "~/quota/quota.store.server";
import { createQuotaWindowStore } from "~/quota/quota-windows.store.server";
import { createRedisQuotaStore, createRedisQuotaWindowStore } from "~/quota/redis-quota.store.server";

type Options = { database: Database; redis: Redis | null; clock: Clock; instance: string };

/** Redis if there is one, otherwise the service's own database. */
export function createStateStores({ database, redis, clock, instance }: Options) {
  // Always in the database: replies are too large for Redis, and outlive a restart.
  const keptAnswers = createKeptAnswerStore(database, clock);
  if (redis === null) {
    return {
      keptAnswers,
      nonces: createNonceStore(database, clock),
      doorCodes: createDoorCodeStore(database, clock),
      limits: createRateLimitStore(database),
      quota: createQuotaStore(database, clock, instance),
      quotaWindows: createQuotaWindowStore(database, clock, clearPaymentSums),
    };
  }
  return {
    keptAnswers,
    nonces: createRedisNonceStore(redis, clock),
    doorCodes: createRedisDoorCodeStore(redis, clock),
    limits: createRedisRateLimitStore(redis),
    quota: createRedisQuotaStore({ redis, database, clock, instance }),
    quotaWindows: createRedisQuotaWindowStore({ redis, database, clock, clearPayments: clearPaymentSums }),
  };
}
