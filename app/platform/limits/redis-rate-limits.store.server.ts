import type { Redis } from "~/platform/redis/redis.server";
import { defineScript } from "~/platform/redis/redis-script.server";
import type { RedisScript } from "~/platform/redis/redis-script.server";
import { toMoment } from "./hit-log";
import type { RateLimitStore, WindowClient } from "./rate-limits.store.server";

/** `name`: of the limit. `key`: `<name>:<client>`. */
export const limitKeys = { window: (name: string) => `rate:${name}`, log: (key: string) => `hits:${key}` };

/** For clocks that differ: what has left a log by ours must not be gone by that of Redis before. */
export const limitKeepMs = 60_000;

/** The limits of several instances, in Redis. The contract is documented in rate-limits.store.server.ts. */
export function createRedisRateLimitStore(redis: Redis): RateLimitStore {
  return {
    windowClient: createWindowClient(redis),

    async takeFromLog({ key, points, windowMs, nowMs }) {
      const answer = await redis.run({
        script: logScript,
        keys: [limitKeys.log(key)],
        parameters: [
          toMoment(nowMs),
          toMoment(nowMs - windowMs),
          toMoment(nowMs + windowMs),
          points,
          windowMs + limitKeepMs,
        ],
      });
      const [admitted, hits] = answer as [number, string];
      return { isAdmitted: admitted === 1, hits };
    },
  };
}

/** The library's own script, run like every other one: traced, timed, and with outages told as such. */
function createWindowClient(redis: Redis): WindowClient {
  let script: RedisScript | undefined;
  return {
    defineCommand: (_name, { lua }) => {
      script = defineScript({ name: "limit-window", lua });
    },
    rlflxIncr: async ([key = "", ...parameters]) => {
      if (!script) throw new TypeError("The script of the limiter was not defined.");
      return await redis.run({ script, keys: [key], parameters });
    },
  };
}

/** Moments are text of one width, as in the database: they compare as text. */
const logScript = defineScript({
  name: "limit-log",
  lua: `
  local now, expired, future, limit, keptForMs = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
  local newest = redis.call('LINDEX', KEYS[1], -1)
  if newest and newest > future then redis.call('DEL', KEYS[1]) end
  local oldest = redis.call('LINDEX', KEYS[1], -limit)
  local isAdmitted = not oldest or oldest <= expired
  if isAdmitted then
    redis.call('RPUSH', KEYS[1], now)
    redis.call('LTRIM', KEYS[1], -limit, -1)
    redis.call('PEXPIRE', KEYS[1], keptForMs)
  end
  return {isAdmitted and 1 or 0, table.concat(redis.call('LRANGE', KEYS[1], -limit, -1))}`,
});
