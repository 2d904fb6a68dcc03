import { sqltag as sql } from "@prisma/client/runtime/client";
import type { Database } from "./database.server";
import { deleteSome } from "./delete-some.server";
import type { Deletion } from "./delete-some.server";

export type SweepStore = ReturnType<typeof createSweepStore>;

export type SweepRequest = {
  nowMs: number;
  /** No access token from before that moment can still be valid. */
  departedBeforeMs: number;
  /** No signature that expired by that moment can become good again. */
  spentBeforeMs: number;
  batchSize: number;
};

export function createSweepStore(database: Database) {
  /**
   * Deletes what can no longer change a response, and returns the largest number it deleted of one kind: less than
   * `batchSize` means that nothing is left. Consumed nonces stay until they expire, so that a second use is recognised.
   */
  async function deleteBatch(request: SweepRequest): Promise<number> {
    const { nowMs, departedBeforeMs, spentBeforeMs, batchSize: limit } = request;
    const expired = sql`"expiresAtMs" <= ${BigInt(nowMs)}`;
    const spent = sql`"expiresAtMs" <= ${BigInt(spentBeforeMs)}`;
    const departed = sql`"departedAtMs" < ${BigInt(departedBeforeMs)}`;
    const isReset = sql`"resetAtMs" <= ${BigInt(nowMs)}`;
    // Of the first that have expired: the others stay for the next batch, with what they hold.
    const ofExpired = sql`"answerId" IN (SELECT "id" FROM "KeptAnswer" WHERE ${expired} ORDER BY "expiresAtMs", "id" LIMIT ${limit})`;
    const expiredAndEmpty = sql`${expired} AND NOT EXISTS (
      SELECT 1 FROM "KeptPiece" WHERE "answerId" = "KeptAnswer"."id")`;
    const holding = ["chainId", "contractAddress", "tokenId", "holder"];
    const deletions: Omit<Deletion, "limit">[] = [
      { table: "Nonce", key: ["value"], condition: expired },
      { table: "SpentSignature", key: ["digest"], condition: spent },
      { table: "RevokedProof", key: ["proofHash", "wallet"], condition: spent },
      { table: "DoorCode", key: ["digest"], condition: expired },
      { table: "RateLimitWindow", key: ["key"], condition: expired },
      { table: "RateLimitLog", key: ["key"], condition: expired },
      { table: "KeyDeparture", key: holding, condition: departed },
      { table: "QuotaWindow", key: ["kind", "subject"], condition: isReset },
      { table: "KeptPiece", key: ["answerId", "firstId"], condition: ofExpired },
      { table: "KeptAnswer", key: ["id"], condition: expiredAndEmpty },
    ];
    let most = 0;
    for (const deletion of deletions) {
      most = Math.max(most, await deleteSome(database, { ...deletion, limit }));
    }
    return most;
  }

  return { deleteBatch };
}
