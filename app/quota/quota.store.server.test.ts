import { expect } from "vitest";
import {
  createPostgresqlTestDatabase,
  createTestClock,
  openTestDatabase,
  testOnPostgresql,
} from "~e2e/support/databases/database";
import { waitUntil } from "~e2e/support/processes";
import { testOnEachState } from "~e2e/support/databases/state";
import { createQuotaStore } from "./quota.store.server";
import type { ReserveOutcome, ReserveRequest } from "./quota.store.server";
import { ownerOfAddress, ownerOfKey, quotaKinds } from "./quota-subject";
import type { QuotaOwner } from "./quota-subject";

const limit = 20_000;
const windowSeconds = 86_400;
const key = { chainId: 31337, contractAddress: "0xABCD", tokenId: "7" };
const owner = ownerOfKey(key);

function request(changes: Partial<ReserveRequest> = {}): ReserveRequest {
  return { owner, wanted: 2_000, limit, windowSeconds, expiresInSeconds: 60, ...changes };
}

type Reserved = Extract<ReserveOutcome, { outcome: "reserved" }>;

function asReserved(outcome: ReserveOutcome): Reserved {
  if (outcome.outcome !== "reserved") throw new Error("The quota is exhausted.");
  return outcome;
}

for (const kind of ["token", "crypto"] as const) {
  testOnEachState(`a ${kind} window opens at its first use, counts and settles`, async (state) => {
    const { clock, advance } = createTestClock();
    const store = state.openStores({ clock, instance: "a" }).quota;
    const mine: QuotaOwner = kind === "token" ? owner : ownerOfAddress("0xF00");
    expect(await store.readStanding({ owner: mine, limit })).toEqual({
      limit,
      used: 0,
      reserved: 0,
      remaining: limit,
      resetAtMs: null,
    });
    const resetAtMs = clock() + windowSeconds * 1000;
    const first = asReserved(await store.reserve(request({ owner: mine })));
    expect(first).toMatchObject({
      amount: 2_000,
      used: 0,
      reserved: 2_000,
      remaining: 18_000,
      limit,
      resetAtMs,
    });
    advance(1_000);
    expect(await store.settle({ reservationId: first.reservationId, usedTokens: 310.2 })).toBe(true);
    expect(await store.readStanding({ owner: mine, limit })).toEqual({
      limit,
      used: 311,
      reserved: 0,
      remaining: limit - 311,
      resetAtMs,
    });
  });
}

testOnEachState(
  "quotas are kept apart by kind, chain, contract and key, whatever the case of an address",
  async (state) => {
    const store = state.openStores({ clock: createTestClock().clock, instance: "a" }).quota;
    await store.reserve(request());
    const others = [
      ownerOfKey({ ...key, tokenId: "8" }),
      ownerOfKey({ ...key, chainId: 1 }),
      ownerOfKey({ ...key, contractAddress: "0xabce" }),
      { kind: quotaKinds[1], subject: owner.subject },
    ];
    for (const other of others) expect((await store.readStanding({ owner: other, limit })).reserved).toBe(0);
    const same = ownerOfKey({ ...key, contractAddress: "0xabcd" });
    expect((await store.readStanding({ owner: same, limit })).reserved).toBe(2_000);
  },
);

testOnEachState(
  "the last answer gets what is left, and the next one is told when the window resets",
  async (state) => {
    const { clock } = createTestClock();
    const store = state.openStores({ clock, instance: "a" }).quota;
    const first = asReserved(await store.reserve(request({ wanted: 19_999 })));
    expect(asReserved(await store.reserve(request()))).toMatchObject({ amount: 1, remaining: 0 });
    expect(await store.reserve(request())).toMatchObject({
      outcome: "exhausted",
      remaining: 0,
      resetAtMs: first.resetAtMs,
    });
    // The unused part of a reservation is available again.
    await store.settle({ reservationId: first.reservationId, usedTokens: 17_999 });
    expect(asReserved(await store.reserve(request({ wanted: 5_000 }))).amount).toBe(2_000);
  },
);

