import type { Database } from "./database.server";

export type SweepStore = ReturnType<typeof createSweepStore>;

/** `departedBeforeMs`: no access token from before that moment can still be valid. */
export type SweepRequest = { nowMs: number; departedBeforeMs: number; batchSize: number };

export function createSweepStore({ database }: { database: Database }) {
  /**
   * Deletes rows that can no longer change any answer, at most `batchSize` of each kind, and answers with the largest
   * number it deleted of one kind: less than `batchSize` means that nothing is left. Nonces stay until they expire,
   * consumed or not, so that a second use is told apart from a nonce that never was.
   */
  async function deleteBatch({ nowMs, departedBeforeMs, batchSize }: SweepRequest): Promise<number> {
    const expired = { where: { expiresAtMs: { lte: BigInt(nowMs) } }, limit: batchSize };
    const departed = { where: { departedAtMs: { lt: BigInt(departedBeforeMs) } }, limit: batchSize };
    const results = [
      await database.nonce.deleteMany(expired),
      await database.spentSignature.deleteMany(expired),
      await database.rateLimitWindow.deleteMany(expired),
      await database.rateLimitLog.deleteMany(expired),
      await database.keyDeparture.deleteMany(departed),
      await database.quotaWindow.deleteMany({
        where: { resetAtMs: { lte: BigInt(nowMs) } },
        limit: batchSize,
      }),
    ];
    return Math.max(...results.map((result) => result.count));
  }

  return { deleteBatch };
}
