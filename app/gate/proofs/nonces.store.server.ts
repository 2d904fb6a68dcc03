import type { Clock } from "~/platform/clock";
import type { Database } from "~/platform/database/database.server";

export type NonceVerdict = "consumed" | "unknown" | "expired" | "used" | "other-client";
export type NonceStore = ReturnType<typeof createNonceStore>;

type IssueNonceRequest = { value: string; clientId: string; ttlSeconds: number };

/** `clientId` null: nonces are not bound to a client here. */
type ConsumeNonceRequest = { value: string; clientId: string | null };

export function createNonceStore(database: Database, clock: Clock) {
  async function issueNonce({ value, clientId, ttlSeconds }: IssueNonceRequest): Promise<void> {
    const issuedAtMs = BigInt(clock());
    const expiresAtMs = issuedAtMs + BigInt(ttlSeconds) * 1000n;
    // A raw statement: the busiest write of the service takes a third of the time that way.
    await database.$executeRaw`
      INSERT INTO "Nonce" ("value", "clientId", "issuedAtMs", "expiresAtMs")
      VALUES (${value}, ${clientId}, ${issuedAtMs}, ${expiresAtMs})`;
  }

  /**
   * Consumes a nonce at most once, however many ask at the same moment. From the moment `expiresAtMs` on it is
   * expired. Another client's attempt leaves it as it is, and learns nothing about its state.
   */
  async function consumeNonce({ value, clientId }: ConsumeNonceRequest): Promise<NonceVerdict> {
    const now = BigInt(clock());
    // A raw statement for the same reason.
    const count =
      clientId === null
        ? await database.$executeRaw`
            UPDATE "Nonce" SET "consumedAtMs" = ${now}
            WHERE "value" = ${value} AND "consumedAtMs" IS NULL AND "expiresAtMs" > ${now}`
        : await database.$executeRaw`
            UPDATE "Nonce" SET "consumedAtMs" = ${now}
            WHERE "value" = ${value} AND "consumedAtMs" IS NULL AND "expiresAtMs" > ${now}
              AND "clientId" = ${clientId}`;
    if (count === 1) return "consumed";

    const nonce = await database.nonce.findUnique({ where: { value } });
    if (nonce === null) return "unknown";
    if (clientId !== null && nonce.clientId !== clientId) return "other-client";
    return nonce.consumedAtMs === null ? "expired" : "used";
  }

  return { issueNonce, consumeNonce };
}
