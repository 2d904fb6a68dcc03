import { expect, test } from "vitest";
import type { Database } from "~/platform/database/database.server";
import {
  createSqliteTestDatabase,
  createTestClock,
  createTestDatabase,
  openTestDatabase,
  testOnEachDatabase,
} from "~e2e/support/databases/database";
import { createActivityStore, hourSeconds, minuteSeconds } from "./activity.store.server";
import type { NewDecision } from "./buffers";
import { createRecorder } from "./recorder.server";

type RecorderOptions = Parameters<typeof createRecorder>[0];

const refused: NewDecision = {
  route: "/api/gate-access",
  outcome: "refused",
  slug: "a-slug",
  reason: "Because.",
  proof: "siwe",
  address: "0xABCD",
  vault: "0xEF01",
  tokenId: "5",
  keyKind: "founder",
  missing: "0: 2.5 coins",
  site: "wiki.example.com",
  clientId: "192.0.2.1",
  requestId: "request-1",
};

function createTestRecorder({ database, ...options }: Partial<RecorderOptions> & { database: Database }) {
  return createRecorder({
    store: createActivityStore(database),
    keepsDecisions: true,
    instance: "one",
    clock: createTestClock().clock,
    onFailure(error) {
      throw new Error("Nothing may fail here.", { cause: error });
    },
    ...options,
  });
}

testOnEachDatabase(
  "several concurrent instances lose no count and no decision",
  async ({ database, url }) => {
    const { clock } = createTestClock();
    const databases = [database, await openTestDatabase(url), await openTestDatabase(url)];
    const recorders = databases.map((its, index) =>
      createTestRecorder({ database: its, clock, instance: `instance-${index}` }),
    );
    // The same rows, in another order for each of them.
    const series = ["grant:siwe", "refusal:a", "refusal:b", "tokens"];
    for (let round = 0; round < 20; round++) {
      for (const [index, recorder] of recorders.entries()) {
        for (const name of index === 1 ? series.toReversed() : series)
          recorder.count({ series: name, amount: 2 });
        recorder.noteDecision(refused);
      }
      await Promise.all(recorders.map((recorder) => recorder.flush()));
    }
    const store = createActivityStore(database);
    for (const spanSeconds of [minuteSeconds, hourSeconds]) {
      const counts = await store.readCounts({ spanSeconds, sinceMs: 0, untilMs: clock() + 1 });
      expect(counts.map(({ series: name, amount }) => [name, amount]).sort()).toEqual(
        series.map((name) => [name, 120]),
      );
      for (const { startMs } of counts) expect(startMs % (spanSeconds * 1000)).toBe(0);
    }
    expect(await database.accessDecision.count()).toBe(60);
  },
);

test("a count belongs to the minute in which it was counted, not written", async () => {
  const { database } = await createTestDatabase();
  const { clock, advance } = createTestClock(1_700_000_040_000 + 59_999);
  const recorder = createTestRecorder({ database, clock });
  recorder.count({ series: "tokens", amount: 3 });
  advance(1);
  recorder.count({ series: "tokens", amount: 5 });
  await recorder.flush();
  const counts = await createActivityStore(database).readCounts({
    spanSeconds: minuteSeconds,
    sinceMs: 0,
    untilMs: clock() + 1,
  });
  expect(counts.map(({ startMs, amount }) => [startMs, amount])).toEqual([
    [1_700_000_040_000, 3],
    [1_700_000_100_000, 5],
  ]);
});

test("a decision is recorded with its reason and without any proof", async () => {
  const { database } = await createTestDatabase();
  const { clock } = createTestClock();
  const recorder = createTestRecorder({ database, clock });
  const jwt = `eyJhbGciOi.${"a".repeat(40)}.${"b".repeat(40)}`;
  recorder.noteDecision({ ...refused, reason: `The token ${jwt} is bad. ${"x".repeat(500)}` });
  await recorder.flush();
  const row = await database.accessDecision.findFirstOrThrow();
  expect(row).toMatchObject({
    atMs: BigInt(clock()),
    outcome: "refused",
    address: "0xabcd",
    vault: "0xef01",
    tokenId: "5",
  });
  expect(row.reason).not.toContain("eyJ");
  expect(row.reason).toHaveLength(300);
});

test("each outcome has its own bounded buffer, and what exceeds it is counted as dropped", async () => {
  const { database } = await createTestDatabase();
  const recorder = createTestRecorder({ database, maxWaitingDecisions: 10 });
  for (let index = 0; index < 25; index++) recorder.noteDecision({ ...refused, outcome: "granted" });
  for (let index = 0; index < 10; index++) recorder.noteDecision(refused);
  expect(recorder.status()).toMatchObject({ waiting: 20, droppedDecisions: 15 });
  await recorder.flush();
  expect(await database.accessDecision.count({ where: { outcome: "granted" } })).toBe(10);
  expect(await database.accessDecision.count({ where: { outcome: "refused" } })).toBe(10);
});

test("counts are kept while the database cannot be written, and the outage is logged once", async () => {
  const { database } = await createSqliteTestDatabase();
  const { clock } = createTestClock();
  const failures: unknown[] = [];
  const recorder = createTestRecorder({ database, clock, onFailure: (error) => void failures.push(error) });
  await database.$queryRawUnsafe("PRAGMA query_only=ON");
  for (let round = 0; round < 3; round++) {
    recorder.count({ series: "tokens" });
    recorder.noteDecision(refused);
    await recorder.flush();
  }
  expect(failures).toHaveLength(1);
  expect(recorder.status()).toMatchObject({ lastFailureAtMs: clock(), lastWrittenAtMs: null });
  await database.$queryRawUnsafe("PRAGMA query_only=OFF");
  await recorder.stop();
  expect(await database.accessDecision.count()).toBe(3);
  const [row] = await database.activityCount.findMany({ where: { spanSeconds: minuteSeconds } });
  expect(row?.amount).toBe(3n);
  expect(recorder.status()).toMatchObject({ waiting: 0, droppedDecisions: 0, droppedCounts: 0 });
});

test("decisions are not recorded when their retention is zero, and counting goes on", async () => {
  const { database } = await createTestDatabase();
  const recorder = createTestRecorder({ database, keepsDecisions: false });
  recorder.noteDecision(refused);
  recorder.count({ series: "tokens" });
  await recorder.flush();
  expect(await database.accessDecision.count()).toBe(0);
  expect(await database.activityCount.count()).toBe(2);
});
