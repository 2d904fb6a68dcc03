import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "~/platform/time/clock";
import type { Database } from "~/platform/database/database.server";
import type { Prisma } from "~/generated/sqlite/client";
import { leavesCommitInDoubt } from "~/platform/database/outage.server";
import { isTaken } from "~/platform/database/write-conflict.server";
import type { Notification } from "~/platform/outbox/outbox";
import type { Outbox } from "~/platform/outbox/outbox.store.server";
import { stateUnavailable } from "~/platform/refusals/refusal";
import { toKeyColumns } from "../ownership/keys.store.server";
import type { KeyRef } from "../kinds/token-id";

type SubmissionRequest = {
  submissionId: string;
  key: KeyRef;
  usedBy: string;
  message: string;
  messageHash: string | null;
  requestId: string;
  notification: Notification;
};

type KeyUseRequest = Pick<SubmissionRequest, "key" | "usedBy" | "notification">;

type KeyUseOutcome = { outcome: "used" | "already-used"; usedAtMs: number };
type SubmissionOutcome = { outcome: "accepted"; submissionId: string } | { outcome: "already-used" };

const lookForMs = 2_000;
const lookEveryMs = 50;
const unknownOutcome =
  "The database was lost while it stored this, so it is not known whether that was done. Look at the key's status before you send it again.";

export type SubmissionStore = ReturnType<typeof createSubmissionStore>;

export function createSubmissionStore(database: Database, clock: Clock, outbox: Outbox) {
  /**
   * Atomic and durable. The row's primary key decides which of several calls uses the key up. If the
   * connection is lost during the commit, the queued notification shows whether it succeeded.
   */
  async function useKey(
    { key, usedBy, notification }: KeyUseRequest,
    alsoStore?: (transaction: Prisma.TransactionClient, nowMs: bigint) => Promise<unknown>,
  ): Promise<KeyUseOutcome> {
    const nowMs = clock();
    const now = BigInt(nowMs);
    const data = { ...toKeyColumns(key), usedBy: usedBy.toLowerCase(), usedAtMs: now };
    /** Set when only the commit is left. */
    let queuedId: string | null = null;
    try {
      await database.$transaction(async (transaction) => {
        queuedId = null;
        await transaction.usedKey.create({ data });
        const id = await outbox.enqueue(transaction, notification);
        await alsoStore?.(transaction, now);
        queuedId = id;
      });
    } catch (error) {
      if (isTaken(error, "UsedKey")) return { outcome: "already-used", usedAtMs: nowMs };
      if (queuedId === null || !leavesCommitInDoubt(error)) throw error;
      if (!(await hasArrived(outbox, queuedId))) throw stateUnavailable(error, unknownOutcome);
    }
    return { outcome: "used", usedAtMs: nowMs };
  }

  async function submitOnce(request: SubmissionRequest): Promise<SubmissionOutcome> {
    const { submissionId, key, usedBy, message, messageHash, requestId } = request;
    const address = usedBy.toLowerCase();
    const { outcome } = await useKey(request, (transaction, createdAtMs) =>
      transaction.submission.create({
        data: {
          id: submissionId,
          ...toKeyColumns(key),
          address,
          message,
          messageHash,
          requestId,
          createdAtMs,
        },
      }),
    );
    return outcome === "used" ? { outcome: "accepted", submissionId } : { outcome };
  }

  return { submitOnce, useKeyOnce: (request: KeyUseRequest) => useKey(request) };
}

/** The commit may still be pending. */
async function hasArrived(outbox: Outbox, notificationId: string): Promise<boolean> {
  const ended = delay(lookForMs, "ended" as const, { ref: false });
  for (;;) {
    const found = outbox.isQueued(notificationId).catch(() => false);
    const seen = await Promise.race([found, ended]);
    if (seen === "ended") return false;
    if (seen) return true;
    await delay(lookEveryMs);
  }
}