testOnEachState(
  "a refusal shows what is reserved and when the first reservation must end, unless use alone refuses",
  async (state) => {
    const { clock, advance } = createTestClock();
    const store = state.openStores({ clock, instance: "a" }).quota;
    const startMs = clock();
    // A reservation expires a minute after its reply must have ended: here after 40 and 30 seconds.
    const long = asReserved(await store.reserve(request({ wanted: 15_000, expiresInSeconds: 100 })));
    advance(1_000);
    const short = asReserved(await store.reserve(request({ wanted: 5_000, expiresInSeconds: 90 })));
    await store.reserve(request({ owner: ownerOfKey({ ...key, tokenId: "8" }), expiresInSeconds: 61 }));
    const refused = { outcome: "exhausted", remaining: 0, resetAtMs: long.resetAtMs };
    expect(await store.reserve(request())).toEqual({
      ...refused,
      reservations: { amount: limit, endsAtMs: startMs + 31_000 },
    });
    // The reservation that should have ended isn't settled. It counts until it expires.
    advance(30_000);
    expect(await store.reserve(request())).toMatchObject({ reservations: { endsAtMs: startMs + 40_000 } });
    advance(10_000);
    expect(await store.reserve(request())).toMatchObject({ reservations: { endsAtMs: startMs + 91_000 } });

    await store.settle({ reservationId: short.reservationId, usedTokens: 5_000 });
    expect(await store.reserve(request({ wanted: 6_000, minimum: 6_000 }))).toMatchObject({
      reservations: { amount: 15_000 },
    });
    // 15,000 would fit if the other one used nothing, but not one more.
    expect(await store.reserve(request({ minimum: 15_000 }))).toMatchObject({
      reservations: { amount: 15_000 },
    });
    expect(await store.reserve(request({ minimum: 15_001 }))).toEqual({ ...refused, reservations: null });
    await store.settle({ reservationId: long.reservationId, usedTokens: 15_000 });
    expect(await store.reserve(request())).toEqual({ ...refused, reservations: null });
  },
);

testOnEachState(
  "a window lasts until the millisecond before its reset, and is new at the reset",
  async (state) => {
    const { clock, advance } = createTestClock();
    const store = state.openStores({ clock, instance: "a" }).quota;
    const { resetAtMs, reservationId } = asReserved(await store.reserve(request({ wanted: limit })));
    await store.settle({ reservationId, usedTokens: limit });
    advance(windowSeconds * 1000 - 1);
    expect((await store.reserve(request())).outcome).toBe("exhausted");
    expect(await store.readStanding({ owner, limit })).toMatchObject({ used: limit, resetAtMs });
    advance(1);
    expect(await store.readStanding({ owner, limit })).toMatchObject({ used: 0, resetAtMs: null });
    expect(asReserved(await store.reserve(request()))).toMatchObject({
      amount: 2_000,
      used: 0,
      reserved: 2_000,
      resetAtMs: resetAtMs + windowSeconds * 1000,
    });
  },
);

testOnEachState(
  "an answer from an old window counts neither as reserved nor as used in the new one",
  async (state) => {
    const { clock, advance } = createTestClock();
    const store = state.openStores({ clock, instance: "a" }).quota;
    const old = asReserved(await store.reserve(request({ wanted: 15_000 })));
    advance(windowSeconds * 1000);
    const fresh = asReserved(await store.reserve(request({ wanted: limit })));
    expect(fresh.amount).toBe(limit);
    expect(await store.settle({ reservationId: old.reservationId, usedTokens: 15_000 })).toBe(true);
    expect(await store.readStanding({ owner, limit })).toMatchObject({ used: 0, reserved: limit });
  },
);

testOnEachState("a window from before the clock was set back does not lock its key out", async (state) => {
  const { clock, advance } = createTestClock();
  const store = state.openStores({ clock, instance: "a" }).quota;
  advance(400 * 86_400_000);
  const { reservationId } = asReserved(await store.reserve(request({ wanted: limit })));
  await store.settle({ reservationId, usedTokens: limit });
  advance(-400 * 86_400_000);
  expect(asReserved(await store.reserve(request()))).toMatchObject({
    used: 0,
    resetAtMs: clock() + windowSeconds * 1000,
  });
});

testOnEachState("a lower limit than what is used leaves nothing, a higher one leaves more", async (state) => {
  const store = state.openStores({ clock: createTestClock().clock, instance: "a" }).quota;
  const { reservationId } = asReserved(await store.reserve(request({ wanted: 10_000 })));
  await store.settle({ reservationId, usedTokens: 10_000 });
  expect((await store.reserve(request({ limit: 5_000 }))).outcome).toBe("exhausted");
  expect(await store.readStanding({ owner, limit: 5_000 })).toMatchObject({ used: 10_000, remaining: 0 });
  expect(asReserved(await store.reserve(request({ limit: 10_001 }))).amount).toBe(1);
});

testOnEachState("100 concurrent answers at the limit reserve exactly what is left", async (state) => {
  const { clock } = createTestClock();
  const stores = [state, await state.connectAgain()].map((one) => one.openStores({ clock }).quota);
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, (_, index) => stores[index % 2]!.reserve(request({ wanted: 900 }))),
  );
  const amounts = outcomes.flatMap((outcome) => (outcome.outcome === "reserved" ? [outcome.amount] : []));
  expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBe(limit);
  // 22 whole replies, and one cut to the remainder.
  expect(amounts.sort((a, b) => a - b)).toEqual([200, ...Array.from({ length: 22 }, () => 900)]);
  expect(await stores[0]!.readStanding({ owner, limit })).toMatchObject({
    used: 0,
    reserved: limit,
    remaining: 0,
  });
});

