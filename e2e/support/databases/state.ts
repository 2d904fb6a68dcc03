import { randomUUID } from "node:crypto";
import { afterAll, onTestFinished, test, vi } from "vitest";
import type { Clock } from "~/platform/time/clock";
import type { Database } from "~/platform/database/database.server";
import { defineScript } from "~/platform/redis/redis-script.server";
import { openRedis } from "~/platform/redis/redis.server";
import type { Redis } from "~/platform/redis/redis.server";
import { createStateStores } from "~/services/state.server";
import { runsOnPostgresql } from "./chosen-database";
import { createSqliteTestDatabase, createTestDatabase, databaseName, openTestDatabase } from "./database";
import { hasRedis, launchRedis } from "./redis";
import type { RedisServer } from "./redis";

type StateStores = ReturnType<typeof createStateStores>;

/** The shared place of nonces, limits and quotas. Each instance opens it once. */
export type TestState = {
  /** Also with Redis, because used keys, submissions and the audit trail stay in the database. */
  database: Database;
  /** Null: state is in the database. */
  redis: Redis | null;
  /** The addresses another process needs to open the same place. */
  addresses: { databaseUrl: string; redisUrl: string; redisPassword: string; redisPrefix: string };
  openStores: (options: { clock: Clock; instance?: string }) => StateStores;
  /** One more connection, as another process would have. */
  connectAgain: () => Promise<TestState>;
};

/** Runs on each place of state: SQLite and Redis in `npm test`, PostgreSQL as `testOnEachDatabase` says. */
export function testOnEachState(name: string, body: (state: TestState) => Promise<void>): void {
  test(`${name} (${databaseName})`, async () => body(openDatabaseState(await createTestDatabase())));
  if (runsOnPostgresql) return;
  test.skipIf(!hasRedis)(`${name} (Redis)`, async () => body(await createRedisState()));
}

/** For rules that don't depend on the place of state. */
export async function createSqliteState(): Promise<TestState> {
  return openDatabaseState(await createSqliteTestDatabase());
}

function openDatabaseState({ database, url }: { database: Database; url: string }): TestState {
  return {
    database,
    redis: null,
    addresses: { databaseUrl: url, redisUrl: "", redisPassword: "", redisPrefix: "" },
    openStores: ({ clock, instance = "a" }) => createStateStores({ database, redis: null, clock, instance }),
    connectAgain: async () => openDatabaseState({ database: await openTestDatabase(url), url }),
  };
}

/**
 * The test's clock, which the process and Redis follow. A limit's client lives in the process and its window in Redis.
 * Redis's own clock is never set back.
 */
export function createStateClock(redis: Redis | null, startMs = 1_700_000_000_000) {
  vi.useFakeTimers({ toFake: ["Date"], now: startMs });
  onTestFinished(() => void vi.useRealTimers());
  return {
    clock: (): number => Date.now(),
    advance: async (ms: number): Promise<void> => {
      vi.setSystemTime(Date.now() + ms);
      if (ms > 0) await redis?.run({ script: passScript, keys: [""], parameters: [ms] });
    },
  };
}

const passScript = defineScript({
  name: "test-pass",
  lua: `
  for _, key in ipairs(redis.call('KEYS', KEYS[1] .. '*')) do
    local leftMs = redis.call('PTTL', key)
    if leftMs > 0 and leftMs <= tonumber(ARGV[1]) then redis.call('DEL', key) end
    if leftMs > tonumber(ARGV[1]) then redis.call('PEXPIRE', key, leftMs - ARGV[1]) end
  end`,
});

let server: ReturnType<typeof launchRedis> | undefined;

/** A separate part of one Redis server. */
export async function createRedisState(): Promise<TestState> {
  const { database, url } = await createTestDatabase();
  server ??= launchRedis();
  return await openRedisState({ database, url, server: await server, prefix: `test-${randomUUID()}:` });
}

type OpenRedisStateOptions = {
  database: Database;
  url: string;
  server: RedisServer;
  prefix: string;
};

async function openRedisState(site: OpenRedisStateOptions): Promise<TestState> {
  const { database, url, server, prefix } = site;
  const redis = await connectRedis({ server, prefix });
  return {
    database,
    redis,
    addresses: {
      databaseUrl: url,
      redisUrl: server.url,
      redisPassword: server.password,
      redisPrefix: prefix,
    },
    openStores: ({ clock, instance = "a" }) => createStateStores({ database, redis, clock, instance }),
    connectAgain: async () => await openRedisState({ ...site, database: await openTestDatabase(url) }),
  };
}

/** Resolves once connected. Closed when the test ends. */
export async function connectRedis({
  server,
  prefix,
  commandTimeoutMs,
}: {
  server: RedisServer;
  prefix?: string;
  commandTimeoutMs?: number;
}): Promise<Redis> {
  const redis = await openRedis({ url: server.url, password: server.password, prefix, commandTimeoutMs });
  onTestFinished(() => redis.close());
  for (;;) {
    try {
      await redis.findFault();
      return redis;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

afterAll(async () => {
  await (await server)?.stop();
  server = undefined;
});
