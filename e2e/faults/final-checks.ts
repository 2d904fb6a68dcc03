import { systemClock as clock } from "~/platform/time/clock";
import type { Database } from "~/platform/database/database.server";
import type { Redis } from "~/platform/redis/redis.server";
import { ownerOfKey } from "~/quota/quota-subject";
import { createStateStores } from "~/services/state.server";
import type { ReceivedWebhook } from "~e2e/support/providers/webhook-receiver";
import { answerTokens, reservedTokens } from "./load-site";
import type { LoadSite } from "./load-site";
import type { LoadRecord } from "./record";
import type { Figure } from "./scenario";

type StateStores = ReturnType<typeof createStateStores>;

/** The parts of a site that the final checks read. */
export type CheckedSite = Pick<LoadSite, "withDatabase" | "contract"> & {
  receiver: Pick<LoadSite["receiver"], "taken">;
};

const none = { equals: 0 } as const;

type FinalChecksOptions = {
  site: CheckedSite;
  record: LoadRecord;
  redis?: Redis | null;
  /** If the ledger is unreachable at the end of a reply, the reply counts in full later. */
  settlesLate?: boolean;
};

/** Compares what clients were told with the database and the receiver. */
export async function runFinalChecks({
  site,
  record,
  redis = null,
  settlesLate = false,
}: FinalChecksOptions): Promise<Figure[]> {
  return await site.withDatabase(async (database) => {
    const kept = await readKept(database, site);
    const stores = createStateStores({ database, redis, clock, instance: "the final checks" });
    return [
      { what: "acknowledged sign-ins", measured: record.nonceGrants.size, bound: { atLeast: 1 } },
      { what: "nonces accepted twice", measured: countTwiceAccepted(record), bound: none },
      await checkNonces({ stores, record }),
      { what: "wrongly let in", measured: record.wrongGrants.length, bound: none },
      { what: "acknowledged unlocks", measured: record.uses.length, bound: { atLeast: 1 } },
      {
        what: "keys used twice",
        measured: record.uses.length - new Set(record.uses.map(({ holder }) => holder.tokenId)).size,
        bound: none,
      },
      ...checkUses(kept, record),
      ...checkNotifications({ kept, received: site.receiver.taken() }),
      ...(await checkQuotas({ stores, site, record, settlesLate })),
      ...(await checkResets(database, record)),
    ];
  });
}

type Kept = Awaited<ReturnType<typeof readKept>>;

async function readKept(database: Database, site: CheckedSite) {
  const where = { contractAddress: site.contract.toLowerCase() };
  const [usedKeys, submissions, notifications] = await Promise.all([
    database.usedKey.findMany({ where }),
    database.submission.findMany({ where }),
    database.notification.findMany({ include: { deliveries: true } }),
  ]);
  return {
    usedKeys: new Map(usedKeys.map((row) => [row.tokenId, row])),
    submissions: new Map(submissions.map((row) => [row.tokenId, row])),
    notifications: notifications.map((row) => ({ ...row, tokenId: tokenIdOf(row.payload) })),
  };
}

function tokenIdOf(payload: string): string {
  return (JSON.parse(payload) as { data: { tokenId: string } }).data.tokenId;
}

function countTwiceAccepted({ nonceGrants }: LoadRecord): number {
  return [...nonceGrants.values()].filter((grants) => grants > 1).length;
}

/** A nonce that opened the gate without being used up could do so again until it expired. */
async function checkNonces({
  stores: { nonces },
  record,
}: {
  stores: StateStores;
  record: LoadRecord;
}): Promise<Figure> {
  let measured = 0;
  for (const value of record.nonceGrants.keys()) {
    const verdict = await nonces.consumeNonce({ value, clientId: null });
    if (verdict === "consumed" || verdict === "expired") measured += 1;
  }
  return { what: "accepted nonces that are still good", measured, bound: none };
}

