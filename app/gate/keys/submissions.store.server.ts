import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "~/platform/clock";
import type { Database } from "~/platform/database/database.server";
import type { Statements } from "~/platform/database/direct-statements.server";
import { leavesCommitInDoubt } from "~/platform/database/outage.server";
import { createSharedTransactions } from "~/platform/database/shared-transactions.server";
import type { Notification } from "~/platform/outbox/outbox";
import type { Outbox } from "~/platform/outbox/outbox.store.server";
import { stateUnavailable } from "~/platform/http/refusal";
import { toKeyColumns } from "./keys.store.server";
import type { KeyRef } from "./token-id";

export type SubmissionRequest = {
  submissionId: string;
  key: KeyRef;
  usedBy: string;
  message: string;
  messageHash: string | null;
  requestId: string;
  notification: Notification;
};

export type KeyUseRequest = Pick<SubmissionRequest, "key" | "usedBy" | "notification">;

export type KeyUseOutcome = { outcome: "used" | "already-used"; usedAtMs: number };
export type SubmissionOutcome = { outcome: "accepted"; submissionId: string } | { outcome: "already-used" };

const lookForMs = 2_000;
const lookEveryMs = 50;
const unknownOutcome =
  "The database was lost while it stored this, so it is not known whether that was done. Look at the key's status before you send it again.";

export type SubmissionStore = ReturnType<typeof createSubmissionStore>;

export function createSubmissionStore(database: Database, clock: Clock, outbox: Outbox) {
  const transact = createSharedTransactions(database);

  /**
   * Atomic and durable. Exactly one of several at once, forms included, uses the key up. Where the connection is lost
   * while it commits, the queued notification shows whether it did.
   */
  async function useKey(
    { key, usedBy, notification }: KeyUseRequest,
    alsoStore?: (transaction: Statements, nowMs: bigint) => Promise<unknown>,
  ): Promise<KeyUseOutcome> {
    const nowMs = clock();
    const now = BigInt(nowMs);
    const { chainId, contractAddress, tokenId } = toKeyColumns(key);
    /** Null while nothing is decided, and where the key was used before. */
    const queued: { id: string | null } = { id: null };
    try {
      await transact(async (transaction) => {
        queued.id = null;
        const usedKeyCount = await transaction.execute`
          INSERT INTO "UsedKey" ("chainId", "contractAddress", "tokenId", "usedBy", "usedAtMs")
          VALUES (${chainId}, ${contractAddress}, ${tokenId}, ${usedBy.toLowerCase()}, ${now})
          ON CONFLICT ("chainId", "contractAddress", "tokenId") DO NOTHING`;
        if (usedKeyCount === 0) return;
        const id = await outbox.enqueue(transaction, notification);
        await alsoStore?.(transaction, now);
        queued.id = id;
      });
    } catch (error) {
      if (queued.id === null || !leavesCommitInDoubt(error)) throw error;
      if (!(await hasArrived(outbox, queued.id))) throw stateUnavailable(error, unknownOutcome);
    }
    return { outcome: queued.id === null ? "already-used" : "used", usedAtMs: nowMs };
  }

  async function submitOnce(request: SubmissionRequest): Promise<SubmissionOutcome> {
    const { submissionId, key, usedBy, message, messageHash, requestId } = request;
    const { chainId, contractAddress, tokenId } = toKeyColumns(key);
    const address = usedBy.toLowerCase();
    const { outcome } = await useKey(
      request,
      (transaction, now) => transaction.execute`
        INSERT INTO "Submission" ("id", "chainId", "contractAddress", "tokenId", "address", "message",
          "messageHash", "requestId", "createdAtMs")
        VALUES (${submissionId}, ${chainId}, ${contractAddress}, ${tokenId}, ${address}, ${message},
          ${messageHash}, ${requestId}, ${now})`,
    );
    return outcome === "used" ? { outcome: "accepted", submissionId } : { outcome };
  }

  return { submitOnce, useKeyOnce: (request: KeyUseRequest) => useKey(request) };
}

/** The commit may be pending still, and a lost connection is noticed by its next user. */
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
