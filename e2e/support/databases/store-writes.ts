// Every function of every store of the shared database, with its writes and possible conflicts.
import { expect } from "vitest";
import { createKeptAnswerStore } from "~/chat/kept/kept-answers.store.server";
import { createChainCursorStore } from "~/gate/transfers/chain-cursor.store.server";
import { createDoorCodeStore } from "~/door/door-codes.store.server";
import { createKeyStore, createRevokedProofStore } from "~/gate/ownership/keys.store.server";
import { createNonceStore, createSpentSignatureStore } from "~/gate/proofs/nonces.store.server";
import { createSubmissionStore } from "~/gate/form/submissions.store.server";
import { createActionStore } from "~/operator/actions.store.server";
import { createActivityStore } from "~/operator/activity/activity.store.server";
import { createSessionStore } from "~/operator/sessions.store.server";
import { createOperatorSweep } from "~/operator/sweep.store.server";
import { clearPaymentSums } from "~/payments/payments.store.server";
import type { Database } from "~/platform/database/database.server";
import { createSweepStore } from "~/platform/sweep/sweep.store.server";
import { createLeaseStore } from "~/platform/leases/leases.store.server";
import { createRateLimitStore } from "~/platform/limits/rate-limits.store.server";
import { createOutboxStore } from "~/platform/outbox/outbox.store.server";
import { createQuotaWindowStore } from "~/quota/quota-windows.store.server";
import { createQuotaStore } from "~/quota/quota.store.server";
import { adding, at, between, meets } from "./contended-write";
import type { ListedStore } from "./contended-write";
import { dayMs, nowMs } from "./filled-tables";
import { listPayments } from "../chain/payment-writes";

const clock = () => nowMs;
const key = { chainId: 1, contractAddress: "0xab", tokenId: "1" } as const;
const actor = { clientId: "c", requestId: "r" };

/** By the name of the function that makes the store, on tables filled by `fillTables`. */
export function listStoreWrites(database: Database): Readonly<Record<string, ListedStore>> {
  return {
    createNonceStore: listNonces(database),
    createSpentSignatureStore: listSignatures(database),
    createRevokedProofStore: listRevokedProofs(database),
    createDoorCodeStore: listDoorCodes(database),
    createKeyStore: listKeys(database),
    createChainCursorStore: listCursors(database),
    createSubmissionStore: listSubmissions(database),
    createRateLimitStore: listLimits(database),
    createOutboxStore: listOutbox(database),
    createLeaseStore: listLeases(database),
    createSweepStore: listSweep(database),
    createActionStore: listActions(database),
    createActivityStore: listActivity(database),
    createSessionStore: listSessions(database),
    createOperatorSweep: listOperatorSweep(database),
    createQuotaStore: listQuota(database),
    createQuotaWindowStore: listQuotaWindows(database),
    createKeptAnswerStore: listKeptAnswers(database),
    createPaymentStore: listPayments(database),
  };
}

function listNonces(database: Database): ListedStore {
  const store = createNonceStore(database, clock);
  const hold = `INSERT INTO "Nonce" ("value", "clientId", "issuedAtMs", "expiresAtMs") VALUES ('new', 'c', 1, 1)`;
  const isNew = { ...at("Nonce"), hold, grows: "Nonce" };
  return {
    store,
    reads: [],
    writes: {
      issueNonce: meets(isNew, () => store.issueNonce({ value: "new", clientId: "c", ttlSeconds: 60 })),
      consumeNonce: meets(
        at("Nonce"),
        () => store.consumeNonce({ value: "good", clientId: "c" }),
        "consumed",
      ),
    },
  };
}

function listSignatures(database: Database): ListedStore {
  const store = createSpentSignatureStore(database);
  const spend = () => store.spendSignature({ digest: "d", expiresAtMs: 2 });
  return { store, reads: [], writes: { spendSignature: meets(at("SpentSignature"), spend, false) } };
}

function listRevokedProofs(database: Database): ListedStore {
  const store = createRevokedProofStore(database);
  const revoke = () => store.revokeProof({ proofHash: "p", wallet: "w", expiresAtMs: 2 });
  return { store, reads: [], writes: { revokeProof: meets(at("RevokedProof"), revoke) } };
}

