import type { Clock } from "~/platform/time/clock";
import type { Redis } from "~/platform/redis/redis.server";
import { defineScript } from "~/platform/redis/redis-script.server";
import type { NonceStore, NonceVerdict } from "./nonces.store.server";

/** Redis' clock is not ours, and an expired nonce is worth telling apart from one that never was. */
const keepMs = 60_000;

/** The nonces of several instances, in Redis. The contract is documented in nonces.store.server.ts. */
export function createRedisNonceStore(redis: Redis, clock: Clock): NonceStore {
  return {
    async issueNonce({ value, clientId, ttlSeconds }) {
      const ttlMs = ttlSeconds * 1000;
      const parameters = [clientId, clock() + ttlMs, ttlMs + keepMs];
      await redis.run({ script: issueScript, keys: [`nonce:${value}`], parameters });
    },

    async consumeNonce({ value, clientId }) {
      const client = clientId === null ? [] : [clientId];
      const call = { script: consumeScript, keys: [`nonce:${value}`], parameters: [clock(), ...client] };
      return (await redis.run(call)) as NonceVerdict;
    },
  };
}

const issueScript = defineScript({
  name: "nonce-issue",
  lua: `
  local clientId, expiresAtMs, keptForMs = ARGV[1], ARGV[2], ARGV[3]
  if redis.call('HSETNX', KEYS[1], 'clientId', clientId) == 0 then
    return redis.error_reply('ERR this nonce was issued before')
  end
  redis.call('HSET', KEYS[1], 'expiresAtMs', expiresAtMs)
  return redis.call('PEXPIRE', KEYS[1], keptForMs)`,
});

const consumeScript = defineScript({
  name: "nonce-consume",
  lua: `
  local nowMs, clientId = ARGV[1], ARGV[2]
  local nonce = redis.call('HMGET', KEYS[1], 'clientId', 'expiresAtMs', 'consumedAtMs')
  if not nonce[1] then return 'unknown' end
  if clientId and clientId ~= nonce[1] then return 'other-client' end
  if nonce[3] then return 'used' end
  if tonumber(nonce[2]) <= tonumber(nowMs) then return 'expired' end
  redis.call('HSET', KEYS[1], 'consumedAtMs', nowMs)
  return 'consumed'`,
});
