import { Prisma } from "~/generated/sqlite/client";
import type { Database } from "~/platform/database/database.server";
import { deleteSome } from "~/platform/database/delete-some.server";
import type { Deletion } from "~/platform/database/delete-some.server";

export type SweepStore = ReturnType<typeof createSweepStore>;

type SweepRequest = {
  nowMs: number;
  /** No older access token can still be valid. */
  departedBeforeMs: number;
  /** No signature that expired by then can become valid again. */
  spentBeforeMs: number;
  batchSize: number;
};

export function createSweepStore(database: Database) {
  /**
   * Deletes expired rows, and returns the largest number of one kind. If it is less than `batchSize`, nothing is left.
   * Consumed nonces stay until they expire, so that a second use is recognised.
   */
  async function deleteBatch(request: SweepRequest): Promise<number> {
    const { nowMs, departedBeforeMs, spentBeforeMs, batchSize: limit } = request;
    const expired = Prisma.sql`"expiresAtMs" <= ${BigInt(nowMs)}`;
    const spent = Prisma.sql`"expiresAtMs" <= ${BigInt(spentBeforeMs)}`;
    const departed = Prisma.sql`"departedAtMs" < ${BigInt(departedBeforeMs)}`;
    const isReset = Prisma.sql`"resetAtMs" <= ${BigInt(nowMs)}`;
    // Only pieces of the first expired replies, so that the others stay complete.
    const ofExpired = Prisma.sql`"answerId" IN (SELECT "id" FROM "KeptAnswer" WHERE ${expired} ORDER BY "expiresAtMs", "id" LIMIT ${limit})`;
    const expiredAndEmpty = Prisma.sql`${expired} AND NOT EXISTS (
      SELECT 1 FROM "KeptPiece" WHERE "answerId" = "KeptAnswer"."id")`;
    const holding = Prisma.sql`"chainId", "contractAddress", "tokenId", "holder"`;
    const deletions: Omit<Deletion, "limit">[] = [
      { table: Prisma.sql`"Nonce"`, key: Prisma.sql`"value"`, condition: expired },
      { table: Prisma.sql`"SpentSignature"`, key: Prisma.sql`"digest"`, condition: spent },
      { table: Prisma.sql`"RevokedProof"`, key: Prisma.sql`"proofHash", "wallet"`, condition: spent },
      { table: Prisma.sql`"DoorCode"`, key: Prisma.sql`"digest"`, condition: expired },
      { table: Prisma.sql`"RateLimitWindow"`, key: Prisma.sql`"key"`, condition: expired },
      { table: Prisma.sql`"RateLimitLog"`, key: Prisma.sql`"key"`, condition: expired },
      { table: Prisma.sql`"KeyDeparture"`, key: holding, condition: departed },
      { table: Prisma.sql`"QuotaWindow"`, key: Prisma.sql`"kind", "subject"`, condition: isReset },
      { table: Prisma.sql`"KeptPiece"`, key: Prisma.sql`"answerId", "firstId"`, condition: ofExpired },
      { table: Prisma.sql`"KeptAnswer"`, key: Prisma.sql`"id"`, condition: expiredAndEmpty },
    ];
    let most = 0;
    for (const deletion of deletions) {
      most = Math.max(most, await deleteSome(database, { ...deletion, limit }));
    }
    return most;
  }

  return { deleteBatch };
}
