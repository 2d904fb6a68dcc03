import { setTimeout as delay } from "node:timers/promises";
import type { Prisma } from "~/generated/sqlite/client";
import type { Clock } from "~/platform/clock";
import type { Database } from "~/platform/database/database.server";
import { leavesCommitInDoubt } from "~/platform/database/outage.server";
import type { Notification } from "~/platform/outbox/outbox";
import type { Outbox } from "~/platform/outbox/outbox.store.server";
import { stateUnavailable } from "~/platform/http/refusal";
import { toKeyColumns } from "./keys.store.server";
import type { KeyRef } from "./token-id";

export type SubmissionRequest = {
  /** Made by the caller, who also tells it in the notification. */
  submissionId: string;
  key: KeyRef;
  usedBy: string;
  message: string;
  messageHash: string | null;
  requestId: string;
  notification: Notification;
};

/** A key that is used up without a form. */
export type KeyUseRequest = Pick<SubmissionRequest, "key" | "usedBy" | "notification">;

export type KeyUseOutcome = { outcome: "used" | "already-used"; usedAtMs: number };
export type SubmissionOutcome = { outcome: "accepted"; submissionId: string } | { outcome: "already-used" };

/** What was decided, and the notification that was queued with it. */
type Decision<Made> = { made: Made; notificationId: string | null };

const lookForMs = 2_000;
const lookEveryMs = 50;
const unknownOutcome =
  "The database was lost while it stored this, so it is not known whether that was done. Look at the key's status before you send it again.";

export type SubmissionStore = ReturnType<typeof createSubmissionStore>;

export function createSubmissionStore(database: Database, clock: Clock, outbox: Outbox) {
  /**
   * Uses up the key, stores the submission and queues the notification: all of it or nothing, and durably, so that
   * an accepted submission outlives a power cut. Of several at once exactly one is accepted.
   */
  async function submitOnce(request: SubmissionRequest): Promise<SubmissionOutcome> {
    const nowMs = clock();
    const { submissionId, message, messageHash, requestId } = request;
    return await decideOnce<SubmissionOutcome>(async (transaction) => {
      const notificationId = await useKey(transaction, request, nowMs);
      if (notificationId === null) return { made: { outcome: "already-used" }, notificationId };
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
      return { made: { outcome: "accepted", submissionId }, notificationId };
    });
  }

  /** The same without a submission. Of several at once, forms among them, exactly one uses the key up. */
  async function useKeyOnce(request: KeyUseRequest): Promise<KeyUseOutcome> {
    const nowMs = clock();
    return await decideOnce<KeyUseOutcome>(async (transaction) => {
      const notificationId = await useKey(transaction, request, nowMs);
      return {
        made: { outcome: notificationId === null ? "already-used" : "used", usedAtMs: nowMs },
        notificationId,
      };
    });
  }

  /** The id of the notification; null when the key was used before, and nothing is queued. */
  async function useKey(
    transaction: Prisma.TransactionClient,
    { key, usedBy, notification }: KeyUseRequest,
    nowMs: number,
  ): Promise<string | null> {
    const { chainId, contractAddress, tokenId } = toKeyColumns(key);
    const usedKeyCount = await transaction.$executeRaw`
      INSERT INTO "UsedKey" ("chainId", "contractAddress", "tokenId", "usedBy", "usedAtMs")
      VALUES (${chainId}, ${contractAddress}, ${tokenId}, ${usedBy.toLowerCase()}, ${BigInt(nowMs)})
      ON CONFLICT ("chainId", "contractAddress", "tokenId") DO NOTHING`;
    return usedKeyCount === 0 ? null : await outbox.enqueue(transaction, notification);
  }

  /**
   * One transaction. Where the connection is lost while it commits, nobody is told whether it did: what was queued with
   * it says so, and else the refusal does not claim that nothing was changed.
   */
  async function decideOnce<Made>(
    decide: (transaction: Prisma.TransactionClient) => Promise<Decision<Made>>,
  ): Promise<Made> {
    let decision: Decision<Made> | undefined;
    try {
      return await database.$transaction(async (transaction) => {
        decision = undefined;
        decision = await decide(transaction);
        return decision.made;
      });
    } catch (error) {
      // Where there is no notification, the key had been used before and is left as it was.
      if (!decision || decision.notificationId === null || !leavesCommitInDoubt(error)) throw error;
      if (await hasArrived(outbox, decision.notificationId)) return decision.made;
      throw stateUnavailable(error, unknownOutcome);
    }
  }

  return { submitOnce, useKeyOnce };
}

/**
 * Looks again until it is there or the time is over: the commit may still be under way, and a connection that was lost
 * is noticed by whoever gets it next.
 */
async function hasArrived(outbox: Outbox, notificationId: string): Promise<boolean> {
  const ended = delay(lookForMs, "ended" as const, { ref: false });
  for (;;) {
    const look = outbox.isQueued(notificationId).catch(() => false);
    const seen = await Promise.race([look, ended]);
    if (seen === "ended") return false;
    if (seen) return true;
    await delay(lookEveryMs);
  }
}
