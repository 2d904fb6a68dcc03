import type { Database } from "~/platform/database/database.server";

export const nowMs = 1_700_000_000_000;
export const dayMs = 86_400_000;
const now = BigInt(nowMs);
const key = { chainId: 1n, contractAddress: "0xab", tokenId: "1" };
const owner = { kind: "token", subject: "s" };
const requester = { clientId: "c", requestId: "r" };
const past = { expiresAtMs: 1n };

/** One row in each table that writes would find. Everything that can expire has expired. */
export async function fillTables(database: Database): Promise<void> {
  await database.nonce.create({ data: { value: "v", clientId: "c", issuedAtMs: 1n, ...past } });
  const good = { issuedAtMs: 1n, expiresAtMs: now + 1_000n };
  await database.nonce.create({ data: { value: "good", clientId: "c", ...good } });
  await database.spentSignature.create({ data: { digest: "d", ...past } });
  await database.revokedProof.create({ data: { proofHash: "p", wallet: "w", ...past } });
  const code = { site: "s", startHash: "h", claims: "{}" };
  await database.doorCode.create({ data: { digest: "d", ...code, ...past } });
  await database.doorCode.create({ data: { digest: "good", ...code, expiresAtMs: now + 1_000n } });
  await database.usedKey.create({ data: { ...key, usedBy: "0xcd", usedAtMs: 1n } });
  await database.keyDeparture.create({ data: { ...key, holder: "0xcd", departedAtMs: 1n } });
  const form = { address: "0xcd", message: "m", requestId: "r", createdAtMs: 1n };
  await database.submission.create({ data: { id: "s", ...key, ...form } });
  await database.notification.create({ data: { id: "n", kind: "k", payload: "{}", createdAtMs: 1n } });
  const claim = { claimedUntilMs: 1n, claimedBy: "me", nextAttemptAtMs: 1n };
  await database.notificationDelivery.create({
    data: { notificationId: "n", channel: "webhook", ...claim },
  });
  const block = { blockNumber: 1n, blockHash: "0x", updatedAtMs: 1n };
  await database.chainCursor.create({ data: { chainId: 1n, contractAddress: "0xab", ...block } });
  await database.rateLimitWindow.create({ data: { key: "k", startedAtMs: 1n, points: 1, ...past } });
  await database.rateLimitLog.create({ data: { key: "k", hits: "", ...past } });
  await database.quotaWindow.create({ data: { ...owner, used: 0, windowStartMs: 0n, resetAtMs: 1n } });
  await database.quotaReservation.create({
    data: { id: "q", ...owner, amount: 5, windowResetAtMs: 1n, ...past, instance: "gone" },
  });
  for (const instance of ["gone", "settled", "me"]) {
    await database.quotaInstance.create({ data: { instance, ...past } });
  }
  const writing = { owner: "o", openFor: "k", proofHash: "p", leaseExpiresAtMs: now + 9_000_000_000_000n };
  await database.keptAnswer.create({ data: { id: "open", ...writing, conversationId: "open", place: 0 } });
  const left = { owner: "o", openFor: "k", leaseExpiresAtMs: 1n };
  await database.keptAnswer.create({ data: { id: "left", ...left, conversationId: "left", place: 1 } });
  const piece = { firstId: 1, lastId: 1, bytes: 2, text: "{}" };
  await database.keptAnswer.create({ data: { id: "long", ...left, conversationId: "long", ...past } });
  await database.keptPiece.create({ data: { answerId: "long", ...piece } });
  await database.auditEntry.create({ data: { id: "a", atMs: 1n, kind: "k", ...requester, detail: "{}" } });
  const times = { startedAtMs: 1n, seenAtMs: now - 120_000n, endsAtMs: now + BigInt(dayMs) };
  await database.operatorSession.create({ data: { digest: "d", clientId: "c", ...times } });
  const decision = { id: "d", atMs: 1n, route: "/", outcome: "granted", ...requester };
  await database.accessDecision.create({ data: decision });
  await database.activityCount.create({
    data: { spanSeconds: 60, startMs: 0n, series: "s", amount: 1n },
  });
  const signed = { state: "signed", rawTransaction: "0x02", transactionHash: "0x03", amountWei: "1" };
  const counted = { addressCost: 1n, totalCost: 1n, createdAtMs: 1n, countedAtMs: 1n };
  const ref = { chainId: 1n, recipient: "0xbb", payer: "0xaa" };
  const payment = { ...ref, ...signed, ...counted };
  await database.payment.create({ data: { ...payment, idempotencyKey: "p", nonce: 7n } });
  const final = { state: "paid", finalAtMs: 1n };
  await database.payment.create({ data: { ...payment, ...final, idempotencyKey: "final", nonce: 9n } });
  await database.paymentTurn.create({ data: { chainId: 1n, payer: "0xaa", owner: "turn", ...past } });
  await database.lease.create({ data: { name: "payments", owner: "me", term: 1n, ...past } });
}

export async function emptyTables(database: Database): Promise<void> {
  await database.nonce.deleteMany();
  await database.spentSignature.deleteMany();
  await database.revokedProof.deleteMany();
  await database.doorCode.deleteMany();
  await database.usedKey.deleteMany();
  await database.keyDeparture.deleteMany();
  await database.submission.deleteMany();
  await database.notificationDelivery.deleteMany();
  await database.notification.deleteMany();
  await database.chainCursor.deleteMany();
  await database.rateLimitWindow.deleteMany();
  await database.rateLimitLog.deleteMany();
  await database.quotaWindow.deleteMany();
  await database.quotaReservation.deleteMany();
  await database.quotaInstance.deleteMany();
  await database.keptAnswer.deleteMany();
  await database.keptPiece.deleteMany();
  await database.auditEntry.deleteMany();
  await database.operatorSession.deleteMany();
  await database.accessDecision.deleteMany();
  await database.activityCount.deleteMany();
  await database.payment.deleteMany();
  await database.paymentTurn.deleteMany();
  await database.lease.deleteMany();
}
