import { randomUUID } from "node:crypto";
import { toKeyColumns } from "~/gate/ownership/keys.store.server";
import type { KeyUseRequest, SubmissionRequest } from "~/gate/form/submissions.store.server";
import { systemClock as clock } from "~/platform/time/clock";
import type { Database } from "~/platform/database/database.server";

type Form = Pick<SubmissionRequest, "submissionId" | "message" | "messageHash" | "requestId">;
type KeyUse = KeyUseRequest & { form?: Form };

/** Uses a key up as any program on Prisma does: by its client, in a transaction of its own. Resolves with the time. */
export function createKeyUses(database: Database) {
  return async function useKey({ key, usedBy, notification: { kind, data }, form }: KeyUse): Promise<number> {
    const nowMs = clock();
    const now = BigInt(nowMs);
    const columns = toKeyColumns(key);
    const { chainId, contractAddress, tokenId } = columns;
    await database.$transaction(async (transaction) => {
      const count = await transaction.$executeRaw`
        INSERT INTO "UsedKey" ("chainId", "contractAddress", "tokenId", "usedBy", "usedAtMs")
        VALUES (${chainId}, ${contractAddress}, ${tokenId}, ${usedBy.toLowerCase()}, ${now})
        ON CONFLICT ("chainId", "contractAddress", "tokenId") DO NOTHING`;
      if (count !== 1) throw new Error(`Key #${tokenId} was used before.`);
      const payload = JSON.stringify({ type: kind, timestamp: new Date(nowMs).toISOString(), data });
      await transaction.notification.create({ data: { id: randomUUID(), kind, payload, createdAtMs: now } });
      if (!form) return;
      const { submissionId: id, message, messageHash, requestId } = form;
      const own = { id, message, messageHash, requestId, address: usedBy.toLowerCase(), createdAtMs: now };
      await transaction.submission.create({ data: { ...columns, ...own } });
    });
    return nowMs;
  };
}