function listDoorCodes(database: Database): ListedStore {
  const store = createDoorCodeStore(database, clock);
  const hold = `INSERT INTO "DoorCode" ("digest", "site", "startHash", "claims", "expiresAtMs") VALUES ('new', 's', 'h', '{}', 1)`;
  const isNew = { ...at("DoorCode"), hold, grows: "DoorCode" };
  const code = { site: "s", startHash: "h" };
  return {
    store,
    reads: [],
    writes: {
      issueCode: meets(isNew, () =>
        store.issueCode({ ...code, digest: "new", claims: "{}", ttlSeconds: 60 }),
      ),
      spendCode: meets(at("DoorCode"), () => store.spendCode({ ...code, digest: "good" }), "{}"),
    },
  };
}

function listKeys(database: Database): ListedStore {
  const store = createKeyStore(database);
  const record = () => store.recordDeparture({ key, holder: "0xcd", departedAtMs: nowMs });
  const reads = ["findUsedKey", "findKeyState"];
  const departures = ["1", "2"].map((tokenId) => ({ tokenId, holder: "0xcd" }));
  const recordAll = () => store.recordDepartures({ ...key, departures, departedAtMs: nowMs });
  return {
    store,
    reads,
    writes: {
      recordDeparture: meets(at("KeyDeparture"), record),
      recordDepartures: meets(at("KeyDeparture"), recordAll),
    },
  };
}

function listCursors(database: Database): ListedStore {
  const store = createChainCursorStore(database);
  const save = () => store.saveCursor(key, { blockNumber: 2n, blockHash: "0x", blockSeconds: 1n });
  const reads = ["findCursor", "findCursorAgeMs"];
  return { store, reads, writes: { saveCursor: meets(at("ChainCursor"), save, true) } };
}

function listSubmissions(database: Database): ListedStore {
  const store = createSubmissionStore(database, clock, createOutboxStore(database, clock, ["webhook"]));
  const notification = { kind: "k", data: {} };
  const use = { key: { ...key, tokenId: "2" }, usedBy: "0xcd", notification };
  const form = { ...use, submissionId: "new", message: "m", messageHash: null, requestId: "r" };
  const accepted = { outcome: "accepted", submissionId: "new" };
  const used = { outcome: "used", usedAtMs: nowMs };
  return {
    store,
    reads: [],
    writes: {
      submitOnce: meets(adding("UsedKey", "Submission"), () => store.submitOnce(form), accepted),
      useKeyOnce: meets(adding("UsedKey", "Notification"), () => store.useKeyOnce(use), used),
    },
  };
}

function listLimits(database: Database): ListedStore {
  const store = createRateLimitStore(database);
  const key = "k";
  const hit = { key, points: 5, windowMs: 1_000, nowMs };
  const windows = store.openWindows(1_000);
  const expire = new Date(nowMs);
  const inLog = { isAdmitted: true, hits: String(nowMs) };
  return {
    store,
    reads: [],
    writes: {
      openWindows: [
        ...meets(
          at("RateLimitWindow"),
          () => windows.deleteMany({ where: { key, expire: { lte: expire } } }),
          {
            count: 1,
          },
        ),
        ...meets(
          at("RateLimitWindow"),
          () =>
            windows.upsert({
              where: { key },
              create: { key, points: 1, expire },
              update: { points: { increment: 1 } },
            }),
          { points: 2, expire: new Date(1) },
        ),
      ],
      takeFromLog: meets(at("RateLimitLog"), () => store.takeFromLog(hit), inLog),
    },
  };
}

function listOutbox(database: Database): ListedStore {
  const store = createOutboxStore(database, clock, ["webhook"]);
  const name = { notificationId: "n", channel: "webhook" } as const;
  const claim = { ...name, claimant: "me" };
  const due = { claimant: "me", limit: 9, claimSeconds: 60, channels: ["webhook"] } as const;
  const failure = { ...claim, error: "e", nextAttemptAtMs: nowMs };
  const found = { ...name, kind: "k", payload: "{}", attempts: 0, createdAtMs: 1 };
  const row = at("NotificationDelivery");
  return {
    store,
    reads: ["countPending", "isQueued"],
    writes: {
      enqueue: meets(
        adding("Notification", "NotificationDelivery"),
        () => database.$transaction((transaction) => store.enqueue(transaction, { kind: "k", data: {} })),
        expect.any(String),
      ),
      retry: meets(row, () => database.$transaction((transaction) => store.retry(transaction, name)), 1),
      claimDueDeliveries: meets(row, () => store.claimDueDeliveries(due), [found]),
      markDelivered: meets(row, () => store.markDelivered(claim), true),
      markFailed: meets(row, () => store.markFailed(failure), true),
    },
  };
}

