import { expect } from "vitest";
import type { Database } from "~/platform/database/database.server";
import { createTestClock, openTestDatabase, testOnEachDatabase } from "~e2e/support/databases/database";
import { createOutboxStore } from "./outbox.store.server";
import type { Channel, ClaimRequest } from "./outbox";

const everything: Omit<ClaimRequest, "claimant"> = {
  limit: 100,
  claimSeconds: 60,
  channels: ["webhook", "email"],
};

type QueueRequest = { database: Database; id: string; atMs: number; channels?: Channel[] };

async function queue({ database, id, atMs, channels = ["webhook"] }: QueueRequest): Promise<void> {
  const now = BigInt(atMs);
  await database.notification.create({
    data: {
      id,
      kind: "submission.received",
      payload: `{"id":"${id}"}`,
      createdAtMs: now,
      deliveries: { create: channels.map((channel) => ({ channel, nextAttemptAtMs: now })) },
    },
  });
}

testOnEachDatabase(
  "a delivery is claimed whole, delivered once, and never claimed again",
  async ({ database }) => {
    const { clock, advance } = createTestClock();
    const store = createOutboxStore(database, clock);
    await queue({ database, id: "n", atMs: clock() });
    expect(await store.countPending()).toBe(1);
    expect(await store.claimDueDeliveries({ ...everything, claimant: "a" })).toEqual([
      {
        notificationId: "n",
        channel: "webhook",
        kind: "submission.received",
        payload: `{"id":"n"}`,
        attempts: 0,
        createdAtMs: clock(),
      },
    ]);
    const claim = { notificationId: "n", channel: "webhook", claimant: "a" } as const;
    expect(await store.markDelivered(claim)).toBe(true);
    expect(await store.markDelivered(claim)).toBe(false);
    advance(3_600_000);
    expect(await store.claimDueDeliveries({ ...everything, claimant: "a" })).toEqual([]);
    expect(await store.countPending()).toBe(0);
  },
);

testOnEachDatabase("two concurrent processes never claim the same delivery", async ({ database, url }) => {
  const { clock } = createTestClock();
  const stores = [database, await openTestDatabase(url)].map((connection) =>
    createOutboxStore(connection, clock),
  );
  for (let index = 0; index < 20; index++) {
    await queue({ database, id: `n${index}`, atMs: clock(), channels: ["webhook", "email"] });
  }
  const claims = await Promise.all(
    Array.from({ length: 30 }, async (_, index) =>
      stores[index % 2]?.claimDueDeliveries({ ...everything, limit: 3, claimant: `process-${index}` }),
    ),
  );
  // A claimant that lost a race may get fewer. The next round finds the rest.
  const rest = await stores[0]?.claimDueDeliveries({ ...everything, claimant: "last" });
  const held = [...claims.flat(), ...(rest ?? [])].map(
    (claim) => `${claim?.notificationId} ${claim?.channel}`,
  );
  expect(new Set(held).size).toBe(held.length);
  expect(held.length).toBe(40);
});

testOnEachDatabase(
  "a failed delivery is due again at its time with one attempt more",
  async ({ database }) => {
    const { clock, advance } = createTestClock();
    const store = createOutboxStore(database, clock);
    await queue({ database, id: "n", atMs: clock() });
    await store.claimDueDeliveries({ ...everything, claimant: "a" });
    const failure = { error: "HTTP 500", nextAttemptAtMs: clock() + 5_000 };
    const claim = { notificationId: "n", channel: "webhook", claimant: "a" } as const;
    expect(await store.markFailed({ ...claim, ...failure })).toBe(true);
    expect(await store.markFailed({ ...claim, ...failure })).toBe(false);
    advance(4_999);
    expect(await store.claimDueDeliveries({ ...everything, claimant: "b" })).toEqual([]);
    advance(1);
    expect(await store.claimDueDeliveries({ ...everything, claimant: "b" })).toMatchObject([{ attempts: 1 }]);
    expect(await database.notificationDelivery.findFirst()).toMatchObject({ lastError: "HTTP 500" });
  },
);

testOnEachDatabase(
  "an expired claim can be taken over, and its first sender changes nothing any more",
  async ({ database }) => {
    const { clock, advance } = createTestClock();
    const store = createOutboxStore(database, clock);
    await queue({ database, id: "n", atMs: clock() });
    await store.claimDueDeliveries({ ...everything, claimant: "crashed" });
    advance(59_999);
    expect(await store.claimDueDeliveries({ ...everything, claimant: "heir" })).toEqual([]);
    advance(1);
    expect(await store.claimDueDeliveries({ ...everything, claimant: "heir" })).toHaveLength(1);
    const late = { notificationId: "n", channel: "webhook", claimant: "crashed" } as const;
    expect(await store.markFailed({ ...late, error: "late", nextAttemptAtMs: 1 })).toBe(false);
    expect(await store.markDelivered(late)).toBe(false);
    expect(await store.markDelivered({ ...late, claimant: "heir" })).toBe(true);
  },
);

testOnEachDatabase(
  "claims keep to the channels and the number asked for, the longest due first",
  async ({ database }) => {
    const { clock, advance } = createTestClock();
    const store = createOutboxStore(database, clock);
    await queue({ database, id: "late", atMs: clock() - 1_000 });
    await queue({ database, id: "later", atMs: clock() - 500, channels: ["email"] });
    await queue({ database, id: "latest", atMs: clock() - 2_000 });
    await queue({ database, id: "future", atMs: clock() + 1 });
    const claim = async (limit: number, channels: Channel[]) =>
      (await store.claimDueDeliveries({ ...everything, claimant: "a", limit, channels })).map(
        (delivery) => delivery.notificationId,
      );
    expect(await claim(10, [])).toEqual([]);
    expect(await claim(1, ["webhook"])).toEqual(["latest"]);
    expect(await claim(10, ["email"])).toEqual(["later"]);
    expect(await claim(10, ["webhook", "email"])).toEqual(["late"]);
    advance(1);
    expect(await claim(10, ["webhook"])).toEqual(["future"]);
  },
);

testOnEachDatabase("a delivery that was given up is not pending", async ({ database }) => {
  const { clock } = createTestClock();
  const store = createOutboxStore(database, clock);
  await queue({ database, id: "n", atMs: clock() });
  await store.claimDueDeliveries({ ...everything, claimant: "a" });
  const claim = { notificationId: "n", channel: "webhook", claimant: "a" } as const;
  await store.markFailed({ ...claim, error: "gone", nextAttemptAtMs: 8_640_000_000_000_000 });
  expect(await store.countPending()).toBe(0);
});

testOnEachDatabase("a notification is queued with its transaction, or not at all", async ({ database }) => {
  const { clock } = createTestClock();
  const store = createOutboxStore(database, clock, ["webhook", "email"]);
  const notification = { kind: "key.used", data: { tokenId: "1" } };
  const id = await database.$transaction((transaction) => store.enqueue(transaction, notification));
  let lostId = "";
  const failing = database.$transaction(async (transaction) => {
    lostId = await store.enqueue(transaction, notification);
    throw new Error("rolled back");
  });
  await expect(failing).rejects.toThrow("rolled back");
  expect([await store.isQueued(id), await store.isQueued(lostId)]).toEqual([true, false]);
  const claimed = await store.claimDueDeliveries({ ...everything, claimant: "a" });
  expect(claimed.map(({ channel }) => channel).sort()).toEqual(["email", "webhook"]);
  const timestamp = new Date(clock()).toISOString();
  expect(JSON.parse(claimed[0]!.payload)).toEqual({ type: "key.used", timestamp, data: { tokenId: "1" } });
});
