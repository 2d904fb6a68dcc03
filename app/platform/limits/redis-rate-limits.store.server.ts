import type { Redis } from "~/platform/redis/redis.server";
import { defineScript } from "~/platform/redis/redis-script.server";
import { toMoment } from "./hit-log";
import { limitKeepMs, limitKeys } from "./redis-limit-keys";
import type { Hit, RateLimitStore } from "./rate-limits.store.server";

/** The limits of several instances, in Redis. What the functions promise stands in rate-limits.store.server.ts. */
export function createRedisRateLimitStore({ redis }: { redis: Redis }): RateLimitStore {
  return {
    async takeFromWindow(hit) {
      const { key, nowMs, windowMs, points } = hit;
      const answer = await redis.run({
        script: windowScript,
        keys: [limitKeys.window(key)],
        parameters: [nowMs, windowMs, points, windowMs + limitKeepMs],
      });
      const [admitted, startedAtMs, used] = answer as [number, string, string];
      return { isAdmitted: admitted === 1, startedAtMs: Number(startedAtMs), points: Number(used) };
    },

    async takeFromLog(hit) {
      const answer = await redis.run({
        script: logScript,
        keys: [limitKeys.log(hit.key)],
        parameters: logParameters(hit),
      });
      const [admitted, hits] = answer as [number, string];
      return { isAdmitted: admitted === 1, hits };
    },
  };
}

function logParameters({ nowMs, windowMs, points }: Hit): (string | number)[] {
  return [
    toMoment(nowMs),
    toMoment(nowMs - windowMs),
    toMoment(nowMs + windowMs),
    points,
    windowMs + limitKeepMs,
  ];
}

const windowScript = defineScript({
  name: "limit-window",
  lua: `
  local nowMs, windowMs, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
  local window = redis.call('HMGET', KEYS[1], 'startedAtMs', 'points')
  local startedAtMs = tonumber(window[1])
  -- A window from the future was written before the clock was set back, and would otherwise stay for too long.
  local isOpen = startedAtMs and startedAtMs > nowMs - windowMs and startedAtMs <= nowMs + windowMs
  if isOpen then
    if tonumber(window[2]) >= limit then return {0, window[1], window[2]} end
    return {1, window[1], tostring(redis.call('HINCRBY', KEYS[1], 'points', 1))}
  end
  redis.call('HSET', KEYS[1], 'startedAtMs', ARGV[1], 'points', 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  return {1, ARGV[1], '1'}`,
});

/** Moments are text of one width, as in the database: they compare as text. */
const logScript = defineScript({
  name: "limit-log",
  lua: `
  local now, lapsed, future, limit, keptForMs = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
  local newest = redis.call('LINDEX', KEYS[1], -1)
  if newest and newest > future then redis.call('DEL', KEYS[1]) end
  local oldest = redis.call('LINDEX', KEYS[1], -limit)
  local isAdmitted = not oldest or oldest <= lapsed
  if isAdmitted then
    redis.call('RPUSH', KEYS[1], now)
    redis.call('LTRIM', KEYS[1], -limit, -1)
    redis.call('PEXPIRE', KEYS[1], keptForMs)
  end
  return {isAdmitted and 1 or 0, table.concat(redis.call('LRANGE', KEYS[1], -limit, -1))}`,
});
