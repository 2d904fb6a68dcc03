import { expect, onTestFinished } from "vitest";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import { toRefusal } from "~/platform/http/to-refusal.server";
import type { Channel } from "~/platform/outbox/outbox";
import { createOutboxStore } from "~/platform/outbox/outbox.store.server";
import {
  countOutcomes,
  createPostgresqlTestDatabase,
  createTestClock,
  openTestDatabase,
  testOnEachDatabase,
  testOnPostgresql,
} from "~e2e/support/databases/database";
import { openSlowCommits } from "~e2e/support/databases/slow-commits";
import { waitUntil } from "~e2e/support/processes";
import { startTcpGate } from "~e2e/support/providers/proxies";
import type { KeyRef } from "../kinds/token-id";
import { createSubmissionStore } from "./submissions.store.server";
import type { SubmissionStore } from "./submissions.store.server";

const key: KeyRef = { chainId: 31_337, contractAddress: `0x${"ab".repeat(20)}`, tokenId: "7" };
const request: Parameters<SubmissionStore["submitOnce"]>[0] = {
  submissionId: "submission-1",
  key,
  usedBy: `0x${"cd".repeat(20)}`,
  message: "Grüße 🗝 '\"; DROP TABLE",
  messageHash: `0x${"12".repeat(32)}`,
  requestId: "request-1",
  notification: { kind: "submission.received", data: { a: 1 } },
};

function createStore(database: Database, channels: Channel[] = ["webhook", "email"]): SubmissionStore {
  const { clock } = createTestClock();
  return createSubmissionStore(database, clock, createOutboxStore(database, clock, channels));
}

async function countRows(database: Database) {
  return {
    usedKeys: await database.usedKey.count(),
    submissions: await database.submission.count(),
    notifications: await database.notification.count(),
    deliveries: await database.notificationDelivery.count(),
  };
}

testOnEachDatabase(
  "a submission uses the key, is stored, and queues its notification",
  async ({ database }) => {
    const { clock } = createTestClock();
    const store = createStore(database);
    const outcome = await store.submitOnce(request);
    if (outcome.outcome !== "accepted") throw new Error("The first submission must be accepted.");
    const now = BigInt(clock());
    const { message, messageHash, requestId, usedBy } = request;
    expect(await database.submission.findMany()).toEqual([
      {
        id: outcome.submissionId,
        ...key,
        chainId: 31_337n,
        address: usedBy,
        message,
        messageHash,
        requestId,
        createdAtMs: now,
        handledAtMs: null,
      },
    ]);
    const [notification] = await database.notification.findMany({ include: { deliveries: true } });
    expect(notification).toMatchObject({ kind: "submission.received", createdAtMs: now });
    expect(notification?.deliveries.map((delivery) => delivery.channel).sort()).toEqual(["email", "webhook"]);
    expect(notification?.deliveries).toMatchObject([{ nextAttemptAtMs: now }, { nextAttemptAtMs: now }]);
  },
);

testOnEachDatabase(
  "exactly one of a hundred concurrent submissions uses a key",
  async ({ database, url }) => {
    const stores = [database, await openTestDatabase(url)].map((connection) => createStore(connection));
    const outcomes = await countOutcomes(
      100,
      async (index) => (await stores[index % 2]?.submitOnce(request))?.outcome,
    );
    expect(Object.fromEntries(outcomes)).toEqual({ accepted: 1, "already-used": 99 });
    expect(await countRows(database)).toEqual({
      usedKeys: 1,
      submissions: 1,
      notifications: 1,
      deliveries: 2,
    });
  },
);

testOnEachDatabase(
  "exactly one of several concurrent forms and tools uses a key, and only a form leaves a submission",
  async ({ database, url }) => {
    const stores = [database, await openTestDatabase(url)].map((connection) => createStore(connection));
    const notification = { kind: "key.used", data: {} };
    const outcomes = await countOutcomes(60, async (index) => {
      const store = stores[index % 2]!;
      const { outcome } =
        index % 3 === 0
          ? await store.submitOnce(request)
          : await store.useKeyOnce({ key, usedBy: request.usedBy, notification });
      return outcome;
    });
    const { used = 0, accepted = 0, ...others } = Object.fromEntries(outcomes) as Record<string, number>;
    expect([used + accepted, others]).toEqual([1, { "already-used": 59 }]);
    expect(await countRows(database)).toEqual({
      usedKeys: 1,
      submissions: accepted,
      notifications: 1,
      deliveries: 2,
    });
  },
);

testOnEachDatabase("a submission that fails half-way leaves nothing behind", async ({ database }) => {
  // The same channel twice breaks the statement that queues the deliveries.
  await expect(createStore(database, ["webhook", "webhook"]).submitOnce(request)).rejects.toThrow();
  expect(await countRows(database)).toEqual({ usedKeys: 0, submissions: 0, notifications: 0, deliveries: 0 });
  expect(await createStore(database).submitOnce(request)).toMatchObject({ outcome: "accepted" });
});

testOnEachDatabase("a notification without channels is kept and not sent", async ({ database }) => {
  await createStore(database, []).submitOnce({ ...request, messageHash: null });
  expect(await countRows(database)).toMatchObject({ notifications: 1, deliveries: 0 });
});

