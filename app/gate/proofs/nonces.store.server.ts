import type { Clock } from "~/platform/time/clock";
import type { Database } from "~/platform/database/database.server";

export type NonceVerdict = "consumed" | "unknown" | "expired" | "used" | "other-client";
export type NonceStore = ReturnType<typeof createNonceStore>;

/** `clientId` null: nonces are not bound to a client here. */
type Nonce = { value: string; clientId: string | null };

export function createNonceStore(database: Database, clock: Clock) {
  return {
    async issueNonce({ value, clientId, ttlSeconds }: Nonce & { clientId: string; ttlSeconds: number }) {
      const issuedAtMs = BigInt(clock());
      const expiresAtMs = issuedAtMs + BigInt(ttlSeconds) * 1000n;
      await database.nonce.create({ data: { value, clientId, issuedAtMs, expiresAtMs } });
    },

    /** Once, however many ask. Another client's attempt changes nothing and learns nothing of the state. */
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
