import type { Clock } from "~/platform/time/clock";
import type { Database } from "~/platform/database/database.server";
import { isTaken } from "~/platform/database/write-conflict.server";
import type { Redis } from "~/platform/redis/redis.server";
import { defineScript } from "~/platform/redis/redis-script.server";

type NonceVerdict = "consumed" | "unknown" | "expired" | "used" | "other-client";
export type NonceStore = ReturnType<typeof createNonceStore>;

/** `clientId` is null if nonces are not bound to clients. */
type Nonce = { value: string; clientId: string | null };

export function createNonceStore(database: Database, clock: Clock) {
  return {
    async issueNonce({ value, clientId, ttlSeconds }: Nonce & { clientId: string; ttlSeconds: number }) {
      const issuedAtMs = BigInt(clock());
      const expiresAtMs = issuedAtMs + BigInt(ttlSeconds) * 1000n;
      await database.nonce.create({ data: { value, clientId, issuedAtMs, expiresAtMs } });
    },

    /** Succeeds once. Another client's attempt changes nothing, and shows only that the nonce exists. */
    async consumeNonce({ value, clientId }: Nonce): Promise<NonceVerdict> {
      const now = BigInt(clock());
      const isClients = clientId === null ? {} : { clientId };
      const { count } = await database.nonce.updateMany({
        where: { value, consumedAtMs: null, expiresAtMs: { gt: now }, ...isClients },
        data: { consumedAtMs: now },
      });
      if (count === 1) return "consumed";

      const nonce = await database.nonce.findUnique({ where: { value } });
      if (nonce === null) return "unknown";
      if (clientId !== null && nonce.clientId !== clientId) return "other-client";
      return nonce.consumedAtMs === null ? "expired" : "used";
    },
  };
}

/** After `expiresAtMs` the signature is too old anyway, so the row may go. */
type SpentSignature = { digest: string; expiresAtMs: number };
export type SpentSignatureStore = ReturnType<typeof createSpentSignatureStore>;

export function createSpentSignatureStore(database: Database) {
  return {
    /** True for exactly one of any number of concurrent calls. */
    async spendSignature({ digest, expiresAtMs }: SpentSignature): Promise<boolean> {
      try {
        await database.spentSignature.create({ data: { digest, expiresAtMs: BigInt(expiresAtMs) } });
        return true;
      } catch (error) {
        if (isTaken(error, "SpentSignature")) return false;
        throw error;
      }
    },
  };
}

/** Redis's clock may differ, and `expired` is a better reason than `unknown`. */
const keepMs = 60_000;

/** Same contract as `createNonceStore`. */
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
