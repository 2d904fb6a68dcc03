import type { Database } from "./database.server";

export type SweepStore = ReturnType<typeof createSweepStore>;

export type SweepRequest = {
  nowMs: number;
  /** No access token from before that moment can still be valid. */
  departedBeforeMs: number;
  /** No signature that expired by that moment can become good again. */
  spentBeforeMs: number;
  batchSize: number;
};

export function createSweepStore({ database }: { database: Database }) {
  /**
   * Deletes rows that can no longer change any answer, at most `batchSize` of each kind, and answers with the largest
   * number it deleted of one kind: less than `batchSize` means that nothing is left. Nonces stay until they expire,
   * consumed or not, so that a second use is told apart from a nonce that never was.
   */
  async function deleteBatch(request: SweepRequest): Promise<number> {
    const { nowMs, departedBeforeMs, spentBeforeMs, batchSize } = request;
    const expired = { where: { expiresAtMs: { lte: BigInt(nowMs) } }, limit: batchSize };
    const spent = { where: { expiresAtMs: { lte: BigInt(spentBeforeMs) } }, limit: batchSize };
    const departed = { where: { departedAtMs: { lt: BigInt(departedBeforeMs) } }, limit: batchSize };
    const results = [
      await database.nonce.deleteMany(expired),
      await database.spentSignature.deleteMany(spent),
      await database.rateLimitWindow.deleteMany(expired),
      await database.rateLimitLog.deleteMany(expired),
      await database.keyDeparture.deleteMany(departed),
    ];
    const quotaWindowCount = await deleteQuotaWindows({ database, nowMs, batchSize });
    return Math.max(quotaWindowCount, ...results.map((result) => result.count));
  }

  return { deleteBatch };
}

/** The condition stands twice: the outer one is looked at again under the row's lock, in case it was just reopened. */
async function deleteQuotaWindows(request: {
  database: Database;
  nowMs: number;
  batchSize: number;
}): Promise<number> {
  const now = BigInt(request.nowMs);
  return await request.database.$executeRaw`
    DELETE FROM "QuotaWindow"
    WHERE ("kind", "subject") IN (
        SELECT "kind", "subject" FROM "QuotaWindow" WHERE "resetAtMs" <= ${now} LIMIT ${request.batchSize})
      AND "resetAtMs" <= ${now}`;
}