testOnEachState("concurrent answers that begin and end never use more than the limit", async (state) => {
  const { clock } = createTestClock();
  const stores = [state, await state.connectAgain()].map((one) => one.openStores({ clock }).quota);
  let settledTokens = 0;
  await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const store = stores[index % 2]!;
      const outcome = await store.reserve(request({ wanted: 700 }));
      if (outcome.outcome === "exhausted") return;
      const usedTokens = Math.min(outcome.amount, 500);
      settledTokens += usedTokens;
      await store.settle({ reservationId: outcome.reservationId, usedTokens });
    }),
  );
  const standing = await stores[0]!.readStanding({ owner, limit });
  expect(standing).toMatchObject({ used: settledTokens, reserved: 0 });
  expect(standing.used).toBeLessThanOrEqual(limit);
  // 28 whole replies fit at once, in any order.
  expect(standing.used).toBeGreaterThanOrEqual(28 * 500);
});

testOnEachState("what is asked for at once counts for each key by itself", async (state) => {
  const store = state.openStores({ clock: createTestClock().clock }).quota;
  const owners = ["1", "2", "3"].map((tokenId) => ownerOfKey({ ...key, tokenId }));
  const asked = [...owners, ...owners, owners[0]!].map((each) =>
    store.reserve(request({ owner: each, wanted: 8_000 })),
  );
  const amounts = (await Promise.all(asked)).map((outcome) => asReserved(outcome).amount);
  // The database decides which of the first key's three gets the rest.
  expect(amounts.sort((one, other) => one - other)).toEqual([4_000, ...Array<number>(6).fill(8_000)]);
  const standings = await Promise.all(owners.map((each) => store.readStanding({ owner: each, limit })));
  expect(standings.map(({ reserved }) => reserved)).toEqual([limit, 16_000, 16_000]);
});

testOnPostgresql("a window that another process holds keeps no other key waiting", async () => {
  const { database, url } = await createPostgresqlTestDatabase();
  const store = createQuotaStore(database, createTestClock().clock, "a");
  const other = ownerOfKey({ ...key, tokenId: "8" });
  const done: string[] = [];
  const reserve = async (name: string, of: QuotaOwner) => {
    asReserved(await store.reserve(request({ owner: of })));
    done.push(name);
  };
  await reserve("first", owner);
  const holder = await openTestDatabase(url);
  const { held } = await holder.$transaction(async (transaction) => {
    await transaction.quotaWindow.updateMany({ data: { used: 1 } });
    const held = reserve("held", owner);
    await Promise.all([reserve("free", other), reserve("free", other)]);
    done.push("released");
    return { held };
  });
  await held;
  expect(done).toEqual(["first", "free", "free", "released", "held"]);
  expect(await store.readStanding({ owner, limit })).toMatchObject({ used: 1, reserved: 4_000 });
});

testOnPostgresql("a PostgreSQL with strict isolation gives the same result after retries", async () => {
  const { database, url } = await createPostgresqlTestDatabase();
  const name = new URL(url).pathname.slice(1);
  await database.$executeRawUnsafe(
    `ALTER DATABASE ${name} SET default_transaction_isolation TO 'serializable'`,
  );
  const store = createQuotaStore(await openTestDatabase(url), createTestClock().clock, "a");
  const outcomes = await Promise.all(
    Array.from({ length: 40 }, () => store.reserve(request({ wanted: 900 }))),
  );
  const won = outcomes.flatMap((outcome) => (outcome.outcome === "reserved" ? [outcome] : []));
  expect(won.reduce((sum, { amount }) => sum + amount, 0)).toBe(limit);
  await Promise.all(won.map(({ reservationId }) => store.settle({ reservationId, usedTokens: 800 })));
  expect(await store.readStanding({ owner, limit })).toMatchObject({ used: 23 * 800, reserved: 0 });
});

testOnEachState(
  "a reservation is settled exactly once, however often and by whichever process",
  async (state) => {
    const { clock, advance } = createTestClock();
    const stores = [state, await state.connectAgain()].map((one) => one.openStores({ clock }).quota);
    const { reservationId } = asReserved(await stores[0]!.reserve(request()));
    advance(60_000);
    const won = await Promise.all([
      ...Array.from({ length: 20 }, (_, index) =>
        stores[index % 2]!.settle({ reservationId, usedTokens: 2_000 }),
      ),
      ...stores.map(async (store) => (await store.settleOrphans({ nowMs: clock() })) === 1),
    ]);
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await stores[0]!.readStanding({ owner, limit })).toMatchObject({ used: 2_000, reserved: 0 });
    expect(await stores[0]!.settle({ reservationId, usedTokens: 5 })).toBe(false);
    expect(await stores[0]!.settle({ reservationId: "never-was", usedTokens: 5 })).toBe(false);
  },
);

