import { createKeptAnswerStore } from "~/chat/kept/kept-answers.store.server";
import { createRedisKeptAnswerStore } from "~/chat/kept/redis-kept-answers.store.server";
import { createDoorCodeStore } from "~/door/door-codes.store.server";
import { createRedisDoorCodeStore } from "~/door/redis-door-codes.store.server";
import { createNonceStore } from "~/gate/proofs/nonces.store.server";
import { createRedisNonceStore } from "~/gate/proofs/redis-nonces.store.server";
import { clearPaymentSums } from "~/payments/payment-windows.store.server";
import type { Clock } from "~/platform/clock";
import type { Database } from "~/platform/database/database.server";
import { readDatabaseUrl } from "~/platform/database/database-url.server";
import { createPostgresqlPubSub } from "~/platform/database/postgresql-pubsub.server";
import { createRateLimitStore } from "~/platform/limits/rate-limits.store.server";
import type { EventLog } from "~/platform/log.server";
import { noPubSub } from "~/platform/pubsub/pubsub.server";
import type { PubSub } from "~/platform/pubsub/pubsub.server";
import { createRedisRateLimitStore } from "~/platform/limits/redis-rate-limits.store.server";
import { createRedisPubSub } from "~/platform/redis/redis-pubsub.server";
import type { Redis } from "~/platform/redis/redis.server";
import { createQuotaStore } from "~/quota/quota.store.server";
import { createQuotaWindowStore } from "~/quota/quota-windows.store.server";
import { createRedisQuotaStore } from "~/quota/redis-quota.store.server";
import { createRedisQuotaWindowStore } from "~/quota/redis-quota-windows.store.server";
import type { Config } from "~/settings.server";

/** What all instances have to agree on for a while. */
export type StateStores = ReturnType<typeof createStateStores>;

type Options = { database: Database; redis: Redis | null; clock: Clock; instance: string };

/** The state service: Redis where there is one, otherwise the service's own database. */
export function createStateStores({ database, redis, clock, instance }: Options) {
  if (redis === null) {
    return {
      nonces: createNonceStore(database, clock),
      doorCodes: createDoorCodeStore(database, clock),
      limits: createRateLimitStore(database),
      quota: createQuotaStore(database, clock, instance),
      quotaWindows: createQuotaWindowStore(database, clock, clearPaymentSums),
      keptAnswers: createKeptAnswerStore(database, clock),
    };
  }
  return {
    nonces: createRedisNonceStore(redis, clock),
    doorCodes: createRedisDoorCodeStore(redis, clock),
    limits: createRedisRateLimitStore(redis),
    quota: createRedisQuotaStore(redis, clock, instance),
    quotaWindows: createRedisQuotaWindowStore({ redis, database, clock, clearPayments: clearPaymentSums }),
    keptAnswers: createRedisKeptAnswerStore(redis, clock),
  };
}

type PubSubOptions = { config: Pick<Config, "state" | "database">; redis: Redis | null; log: EventLog };

/** How instances tell each other that something of the state has changed; on SQLite they do not. */
export function createStatePubSub({ config, redis, log }: PubSubOptions): PubSub {
  if (redis !== null && config.state.redis) return createRedisPubSub({ ...config.state.redis, redis, log });
  const location = readDatabaseUrl(config.database.url);
  return location.provider === "sqlite" ? noPubSub : createPostgresqlPubSub({ url: location.url, log });
}
