import { randomUUID } from "node:crypto";
import type { Prisma } from "~/generated/sqlite/client";
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

/** A key that is used up without a form. */
export type KeyUseRequest = Pick<SubmissionRequest, "key" | "usedBy" | "notification">;

export type SubmissionOutcome = { outcome: "accepted"; submissionId: string } | { outcome: "already-used" };

export type SubmissionStore = ReturnType<typeof createSubmissionStore>;

export function createSubmissionStore({ database, clock }: { database: Database; clock: Clock }) {
  /**
   * Uses up the key, stores the submission and queues the notification: all of it or nothing, and durably, so that
   * an accepted submission outlives a power cut. Of several at once exactly one is accepted.
   */
  async function submitOnce(request: SubmissionRequest): Promise<SubmissionOutcome> {
    const nowMs = clock();
    const { submissionId, message, messageHash, requestId } = request;
    return await database.$transaction(async (transaction) => {
      if (!(await useKey({ transaction, request, nowMs }))) return { outcome: "already-used" };
      await transaction.submission.create({
        data: {
          id: submissionId,
          ...toKeyColumns(request.key),
          address: request.usedBy.toLowerCase(),
          message,
          messageHash,
          requestId,
          createdAtMs: BigInt(nowMs),
        },
      });
      return { outcome: "accepted", submissionId };
    });
  }

  /** The same without a submission. Of several at once, forms among them, exactly one uses the key up. */
  async function useKeyOnce(
    request: KeyUseRequest,
  ): Promise<{ outcome: "used" | "already-used"; usedAtMs: number }> {
    const nowMs = clock();
    return await database.$transaction(async (transaction) => ({
      outcome: (await useKey({ transaction, request, nowMs })) ? "used" : "already-used",
      usedAtMs: nowMs,
    }));
  }

  return { submitOnce, useKeyOnce };
}

/** False when the key was used before; then nothing is queued either. */
async function useKey({
  transaction,
  request: { key, usedBy, notification },
  nowMs,
}: {
  transaction: Prisma.TransactionClient;
  request: KeyUseRequest;
  nowMs: number;
}): Promise<boolean> {
  const now = BigInt(nowMs);
  const { chainId, contractAddress, tokenId } = toKeyColumns(key);
  const usedKeyCount = await transaction.$executeRaw`
    INSERT INTO "UsedKey" ("chainId", "contractAddress", "tokenId", "usedBy", "usedAtMs")
    VALUES (${chainId}, ${contractAddress}, ${tokenId}, ${usedBy.toLowerCase()}, ${now})
    ON CONFLICT ("chainId", "contractAddress", "tokenId") DO NOTHING`;
  if (usedKeyCount === 0) return false;

  const { kind, payload, channels } = notification;
  const notificationId = randomUUID();
  await transaction.notification.create({ data: { id: notificationId, kind, payload, createdAtMs: now } });
  if (channels.length > 0) {
    await transaction.notificationDelivery.createMany({
      data: channels.map((channel) => ({ notificationId, channel, nextAttemptAtMs: now })),
    });
  }
  return true;
}
