import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import { createSubmissionStore } from "~/gate/form/submissions.store.server";
import { systemClock as clock } from "~/platform/time/clock";
import { createOutboxStore } from "~/platform/outbox/outbox.store.server";
import type { Redis } from "~/platform/redis/redis.server";
import { ownerOfKey } from "~/quota/quota-subject";
import type { QuotaStore } from "~/quota/quota.store.server";
import { createStateStores } from "~/services/state.server";
import { createTestDatabase } from "~e2e/support/databases/database";
import { hasRedis } from "~e2e/support/databases/redis";
import { createRedisState } from "~e2e/support/databases/state";
import type { ReceivedWebhook } from "~e2e/support/providers/webhook-receiver";
import { answerTokens, reservedTokens } from "./load-site";
import { runFinalChecks } from "./final-checks";
import type { CheckedSite } from "./final-checks";
import { createRecord } from "./record";
import type { LoadRecord } from "./record";
import { isKept } from "./scenario";

const instance = "the server";
const contract = "0x00000000000000000000000000000000000000ab";
const account = privateKeyToAccount(generatePrivateKey());
const holderOf = (tokenId: string) => ({ account, tokenId });
const key = (tokenId: string) => ({ chainId: 31337, contractAddress: contract, tokenId }) as const;

/** A server that lost nothing: two used keys, one by the tool, and two replies, one cut off. */
async function keepAll() {
  const { database } = await createTestDatabase();
  const store = createSubmissionStore(database, clock, createOutboxStore(database, clock, ["webhook"]));
  const notificationOf = (tokenId: string, kind: string) => ({ kind, data: { tokenId } });
  await store.submitOnce({
    submissionId: "s1",
    key: key("1"),
    usedBy: account.address,
    message: "Hello",
    messageHash: null,
    requestId: "r1",
    notification: notificationOf("1", "submission.received"),
  });
  const usedBy = account.address;
  await store.useKeyOnce({ key: key("2"), usedBy, notification: notificationOf("2", "key.used") });
  await database.nonce.create({
    data: { value: "n1", clientId: "c", issuedAtMs: 1n, expiresAtMs: 2n, consumedAtMs: 1n },
  });
  const { quota } = createStateStores({ database, redis: null, clock, instance });
  await chargeAnswers(quota, [answerTokens, reservedTokens]);
  await database.auditEntry.create({
    data: { id: "a1", atMs: 1n, kind: "quota-reset", clientId: "c", requestId: "reset-1", detail: "{}" },
  });

  const received = (await database.notification.findMany()).map(({ id, payload }) => ({
    method: "POST",
    url: "/hook",
    headers: { "webhook-id": id },
    body: payload,
    verified: true,
  }));
  const record = createRecord();
  record.uses.push({ holder: holderOf("1"), message: "Hello" }, { holder: holderOf("2"), message: null });
  record.nonceGrants.set("n1", 1);
  record.talkers.push({ holder: holderOf("3"), bearer: "", asked: 2, finished: 1 });
  record.resets.push("reset-1");
  const site: CheckedSite = {
    contract,
    receiver: { taken: () => received },
    withDatabase: (work) => work(database),
  };
  return { site, record, database, quota, received };
}

async function chargeAnswers(quota: QuotaStore, usages: readonly number[]) {
  for (const usedTokens of usages) {
    const reserved = await reserve(quota);
    await quota.settle({ reservationId: reserved.reservationId, usedTokens });
  }
}

async function reserve(quota: QuotaStore) {
  const outcome = await quota.reserve({
    owner: ownerOfKey(key("3")),
    wanted: reservedTokens,
    limit: 1_000_000_000,
    windowSeconds: 86_400,
    expiresInSeconds: 600,
  });
  if (outcome.outcome === "exhausted") throw new Error("The quota is exhausted.");
  return outcome;
}

async function findBroken(kept: {
  site: CheckedSite;
  record: LoadRecord;
  redis?: Redis | null;
}): Promise<string[]> {
  return (await runFinalChecks(kept)).filter((figure) => !isKept(figure)).map(({ what }) => what);
}

test("a server that has kept everything is found without fault", async () => {
  expect(await findBroken(await keepAll())).toEqual([]);
});

type Kept = Awaited<ReturnType<typeof keepAll>>;
type Fault = [string[], (kept: Kept) => unknown];

test.each<Fault>([
  [["nonces accepted twice"], ({ record }) => record.nonceGrants.set("n1", 2)],
  [
    ["accepted nonces that are still good"],
    ({ database }) => database.nonce.updateMany({ data: { consumedAtMs: null } }),
  ],
  [["wrongly let in"], ({ record }) => record.wrongGrants.push("somebody")],
  [["keys used twice"], ({ record }) => record.uses.push({ holder: holderOf("2"), message: null })],
  [
    ["acknowledged unlocks lost", "keys half used"],
    ({ database }) => database.usedKey.deleteMany({ where: { tokenId: "2" } }),
  ],
  [
    ["acknowledged unlocks lost"],
    ({ database }) => database.usedKey.updateMany({ where: { tokenId: "2" }, data: { usedBy: "0xcd" } }),
  ],
  [["acknowledged unlocks denied later"], ({ record }) => record.deniedUses.push("1")],
  [["acknowledged submissions lost", "keys half used"], ({ database }) => database.submission.deleteMany()],
  [
    ["acknowledged submissions lost"],
    ({ database }) => database.submission.updateMany({ data: { message: "Another" } }),
  ],
  [["keys half used"], ({ database }) => database.notificationDelivery.deleteMany()],
  [["notifications delivered", "notifications not delivered"], ({ received }) => received.splice(0, 1)],
  [
    ["notifications under several ids"],
    ({ received }) =>
      received.push({ ...(received[0] as ReceivedWebhook), headers: { "webhook-id": "x" } } as never),
  ],
  [["notifications with a wrong signature"], ({ received }) => (received[0]!.verified = false)],
  [
    ["acknowledged answers not charged"],
    ({ record }) => Object.assign(record.talkers[0]!, { asked: 4, finished: 3 }),
  ],
  [
    ["answers charged that nobody asked for", "whole answers charged as unended"],
    ({ record }) => (record.talkers[0]!.asked = 1),
  ],
  [["ledgers that are no sum of answers"], ({ quota }) => chargeAnswers(quota, [1])],
  [["tokens still set aside"], ({ quota }) => reserve(quota)],
  [["acknowledged resets without a record"], ({ database }) => database.auditEntry.deleteMany()],
  [["resets that left something counted"], ({ record }) => (record.resetsThatLeftSomething = 1)],
])("a violation is found: %j", async (broken, spoil) => {
  const kept = await keepAll();
  await spoil(kept);
  expect(await findBroken(kept)).toEqual(broken);
});

test.skipIf(!hasRedis)("a nonce that was accepted and is still valid is found in Redis too", async () => {
  const { redis } = await createRedisState();
  const kept = { ...(await keepAll()), redis };
  const { nonces, quota } = createStateStores({ database: kept.database, redis, clock, instance });
  await chargeAnswers(quota, [answerTokens, reservedTokens]);
  await nonces.issueNonce({ value: "n1", clientId: "c", ttlSeconds: 60 });
  expect(await nonces.consumeNonce({ value: "n1", clientId: "c" })).toBe("consumed");
  expect(await findBroken(kept)).toEqual([]);
  await nonces.issueNonce({ value: "n2", clientId: "c", ttlSeconds: 60 });
  kept.record.nonceGrants.set("n2", 1);
  expect(await findBroken(kept)).toEqual(["accepted nonces that are still good"]);
});