function listLeases(database: Database): ListedStore {
  const store = createLeaseStore(database);
  const names = ["payments", "watcher"] as const;
  const held = names.map((name, index) => ({ name, owner: "me", term: BigInt(2 - index) }));
  const acquire = () => store.acquireOrRenew(names, "me", 1_000);
  return {
    store,
    reads: [],
    writes: {
      acquireOrRenew: meets(at("Lease"), acquire, held),
      release: meets(at("Lease"), () => store.release("me", names)),
    },
  };
}

function listSweep(database: Database): ListedStore {
  const store = createSweepStore(database);
  const request = { nowMs, departedBeforeMs: nowMs, spentBeforeMs: nowMs, batchSize: 9 };
  const tables = [
    "Nonce",
    "SpentSignature",
    "RevokedProof",
    "DoorCode",
    "RateLimitWindow",
    "RateLimitLog",
    "KeyDeparture",
    "QuotaWindow",
    "KeptPiece",
    "KeptAnswer",
  ];
  const deleteBatch = tables.flatMap((table) => meets(at(table), () => store.deleteBatch(request), 1));
  return { store, reads: [], writes: { deleteBatch } };
}

function listActions(database: Database): ListedStore {
  const store = createActionStore(database, clock, createOutboxStore(database, clock));
  const delivery = { notificationId: "n", channel: "webhook" };
  const retry = () => store.retryDeliveries(delivery, actor);
  const mark = () => store.markSubmission("s", true, actor);
  return {
    store,
    reads: ["findSubmission"],
    writes: {
      retryDeliveries: meets(adding("NotificationDelivery", "AuditEntry"), retry, 1),
      markSubmission: meets(adding("Submission", "AuditEntry"), mark, 1),
    },
  };
}

function listActivity(database: Database): ListedStore {
  const store = createActivityStore(database);
  const add = () => store.addCounts([{ startMs: 0, series: "s", amount: 1 }]);
  const unnamed = { address: null, vault: null, tokenId: null, keyKind: null, missing: null, site: null };
  const nothing = { slug: null, reason: null, proof: null, ...unnamed };
  const decision = { id: "d", atMs: nowMs, route: "/", outcome: "granted", ...nothing, ...actor } as const;
  const insert = () => store.insertDecisions([decision]);
  return {
    store,
    reads: ["readCounts"],
    writes: {
      addCounts: meets(at("ActivityCount"), add),
      insertDecisions: meets(at("AccessDecision"), insert),
    },
  };
}

function listSessions(database: Database): ListedStore {
  const store = createSessionStore(database, clock);
  const endsAtMs = nowMs + dayMs;
  const traced = adding("OperatorSession", "AuditEntry");
  const use = () => store.useSession("d", dayMs);
  const id = `sign-in-refused ${Math.floor(nowMs / 3_600_000)} ${actor.clientId}`;
  const hold = `INSERT INTO "AuditEntry" VALUES ('${id}', 1, 'k', 'c', 'r', '{"times":1}')`;
  const isNew = { ...at("AuditEntry"), hold, grows: "AuditEntry" };
  return {
    store,
    reads: [],
    writes: {
      startSession: meets(traced, () => store.startSession("new", actor, endsAtMs)),
      useSession: meets(at("OperatorSession"), use, true),
      endSession: meets(traced, () => store.endSession("d", actor)),
      recordRefusal: meets(isNew, () => store.recordRefusal(actor)),
    },
    alone: { recordAudit: "one new row with an id of its own" },
  };
}

function listOperatorSweep(database: Database): ListedStore {
  const retention = { decisionDays: 1, maxDecisions: 9, activityDays: 1, auditDays: 1 };
  const store = createOperatorSweep({ database, retention });
  const request = { nowMs: nowMs + 2 * dayMs, batchSize: 9 };
  const tables = ["OperatorSession", "AccessDecision", "AuditEntry", "ActivityCount"];
  const deleteBatch = tables.flatMap((table) => meets(at(table), () => store.deleteBatch(request), 1));
  return { store, reads: [], writes: { deleteBatch } };
}

