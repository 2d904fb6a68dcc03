import type { Clock } from "~/platform/time/clock";
import type { Redis } from "~/platform/redis/redis.server";
import { defineScript } from "~/platform/redis/redis-script.server";
import type { DoorCodeStore } from "./door-codes.store.server";

/** Redis forgets a code later than we refuse it, because clocks differ. */
const keepMs = 60_000;

export function createRedisDoorCodeStore(redis: Redis, clock: Clock): DoorCodeStore {
  return {
    async issueCode({ digest, site, startHash, claims, ttlSeconds }) {
      const ttlMs = ttlSeconds * 1000;
      const parameters = [site, startHash, claims, clock() + ttlMs, ttlMs + keepMs];
      await redis.run({ script: issueScript, keys: [`door-code:${digest}`], parameters });
    },

    async spendCode({ digest, site, startHash }) {
      const parameters = [clock(), site, startHash];
      const call = { script: spendScript, keys: [`door-code:${digest}`], parameters };
      return (await redis.run(call)) as string | null;
    },
  };
}

const issueScript = defineScript({
  name: "door-code-issue",
  lua: `
  local site, startHash, claims, expiresAtMs, keptForMs = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
  if redis.call('HSETNX', KEYS[1], 'site', site) == 0 then
    return redis.error_reply('ERR this code was issued before')
  end
  redis.call('HSET', KEYS[1], 'startHash', startHash, 'claims', claims, 'expiresAtMs', expiresAtMs)
  return redis.call('PEXPIRE', KEYS[1], keptForMs)`,
});

const spendScript = defineScript({
  name: "door-code-spend",
  lua: `
  local nowMs, site, startHash = ARGV[1], ARGV[2], ARGV[3]
  local code = redis.call('HMGET', KEYS[1], 'site', 'startHash', 'expiresAtMs', 'claims')
  if not code[1] or code[1] ~= site or code[2] ~= startHash then return nil end
  redis.call('DEL', KEYS[1])
  if tonumber(code[3]) <= tonumber(nowMs) then return nil end
  return code[4]`,
});
