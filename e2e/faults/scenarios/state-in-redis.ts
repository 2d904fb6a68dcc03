import { openRedis } from "~/platform/redis/redis.server";
import type { Redis } from "~/platform/redis/redis.server";
import { findRedis } from "~e2e/support/obtain-programs";
import { launchRedis } from "~e2e/support/databases/redis";
import type { RedisServer } from "~e2e/support/databases/redis";
import type { Skipped } from "../scenario";
import type { Later } from "../cleanup";

export type StateInRedis = {
  server: RedisServer;
  /** The service's settings. */
  env: Record<string, string>;
  seen: Redis;
};

/** A Redis for nonces, limits and quotas that syncs to disk before it acknowledges. */
export async function openStateInRedis(later: Later): Promise<StateInRedis | Skipped> {
  if (findRedis() === null) {
    return { skipped: "No redis-server is on this machine, and Debian's package could not be fetched." };
  }
  const server = await launchRedis();
  later(server.stop);
  const { url, password } = server;
  const seen = await openRedis({ url, password });
  later(() => seen.close());
  return { server, env: { STATE_WORKER_URL: url, STATE_WORKER_API_KEY: password }, seen };
}