function listQuota(database: Database): ListedStore {
  const store = createQuotaStore(database, clock, "me");
  const wish = { owner: { kind: "token", subject: "s" }, wanted: 5, limit: 9 } as const;
  const times = { windowSeconds: 60, expiresInSeconds: 60 };
  const standing = { limit: 9, used: 0, reserved: 5, remaining: 4, resetAtMs: nowMs + 60_000 };
  const reserved = { outcome: "reserved", reservationId: expect.any(String), amount: 5, ...standing };
  const settling = between("QuotaReservation", "QuotaWindow");
  return {
    store,
    reads: ["listGoneInstances", "readStanding"],
    writes: {
      reserve: meets(
        adding("QuotaWindow", "QuotaReservation"),
        () => store.reserve({ ...wish, ...times }),
        reserved,
      ),
      settle: meets(settling, () => store.settle({ reservationId: "q", usedTokens: 3 }), true),
      settleOrphans: meets(settling, () => store.settleOrphans({ nowMs }), 1),
      sendHeartbeat: meets(at("QuotaInstance"), () => store.sendHeartbeat({ timeoutMs: 1 }), false),
      leave: meets(at("QuotaInstance"), () => store.leave(), undefined),
      forgetInstances: meets(at("QuotaInstance"), () => store.forgetInstances(["settled"]), undefined),
    },
  };
}

function listKeptAnswers(database: Database): ListedStore {
  const store = createKeptAnswerStore(database, clock);
  const request = {
    owner: "o",
    conversationId: "new",
    replyId: "new",
    openFor: "k",
    proofHash: null,
    maxOpen: 9,
    leaseMs: 60_000,
  };
  const hold = `INSERT INTO "KeptAnswer"
    ("id", "owner", "conversationId", "openFor", "place", "leaseExpiresAtMs")
    VALUES ('theirs', 'o', 'new', 'k', 8, 1)`;
  const isNew = { ...at("KeptAnswer"), hold, grows: "KeptAnswer" };
  const open = { owner: "o", conversationId: "open", replyId: "open" };
  const piece = { firstId: 1, events: ["{}"], usedTokens: 1 };
  const appended = { ...piece, replyId: "open", leaseMs: 60_000, headers: null, ending: null };
  const ending = { replyId: "left", endingEvents: ["{}"], expiresAtMs: nowMs };
  const hasName = { ...isNew, hold: hold.replace("'theirs'", "'new'") };
  const isStored = {
    ...at("KeptPiece"),
    hold: `INSERT INTO "KeptPiece" ("answerId", "firstId", "lastId", "bytes", "text") VALUES ('open', 1, 1, 2, '')`,
    grows: "KeptPiece",
  };
  return {
    store,
    reads: ["find", "read", "listAbandoned", "listAskedToStop", "findUsages"],
    writes: {
      begin: meets(isNew, () => store.begin(request), { outcome: "begun" }),
      discard: meets(at("KeptAnswer"), () => store.discard(open), undefined),
      append: [
        ...meets(isStored, () => store.append(appended), true),
        ...meets(at("KeptAnswer"), () => store.append({ ...appended, events: [] }), true),
      ],
      askToStop: meets(at("KeptAnswer"), () => store.askToStop(open), "open"),
      askToStopSession: meets(
        at("KeptAnswer"),
        () => store.askToStopSession({ owner: "o", openFor: "k", proofHash: "p" }),
        ["open"],
      ),
      takeName: meets(hasName, () => store.takeName("new", nowMs), undefined),
      conclude: meets(at("KeptAnswer"), () => store.conclude(ending), true),
    },
  };
}

function listQuotaWindows(database: Database): ListedStore {
  const store = createQuotaWindowStore(database, clock, clearPaymentSums);
  const targets = [{ kind: "token", subjects: "all" }] as const;
  const wipe = () => store.deleteWindows({ targets, record: { ...actor, detail: {} } });
  return {
    store,
    reads: ["listOpenWindows"],
    writes: { deleteWindows: meets(adding("QuotaReservation", "AuditEntry"), wipe, { token: 1 }) },
  };
}