testOnPostgresql(
  "a PostgreSQL with strict isolation retries conflicts and never refuses a form",
  async () => {
    const { database: admin, url } = await createPostgresqlTestDatabase();
    await admin.$executeRawUnsafe(`DO $$ BEGIN EXECUTE format(
    'ALTER DATABASE %I SET default_transaction_isolation = serializable', current_database()); END $$`);
    const database = await openTestDatabase(url);
    const store = createStore(database);
    const outcomes = await countOutcomes(30, async (index) => {
      return (await store.submitOnce({ ...request, submissionId: `s${index}` })).outcome;
    });
    expect(outcomes).toEqual(
      new Map([
        ["accepted", 1],
        ["already-used", 29],
      ]),
    );
  },
);

const uses = [
  {
    what: "a form",
    use: (store: SubmissionStore) => store.submitOnce(request),
    outcome: "accepted",
    submissions: 1,
  },
  {
    what: "a key's use",
    use: (store: SubmissionStore) => store.useKeyOnce(request),
    outcome: "used",
    submissions: 0,
  },
];

/** A use that waits at its commit, which the connection is lost at. */
async function loseConnectionAtCommit(use: (store: SubmissionStore) => Promise<unknown>) {
  const { direct, way, database, isCommitting, letCommit } = await openSlowCommits("UsedKey");
  const using = use(createStore(database));
  using.catch(() => undefined);
  await waitUntil(isCommitting);
  way.cut();
  return { direct, way, using, letCommit };
}

for (const { what, use, outcome, submissions } of uses) {
  testOnPostgresql(
    `${what} that was stored is confirmed, though the connection was lost at its commit`,
    async () => {
      const { direct, way, using, letCommit } = await loseConnectionAtCommit(use);
      way.mend();
      await letCommit();
      expect(await using).toMatchObject({ outcome });
      expect(await countRows(direct)).toMatchObject({ usedKeys: 1, notifications: 1, submissions });
    },
  );

  testOnPostgresql(
    `${what} with an unknown outcome is refused without claiming that nothing was stored`,
    async () => {
      const { direct, using, letCommit } = await loseConnectionAtCommit(use);
      const startedAtMs = performance.now();
      await expect(using).rejects.toMatchObject({
        refusalName: "state-unavailable",
        headers: { "Retry-After": "5" },
        detail: expect.stringMatching(/not known whether.*Look at the key's status/) as string,
      });
      expect(performance.now() - startedAtMs).toBeLessThan(6_000);
      await letCommit();
      await waitUntil(async () => (await direct.usedKey.count()) === 1);
      expect(await countRows(direct)).toMatchObject({ notifications: 1, submissions });
    },
  );
}

testOnPostgresql(
  "a form given up while it was stored leaves neither key nor text, whatever others do meanwhile",
  async () => {
    const { database: direct, url } = await createPostgresqlTestDatabase();
    const address = new URL(url);
    const way = await startTcpGate({ host: address.hostname, port: Number(address.port) });
    onTestFinished(way.stop);
    address.port = String(way.port);
    const pool = { size: 2, connectSeconds: 5, statementSeconds: 1, lockSeconds: 1, idleSeconds: 60 };
    const database = await openDatabase({ url: address.href, pool });
    onTestFinished(() => closeDatabase(database));
    way.after('INSERT INTO "public"."Submission"', way.hold);
    const failure = await createStore(database).submitOnce(request).catch(toRefusal);
    expect(failure).toMatchObject({
      refusalName: "state-unavailable",
      detail: expect.stringContaining("may have taken effect") as string,
    });

    way.mend();
    const others = ["1", "2", "3", "4"].map((tokenId) =>
      createStore(database).submitOnce({ ...request, submissionId: tokenId, key: { ...key, tokenId } }),
    );
    expect(await Promise.all(others)).toMatchObject(Array(4).fill({ outcome: "accepted" }));
    expect(await direct.usedKey.count({ where: { tokenId: key.tokenId } })).toBe(0);
    expect(await countRows(direct)).toMatchObject({ usedKeys: 4, submissions: 4, notifications: 4 });
    expect(await createStore(database).submitOnce(request)).toMatchObject({ outcome: "accepted" });
  },
);

testOnEachDatabase(
  "a form that cannot be stored takes nothing from those beside it",
  async ({ database }) => {
    const store = createStore(database);
    const ofKey = (tokenId: string, submissionId: string) =>
      store.submitOnce({ ...request, submissionId, key: { ...key, tokenId } });
    await ofKey("1", "taken");

    const outcomes = await Promise.allSettled([ofKey("2", "a"), ofKey("3", "taken"), ofKey("4", "b")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await countRows(database)).toMatchObject({ usedKeys: 3, submissions: 3, notifications: 3 });
  },
);

testOnEachDatabase(
  "a use that was undone does not count where it is tried again too late",
  async ({ database }) => {
    const other = createStore(database);
    /** The first try is rolled back, and another client is faster. */
    async function transactTwice(work: (transaction: unknown) => Promise<unknown>): Promise<unknown> {
      const undone = database.$transaction(async (transaction) => {
        await work(transaction);
        throw new Error("undone");
      });
      await expect(undone).rejects.toThrow("undone");
      expect(await other.useKeyOnce(request)).toMatchObject({ outcome: "used" });
      return await database.$transaction(work);
    }
    const slow = new Proxy(database, {
      get: (real, name) => (name === "$transaction" ? transactTwice : Reflect.get(real, name)),
    });

    expect(await createStore(slow).useKeyOnce(request)).toMatchObject({ outcome: "already-used" });
  },
);
