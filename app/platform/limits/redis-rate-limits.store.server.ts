import type { Redis } from "~/platform/redis/redis.server";
import { defineScript } from "~/platform/redis/redis-script.server";
import type { RedisScript } from "~/platform/redis/redis-script.server";
import { toMoment } from "./hit-log";
import type { RateLimitStore, WindowClient } from "./rate-limits.store.server";

/** `name`: of the limit. `key`: `<name>:<client>`. */
export const limitKeys = { window: (name: string) => `rate:${name}`, log: (key: string) => `hits:${key}` };

/** Clocks differ: Redis must not delete a hit before it has left the log by our clock. */
export const limitKeepMs = 60_000;

export function createRedisRateLimitStore(redis: Redis): RateLimitStore {
  return {
    windowClient: createWindowClient(redis),

    async takeFromLog({ key, points, windowMs, nowMs }) {
      const reply = await redis.run({
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
      const [admitted, hits] = reply as [number, string];
      return { isAdmitted: admitted === 1, hits };
    },
  };
}

/** Runs the library's own script like every other one: traced, timed, with outages named. */
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