testOnEachState("an unsettled reservation counts in full from the moment it expires", async (state) => {
  const { clock, advance } = createTestClock();
  const store = state.openStores({ clock, instance: "a" }).quota;
  await store.reserve(request({ wanted: 1_500 }));
  advance(59_999);
  expect(await store.settleOrphans({ nowMs: clock() })).toBe(0);
  expect(await store.readStanding({ owner, limit })).toMatchObject({ used: 0, reserved: 1_500 });
  advance(1);
  expect(await store.settleOrphans({ nowMs: clock() })).toBe(1);
  expect(await store.readStanding({ owner, limit })).toMatchObject({ used: 1_500, reserved: 0 });
  expect(await store.settleOrphans({ nowMs: clock() })).toBe(0);
});

testOnEachState(
  "reservations of a dead process are settled before they expire, and no others",
  async (state) => {
    const { clock } = createTestClock();
    const gone = state.openStores({ clock, instance: "gone" }).quota;
    const alive = state.openStores({ clock, instance: "alive" }).quota;
    await gone.reserve(request({ wanted: 100 }));
    await alive.reserve(request({ wanted: 10 }));
    expect(await alive.settleOrphans({ nowMs: clock(), goneInstances: ["gone"] })).toBe(1);
    expect(await alive.readStanding({ owner, limit })).toMatchObject({ used: 100, reserved: 10 });
  },
);

testOnEachState(
  "of a dead process, answers that are still under way hide no other reservation, and it stays listed until they have ended",
  async (state) => {
    const { clock } = createTestClock();
    const [gone, alive] = ["gone", "alive"].map((instance) => state.openStores({ clock, instance }).quota);
    const kept = Array.from({ length: 210 }, (_, index) => `a-${index}`);
    await Promise.all(
      [...kept, "z"].map((reservationId) => gone!.reserve(request({ wanted: 10, reservationId }))),
    );
    await gone!.sendHeartbeat({ timeoutMs: 60_000 });
    await gone!.leave();
    let isUnderWay = true;
    const findUsages = (ids: readonly string[]) =>
      Promise.resolve(
        new Map(ids.filter((id) => id !== "z").map((id) => [id, { usedTokens: 4, isUnderWay }])),
      );
    const settleOnce = () => alive!.settleOrphans({ nowMs: clock(), goneInstances: ["gone"], findUsages });

    expect([await settleOnce(), await settleOnce()]).toEqual([1, 0]);
    await alive!.forgetInstances(["gone"]);
    expect(await alive!.listGoneInstances()).toEqual(["gone"]);
    isUnderWay = false;
    expect([await settleOnce(), await settleOnce(), await settleOnce()]).toEqual([200, 10, 0]);
    expect(await alive!.readStanding({ owner, limit })).toMatchObject({ used: 850, reserved: 0 });
    await alive!.forgetInstances(["gone"]);
    expect(await alive!.listGoneInstances()).toEqual([]);
  },
);

testOnEachState(
  "a process is dead once its heartbeat has timed out or it has left, and alive again with the next heartbeat",
  async (state) => {
    const { clock } = createTestClock();
    const [one, other] = ["one", "other"].map((instance) => state.openStores({ clock, instance }).quota);
    expect(await one!.listGoneInstances()).toEqual([]);
    expect(await one!.sendHeartbeat({ timeoutMs: 60_000 })).toBe(false);
    expect(await one!.sendHeartbeat({ timeoutMs: 60_000 })).toBe(true);
    expect(await other!.sendHeartbeat({ timeoutMs: 1 })).toBe(false);
    await waitUntil(async () => (await one!.listGoneInstances()).length > 0);
    expect(await one!.listGoneInstances()).toEqual(["other"]);
    expect(await other!.sendHeartbeat({ timeoutMs: 60_000 })).toBe(false);
    expect(await one!.listGoneInstances()).toEqual([]);
    // Back, so it stays.
    await one!.forgetInstances(["other"]);
    expect(await other!.sendHeartbeat({ timeoutMs: 60_000 })).toBe(true);
    await other!.leave();
    expect(await one!.listGoneInstances()).toEqual(["other"]);
    await one!.forgetInstances(["one", "other"]);
    expect(await one!.listGoneInstances()).toEqual([]);
    expect(await one!.sendHeartbeat({ timeoutMs: 60_000 })).toBe(true);
  },
);
