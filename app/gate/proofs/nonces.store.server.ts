import type { Clock } from "~/platform/clock";
import type { Database } from "~/platform/database/database.server";
import { directStatements } from "~/platform/database/direct-statements.server";

export type NonceVerdict = "consumed" | "unknown" | "expired" | "used" | "other-client";
export type NonceStore = ReturnType<typeof createNonceStore>;

/** `clientId` null: nonces are not bound to a client here. */
type Nonce = { value: string; clientId: string | null };

export function createNonceStore(database: Database, clock: Clock) {
  const { execute } = directStatements(database);
  return {
    async issueNonce({ value, clientId, ttlSeconds }: Nonce & { clientId: string; ttlSeconds: number }) {
      const issuedAtMs = BigInt(clock());
      const expiresAtMs = issuedAtMs + BigInt(ttlSeconds) * 1000n;
      await execute`
        INSERT INTO "Nonce" ("value", "clientId", "issuedAtMs", "expiresAtMs")
        VALUES (${value}, ${clientId}, ${issuedAtMs}, ${expiresAtMs})`;
    },

    /** Once, however many ask. Another client's attempt changes nothing and learns nothing of the state. */
    async consumeNonce({ value, clientId }: Nonce): Promise<NonceVerdict> {
      const now = BigInt(clock());
      // Without a client to compare, the nonce's own is the same as itself.
      const count = await execute`
        UPDATE "Nonce" SET "consumedAtMs" = ${now}
        WHERE "value" = ${value} AND "consumedAtMs" IS NULL AND "expiresAtMs" > ${now}
          AND "clientId" = COALESCE(${clientId}, "clientId")`;
      if (count === 1) return "consumed";

      const nonce = await database.nonce.findUnique({ where: { value } });
      if (nonce === null) return "unknown";
      if (clientId !== null && nonce.clientId !== clientId) return "other-client";
      return nonce.consumedAtMs === null ? "expired" : "used";
    },
  };
}
