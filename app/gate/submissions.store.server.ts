import { randomUUID } from "node:crypto";
import type { Clock } from "~/platform/clock";
import type { Database } from "~/platform/database/database.server";
import { toKeyColumns } from "./key-columns.store.server";
import type { KeyRef } from "./key-ref";

export type SubmissionRequest = {
  /** Made by the caller, who also tells it in the notification. */
  submissionId: string;
  key: KeyRef;
  usedBy: string;
  message: string;
  messageHash: string | null;
  requestId: string;
  /** `payload` is JSON text; one delivery is queued for each of `channels`, which may be none. */
  notification: { kind: string; payload: string; channels: readonly string[] };
};

export type SubmissionOutcome = { outcome: "accepted"; submissionId: string } | { outcome: "already-used" };

export type SubmissionStore = ReturnType<typeof createSubmissionStore>;

export function createSubmissionStore({ database, clock }: { database: Database; clock: Clock }) {
  /**
   * Uses up the key, stores the submission and queues the notification: all of it or nothing, and durably, so that
   * an accepted submission outlives a power cut. Of several at once exactly one is accepted.
   */
  async function submitOnce(request: SubmissionRequest): Promise<SubmissionOutcome> {
    const now = BigInt(clock());
    const key = toKeyColumns(request.key);
    const usedBy = request.usedBy.toLowerCase();
    const { submissionId } = request;
    return await database.$transaction(async (transaction) => {
      const usedKeyCount = await transaction.$executeRaw`
        INSERT INTO "UsedKey" ("chainId", "contractAddress", "tokenId", "usedBy", "usedAtMs")
        VALUES (${key.chainId}, ${key.contractAddress}, ${key.tokenId}, ${usedBy}, ${now})
        ON CONFLICT ("chainId", "contractAddress", "tokenId") DO NOTHING`;
      if (usedKeyCount === 0) return { outcome: "already-used" };

      const { message, messageHash, requestId } = request;
      await transaction.submission.create({
        data: {
          id: submissionId,
          ...key,
          address: usedBy,
          message,
          messageHash,
          requestId,
          createdAtMs: now,
        },
      });
      const { kind, payload, channels } = request.notification;
      const notificationId = randomUUID();
      await transaction.notification.create({
        data: { id: notificationId, kind, payload, createdAtMs: now },
      });
      if (channels.length > 0) {
        await transaction.notificationDelivery.createMany({
          data: channels.map((channel) => ({ notificationId, channel, nextAttemptAtMs: now })),
        });
      }
      return { outcome: "accepted", submissionId };
    });
  }

  return { submitOnce };
}