function checkUses(kept: Kept, record: LoadRecord): Figure[] {
  const { usedKeys, submissions, notifications } = kept;
  const lostUses = record.uses.filter(({ holder: { tokenId, account } }) => {
    return usedKeys.get(tokenId)?.usedBy !== account.address.toLowerCase();
  });
  const lostForms = record.uses.filter(({ holder, message }) => {
    return message !== null && submissions.get(holder.tokenId)?.message !== message;
  });
  // A key has one notification and, if the form used it, one submission: all or nothing.
  const told = new Map<string, number>();
  for (const { tokenId } of notifications) told.set(tokenId, (told.get(tokenId) ?? 0) + 1);
  const half = new Set([...submissions.keys(), ...told.keys()].filter((tokenId) => !usedKeys.has(tokenId)));
  for (const tokenId of usedKeys.keys()) if (told.get(tokenId) !== 1) half.add(tokenId);
  for (const { kind, tokenId, deliveries } of notifications) {
    const isForm = kind === "submission.received";
    if (isForm !== submissions.has(tokenId) || deliveries.length !== 1) half.add(tokenId);
  }
  return [
    { what: "acknowledged unlocks lost", measured: lostUses.length, bound: none },
    { what: "acknowledged unlocks denied later", measured: record.deniedUses.length, bound: none },
    { what: "acknowledged submissions lost", measured: lostForms.length, bound: none },
    { what: "keys half used", measured: half.size, bound: none },
  ];
}

function checkNotifications({
  kept: { notifications },
  received,
}: {
  kept: Kept;
  received: readonly ReceivedWebhook[];
}): Figure[] {
  const idsByKey = new Map<string, Set<string>>();
  for (const { body, headers } of received) {
    const tokenId = tokenIdOf(body);
    idsByKey.set(tokenId, (idsByKey.get(tokenId) ?? new Set()).add(headers["webhook-id"] ?? ""));
  }
  const undelivered = notifications.filter(({ tokenId, id }) => !idsByKey.get(tokenId)?.has(id));
  const underOtherIds = [...idsByKey.values()].filter(({ size }) => size > 1);
  const unsigned = received.filter(({ verified }) => !verified);
  return [
    { what: "notifications delivered", measured: idsByKey.size, bound: { equals: notifications.length } },
    { what: "notifications not delivered", measured: undelivered.length, bound: none },
    { what: "notifications under several ids", measured: underOtherIds.length, bound: none },
    { what: "notifications with a wrong signature", measured: unsigned.length, bound: none },
  ];
}

type CheckQuotasOptions = {
  stores: StateStores;
  site: CheckedSite;
  record: LoadRecord;
  settlesLate: boolean;
};

async function checkQuotas({
  stores: { quota },
  site,
  record,
  settlesLate,
}: CheckQuotasOptions): Promise<Figure[]> {
  const counts = { answers: 0, uncharged: 0, invented: 0, crooked: 0, overcharged: 0, reserved: 0 };
  for (const talker of record.talkers) {
    const owner = ownerOfKey({
      chainId: 31337,
      contractAddress: site.contract,
      tokenId: talker.holder.tokenId,
    });
    const { used, reserved } = await quota.readStanding({ owner, limit: 1_000_000_000 });
    const charged = readCharges(used);
    counts.answers += talker.finished;
    counts.uncharged += Math.max(0, talker.finished - charged.whole - charged.inFull);
    counts.invented += Math.max(0, charged.whole + charged.inFull - talker.asked);
    counts.overcharged += Math.max(0, charged.inFull - (talker.asked - talker.finished));
    counts.crooked += charged.rest === 0 ? 0 : 1;
    counts.reserved += reserved;
  }
  return [
    { what: "acknowledged answers in the last windows", measured: counts.answers, bound: { atLeast: 1 } },
    { what: "acknowledged answers not charged", measured: counts.uncharged, bound: none },
    { what: "answers charged that nobody asked for", measured: counts.invented, bound: none },
    // A whole reply settles its usage before its last event. Only cut-off replies may count in full.
    ...(settlesLate
      ? []
      : [{ what: "whole answers charged as unended", measured: counts.overcharged, bound: none }]),
    { what: "ledgers that are no sum of answers", measured: counts.crooked, bound: none },
    { what: "tokens still set aside", measured: counts.reserved, bound: none },
  ];
}

function readCharges(used: number): { whole: number; inFull: number; rest: number } {
  const inFull = Math.floor(used / reservedTokens);
  const whole = Math.floor((used % reservedTokens) / answerTokens);
  return { whole, inFull, rest: used - inFull * reservedTokens - whole * answerTokens };
}

async function checkResets(database: Database, record: LoadRecord): Promise<Figure[]> {
  const entries = await database.auditEntry.findMany({ where: { kind: "quota-reset" } });
  const written = new Set(entries.map(({ requestId }) => requestId));
  const unwritten = record.resets.filter((requestId) => !written.has(requestId));
  return [
    { what: "acknowledged quota resets", measured: record.resets.length, bound: { atLeast: 1 } },
    { what: "acknowledged resets without a record", measured: unwritten.length, bound: none },
    {
      what: "resets that left something counted",
      measured: record.resetsThatLeftSomething,
      bound: none,
    },
  ];
}
