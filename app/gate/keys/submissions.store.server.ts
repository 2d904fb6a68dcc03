import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Prisma } from "~/generated/sqlite/client";
import type { Clock } from "~/platform/clock";
import type { Database } from "~/platform/database/database.server";
import { leavesCommitInDoubt } from "~/platform/database/outage.server";
import { stateUnavailable } from "~/platform/http/refusal";
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

const lookForMs = 2_000;
const lookEveryMs = 50;
const unknownOutcome =
  "The database was lost while it stored this, so it is not known whether that was done. Look at the key's status before you send it again.";

export type SubmissionStore = ReturnType<typeof createSubmissionStore>;

export function createSubmissionStore({ database, clock }: { database: Database; clock: Clock }) {
  /**
   * Uses up the key, stores the submission and queues the notification: all of it or nothing, and durably, so that
   * an accepted submission outlives a power cut. Of several at once exactly one is accepted.
   */
  async function submitOnce(request: SubmissionRequest): Promise<SubmissionOutcome> {
    const nowMs = clock();
    const { submissionId, message, messageHash, requestId } = request;
    return await decideOnce(async ({ transaction, notificationId }) => {
      if (!(await useKey({ transaction, request, notificationId, nowMs }))) {
        return { outcome: "already-used" };
      }
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
    return await decideOnce(async ({ transaction, notificationId }) => ({
      outcome: (await useKey({ transaction, request, notificationId, nowMs })) ? "used" : "already-used",
      usedAtMs: nowMs,
    }));
  }

  /**
   * One transaction. Where the connection is lost while it commits, nobody is told whether it did; what it has written
   * then says so, and else the refusal does not claim that nothing was changed.
   */
  async function decideOnce<Decision extends { outcome: string }>(
    decide: (parts: { transaction: Prisma.TransactionClient; notificationId: string }) => Promise<Decision>,
  ): Promise<Decision> {
    const notificationId = randomUUID();
    let decision: { made: Decision } | undefined;
    try {
      return await database.$transaction(async (transaction) => {
        decision = undefined;
        const made = await decide({ transaction, notificationId });
        decision = { made };
        return made;
      });
    } catch (error) {
      // A key that had been used before is left as it was.
      if (!decision || decision.made.outcome === "already-used" || !leavesCommitInDoubt(error)) throw error;
      if (await hasArrived({ database, notificationId })) return decision.made;
      throw stateUnavailable(error, unknownOutcome);
    }
  }

  return { submitOnce, useKeyOnce };
}

/**
 * Looks again until it is there or the time is over: the commit may still be under way, and a connection that was lost
 * is noticed by whoever gets it next.
 */
async function hasArrived({
  database,
  notificationId,
}: {
  database: Database;
  notificationId: string;
}): Promise<boolean> {
  const ended = delay(lookForMs, "ended" as const, { ref: false });
  for (;;) {
    const look = database.notification.count({ where: { id: notificationId } }).catch(() => 0);
    const seen = await Promise.race([look, ended]);
    if (seen === "ended") return false;
    if (seen > 0) return true;
    await delay(lookEveryMs);
  }
}

/** False when the key was used before; then nothing is queued either. */
async function useKey({
  transaction,
  request: { key, usedBy, notification },
  notificationId,
  nowMs,
}: {
  transaction: Prisma.TransactionClient;
  request: KeyUseRequest;
  notificationId: string;
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
  await transaction.notification.create({ data: { id: notificationId, kind, payload, createdAtMs: now } });
  if (channels.length > 0) {
    await transaction.notificationDelivery.createMany({
      data: channels.map((channel) => ({ notificationId, channel, nextAttemptAtMs: now })),
    });
  }
  return true;
}
