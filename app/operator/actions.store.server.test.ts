import { expect } from "vitest";
import type { Database } from "~/platform/database/database.server";
import { neverAttemptAtMs } from "~/platform/outbox/outbox";
import { createOutboxStore } from "~/platform/outbox/outbox.store.server";
import {
  countOutcomes,
  createTestClock,
  openTestDatabase,
  testOnEachDatabase,
} from "~e2e/support/databases/database";
import { createActionStore } from "./actions.store.server";

const actor = { clientId: "192.0.2.1", requestId: "request-1" };
const { clock } = createTestClock();

type Delivery = { nextAttemptAtMs: bigint; claimedUntilMs?: bigint; deliveredAtMs?: bigint };

async function addDeliveries(
  database: Database,
  deliveries: Readonly<Record<string, Delivery>>,
): Promise<void> {
  for (const [notificationId, delivery] of Object.entries(deliveries)) {
    await database.notification.create({
      data: { id: notificationId, kind: "submission.received", payload: "{}", createdAtMs: 1n },
    });
    await database.notificationDelivery.create({
      data: { notificationId, channel: "webhook", attempts: 3, lastError: "HTTP 500", ...delivery },
    });
  }
}

const never = BigInt(neverAttemptAtMs);

testOnEachDatabase(
  "a delivery that was given up is due again, one in progress or done is left alone",
  async ({ database }) => {
    await addDeliveries(database, {
      givenUp: { nextAttemptAtMs: never },
      alsoGivenUp: { nextAttemptAtMs: never },
      waiting: { nextAttemptAtMs: BigInt(clock() + 1_000) },
      claimed: { nextAttemptAtMs: BigInt(clock() + 1_000), claimedUntilMs: BigInt(clock() + 1) },
      delivered: { nextAttemptAtMs: never, deliveredAtMs: 5n },
    });
    const store = createActionStore(database, clock, createOutboxStore(database, clock));
    expect(await store.retryDeliveries("given-up", actor)).toBe(2);
    const one = (notificationId: string) =>
      store.retryDeliveries({ notificationId, channel: "webhook" }, actor);
    expect([
      await one("waiting"),
      await one("claimed"),
      await one("delivered"),
      await one("unknown"),
    ]).toEqual([1, 0, 0, 0]);
    const claimed = await createOutboxStore(database, clock).claimDueDeliveries({
      claimant: "sender",
      limit: 10,
      claimSeconds: 60,
      channels: ["webhook"],
    });
    expect(claimed.map(({ notificationId }) => notificationId).sort()).toEqual([
      "alsoGivenUp",
      "givenUp",
      "waiting",
    ]);
    expect(claimed.every(({ attempts }) => attempts === 3)).toBe(true);
    const entries = await database.auditEntry.findMany({ where: { kind: "operator-retry" } });
    expect(entries).toHaveLength(5);
    expect(entries.map(({ detail }) => detail)).toContain('{"all":true,"deliveries":2}');
  },
);

testOnEachDatabase("concurrent requests to send a delivery again send it once", async ({ database, url }) => {
  await addDeliveries(database, { givenUp: { nextAttemptAtMs: never } });
  const connections = [database, await openTestDatabase(url)];
  const outcomes = await countOutcomes(20, async (index) => {
    const connection = connections[index % 2]!;
    if (index % 4 < 2)
      return createActionStore(connection, clock, createOutboxStore(connection, clock)).retryDeliveries(
        "given-up",
        actor,
      );
    const claimed = await createOutboxStore(connection, clock).claimDueDeliveries({
      claimant: `sender-${index}`,
      limit: 10,
      claimSeconds: 60,
      channels: ["webhook"],
    });
    return `claimed ${claimed.length}`;
  });
  expect(outcomes.get(1)).toBe(1);
  expect(outcomes.get("claimed 1") ?? 0).toBeLessThanOrEqual(1);
});

testOnEachDatabase(
  "a submission is marked once by concurrent requests, and can be opened again",
  async ({ database, url }) => {
    await database.submission.create({
      data: {
        id: "one",
        chainId: 1n,
        contractAddress: "0x",
        tokenId: "1",
        address: "0xa",
        message: "m",
        requestId: "r",
        createdAtMs: 1n,
      },
    });
    const stores = [database, await openTestDatabase(url)].map((connection) =>
      createActionStore(connection, clock, createOutboxStore(connection, clock)),
    );
    const mark = (isHandled: boolean) =>
      countOutcomes(20, (index) => stores[index % 2]!.markSubmission("one", isHandled, actor));
    expect(Object.fromEntries(await mark(true))).toEqual({ 0: 19, 1: 1 });
    expect((await stores[0]!.findSubmission("one"))?.handledAtMs).toBe(clock());
    expect(Object.fromEntries(await mark(false))).toEqual({ 0: 19, 1: 1 });
    expect((await stores[0]!.findSubmission("one"))?.handledAtMs).toBeNull();
    expect(await database.auditEntry.count({ where: { kind: "operator-mark" } })).toBe(2);
    expect(await stores[0]!.findSubmission("two")).toBeNull();
  },
);
