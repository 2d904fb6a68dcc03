import { createHash, randomBytes, randomUUID } from "node:crypto";
import { createKeyStore } from "~/gate/ownership/keys.store.server";
import type { KeyRef } from "~/gate/kinds/token-id";
import { createNonceStore } from "~/gate/proofs/nonces.store.server";
import { createSpentSignatureStore } from "~/gate/proofs/spent-signatures.store.server";
import { systemClock as clock } from "~/platform/time/clock";
import { openDatabase } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import { migrateDatabase } from "~/platform/database/migrate.server";
import { ownerOfKey } from "~/quota/quota-subject";
import { createQuotaWindowStore } from "~/quota/quota-windows.store.server";
import { createQuotaStore } from "~/quota/quota.store.server";
import { createKeyUses } from "./key-uses";

export type StatementsSetup = {
  databaseUrl: string;
  key: KeyRef;
  holder: string;
  /** What the real server answered, so that the same bytes go over the wire. */
  bodies: { signIn: string; bearer: string; session: string };
};
export type OlderSignIn = { address: string; tokenId: string; timestamp: number };
export type GateStatements = Awaited<ReturnType<typeof openGateStatements>>;

const clientId = "127.0.0.1";
const quotaLimit = 20_000;
const proofHash = `0x${"1b".repeat(32)}`;
const olderSignaturesLastMs = 300_000;

/**
 * What the operations say to the database and nothing else of them, for servers to be measured beside: the service's
 * own stores on the same Prisma client with the same settings, and answers of the same size. No proof is checked.
 */
export async function openGateStatements({ databaseUrl, key, holder, bodies }: StatementsSetup) {
  const database = await openPeerDatabase(databaseUrl);
  const nonces = createNonceStore(database, clock);
  const keys = createKeyStore(database);
  const quotas = createQuotaStore(database, clock, "peer");
  const windows = createQuotaWindowStore(database, clock, () => Promise.resolve(0));
  const spentSignatures = createSpentSignatureStore(database);
  const useKey = createKeyUses(database);
  return {
    issueNonce: async () => {
      const nonce = randomBytes(16).toString("hex");
      await nonces.issueNonce({ value: nonce, clientId, ttlSeconds: 300 });
      return { nonce };
    },
    readStatus: async () => {
      const used = await keys.findUsedKey({ key });
      return { tokenId: key.tokenId, exists: true, count: 1, used: used !== null };
    },
    enterWithToken: async () => {
      await keys.findKeyState({ key, holder });
      return bodies.bearer;
    },
    answerQuestion: () => keys.findKeyState({ key, holder, proofHash }),
    signIn: async ({ nonce }: { nonce: string }) => {
      const verdict = await nonces.consumeNonce({ value: nonce, clientId });
      if (verdict !== "consumed") throw new Error(`The nonce was not consumed but ${verdict}.`);
      await keys.findKeyState({ key, holder });
      return bodies.signIn;
    },
    signInByOlderSignature: async ({ address, tokenId, timestamp }: OlderSignIn) => {
      await keys.findKeyState({ key: { ...key, tokenId }, holder: address });
      const digest = createHash("sha256").update(`${address} ${tokenId} ${timestamp}`).digest("hex");
      const expiresAtMs = timestamp + olderSignaturesLastMs;
      if (!(await spentSignatures.spendSignature({ digest, expiresAtMs })))
        throw new Error("The signature was spent before.");
      return bodies.signIn;
    },
    /** Reading a session and renewing it ask the database the same. */
    readSession: async () => {
      await keys.findKeyState({ key, holder });
      return bodies.session;
    },
    resetQuota: async ({ tokenIds }: { tokenIds: string[] }) => {
      const subjects = tokenIds.map((tokenId) => ownerOfKey({ ...key, tokenId }).subject);
      const deleted = await windows.deleteWindows({
        targets: [
          { kind: "token", subjects },
          { kind: "speech", subjects },
        ],
        record: { clientId, requestId: randomUUID(), detail: { scope: "token", mode: "ids", tokenIds } },
      });
      return { ok: true, scope: "token", mode: "ids", token: { deleted: deleted.token ?? 0 } };
    },
    readQuota: async () => {
      await keys.findKeyState({ key, holder });
      const { resetAtMs, ...figures } = await quotas.readStanding({
        owner: ownerOfKey(key),
        limit: quotaLimit,
      });
      return {
        active: true,
        ...figures,
        resetAt: resetAtMs === null ? null : new Date(resetAtMs).toISOString(),
      };
    },
    submit: async ({ tokenId, message }: { tokenId: string; message: string }) => {
      await useKey({
        key: { ...key, tokenId },
        usedBy: holder,
        notification: { kind: "submission.received", data: { message } },
        form: { submissionId: randomUUID(), message, messageHash: null, requestId: randomUUID() },
      });
      return { success: true, message: "Access granted" };
    },
  };
}

/** Its statements all go through Prisma's client, as those of any program on Prisma do. */
async function openPeerDatabase(url: string): Promise<Database> {
  await migrateDatabase({ url, migrationsDir: "prisma/migrations" });
  return await openDatabase({ url });
}
