import { expect, test } from "vitest";
import { countOutcomes, createSqliteTestDatabase } from "~e2e/support/databases/database";
import { createStateClock, testOnEachState } from "~e2e/support/databases/state";
import type { TestState } from "~e2e/support/databases/state";
import { createRateLimiter } from "./rate-limiter.server";
import type { RateLimiter } from "./rate-limiter.server";
import { createRateLimitStore } from "./rate-limits.store.server";
import type { WindowModel } from "./rate-limits.store.server";

type RateLimiterOptions = Parameters<typeof createRateLimiter>[0];

type LimiterSettings = Partial<RateLimiterOptions> & Pick<RateLimiterOptions, "store">;

function createLimiter(settings: LimiterSettings): RateLimiter {
  return createRateLimiter({
    name: "test",
    points: 60,
    windowSeconds: 60,
    algorithm: "fixed",
    clock: Date.now,
    onStoreFailure(error) {
      throw new Error("The store must not fail here.", { cause: error });
    },
    ...settings,
  });
}

type LimitCase = { state: TestState; algorithm: RateLimiterOptions["algorithm"] };

/** In Redis, a fixed window follows Redis's own clock, which keeps running during the test. */
function isByRedisClock({ state, algorithm }: LimitCase): boolean {
  return state.redis !== null && algorithm === "fixed";
}

/** How long before the end of a window a test may still look. */
function edgeMs(limitCase: LimitCase): number {
  return isByRedisClock(limitCase) ? 15_000 : 1;
}

async function countAllowed(limiter: RateLimiter, times: number, clientId = "a"): Promise<number> {
  const outcomes = await countOutcomes(times, async () => (await limiter.consume(clientId)).allowed);
  return outcomes.get(true) ?? 0;
}

for (const algorithm of ["fixed", "sliding"] as const) {
  testOnEachState(
    `a ${algorithm} limit of 60 admits exactly 60 of 200 concurrent requests`,
    async (state) => {
      const { clock, advance } = createStateClock(state.redis);
      const limiters = [state, await state.connectAgain()].map((one) =>
        createLimiter({ store: one.openStores({ clock }).limits, algorithm, clock }),
      );
      const race = () =>
        countOutcomes(200, async (index) => (await limiters[index % 2]?.consume("a"))?.allowed);
      expect(Object.fromEntries(await race())).toEqual({ true: 60, false: 140 });
      // Again with the rows of an expired window.
      await advance(60_000);
      expect(Object.fromEntries(await race())).toEqual({ true: 60, false: 140 });
    },
  );

  testOnEachState(`a ${algorithm} limit counts each client and each limiter apart`, async (state) => {
    const { limits: store } = state.openStores({ clock: Date.now });
    const limiter = createLimiter({ store, algorithm, points: 2 });
    const other = createLimiter({ store, algorithm, points: 2, name: "other" });
    expect(await countAllowed(limiter, 3)).toBe(2);
    expect(await countAllowed(limiter, 3, "b")).toBe(2);
    expect(await countAllowed(other, 3)).toBe(2);
  });

  testOnEachState(`a ${algorithm} limit reports what is left, and when to come back`, async (state) => {
    const { limits: store } = state.openStores({ clock: Date.now });
    const { clock, advance } = createStateClock(state.redis);
    const limiter = createLimiter({ store, algorithm, clock, points: 2 });
    const answer = { limit: 2, windowSeconds: 60 };
    const allowed = { ...answer, allowed: true, retryAfterSeconds: 0 };
    expect(await limiter.consume("a")).toEqual({ ...allowed, remaining: 1, resetSeconds: 60 });
    await advance(10_500);
    expect(await limiter.consume("a")).toEqual({ ...allowed, remaining: 0, resetSeconds: 50 });
    const refused = { ...answer, allowed: false, remaining: 0 };
    expect(await limiter.consume("a")).toEqual({ ...refused, retryAfterSeconds: 50, resetSeconds: 50 });
    const beforeMs = edgeMs({ state, algorithm });
    await advance(49_500 - beforeMs);
    const seconds = Math.ceil(beforeMs / 1_000);
    expect(await limiter.consume("a")).toEqual({
      ...refused,
      retryAfterSeconds: seconds,
      resetSeconds: seconds,
    });
    await advance(beforeMs);
    expect(await limiter.consume("a")).toMatchObject({ allowed: true });
  });

  testOnEachState(`a ${algorithm} limit obeys new settings at once`, async (state) => {
    const { limits: store } = state.openStores({ clock: Date.now });
    const { clock } = createStateClock(state.redis);
    expect(await countAllowed(createLimiter({ store, algorithm, clock, points: 5 }), 9)).toBe(5);
    expect(await countAllowed(createLimiter({ store, algorithm, clock, points: 3 }), 9)).toBe(0);
    // The library's stores count refusals too, so a raised limit applies from the next window.
    const more = algorithm === "fixed" ? 0 : 2;
    expect(await countAllowed(createLimiter({ store, algorithm, clock, points: 7 }), 9)).toBe(more);
  });

  testOnEachState(`a ${algorithm} limit is not stuck when the clock is set back`, async (state) => {
    const { limits: store } = state.openStores({ clock: Date.now });
    const { clock, advance } = createStateClock(state.redis);
    const limiter = createLimiter({ store, algorithm, clock, points: 2 });
    expect(await countAllowed(limiter, 3)).toBe(2);
    await advance(-3_600_000);
    if (isByRedisClock({ state, algorithm })) await advance(60_000);
    expect(await countAllowed(limiter, 3)).toBe(2);
  });
}

testOnEachState(
  "a fixed window begins with its first hit and refused hits do not prolong it",
  async (state) => {
    const { limits: store } = state.openStores({ clock: Date.now });
    const { clock, advance } = createStateClock(state.redis);
    const limiter = createLimiter({ store, clock, points: 3 });
    expect(await countAllowed(limiter, 1)).toBe(1);
    const beforeMs = edgeMs({ state, algorithm: "fixed" });
    await advance(60_000 - beforeMs);
    expect(await countAllowed(limiter, 10)).toBe(2);
    await advance(beforeMs);
    expect(await countAllowed(limiter, 10)).toBe(3);
  },
);

testOnEachState(
  "a sliding limit of 30 admits 30 in any 60 seconds, across the edges of minutes too",
  async (state) => {
    const { limits: store } = state.openStores({ clock: Date.now });
    const { clock, advance } = createStateClock(state.redis);
    const limiter = createLimiter({ store, clock, points: 30, algorithm: "sliding" });
    const admittedAtMs: number[] = [];
    // Uneven steps over six minutes, with pauses and bursts.
    for (let step = 0; step < 600; step++) {
      await advance(step % 97 === 0 ? 31_000 : (step * 7_919) % 1_201);
      if ((await limiter.consume("a")).allowed) admittedAtMs.push(clock());
    }
    for (const [index, atMs] of admittedAtMs.entries()) {
      const until = admittedAtMs.slice(index).filter((laterMs) => laterMs < atMs + 60_000);
      expect(until.length).toBeLessThanOrEqual(30);
    }
    expect(admittedAtMs.length).toBeGreaterThan(150);
  },
);

testOnEachState(
  "a burst at the end of one minute leaves nothing for the start of the next",
  async (state) => {
    const { limits: store } = state.openStores({ clock: Date.now });
    const { clock, advance } = createStateClock(state.redis, 1_700_000_040_000 + 59_000);
    const limiter = createLimiter({ store, clock, points: 30, algorithm: "sliding" });
    expect(await countAllowed(limiter, 40)).toBe(30);
    await advance(2_000);
    expect(await countAllowed(limiter, 40)).toBe(0);
    await advance(57_999);
    expect(await countAllowed(limiter, 40)).toBe(0);
    await advance(1);
    expect(await countAllowed(limiter, 40)).toBe(30);
  },
);

testOnEachState("a client that waits for Retry-After is admitted", async (state) => {
  const { limits: store } = state.openStores({ clock: Date.now });
  const { clock, advance } = createStateClock(state.redis);
  for (const algorithm of ["fixed", "sliding"] as const) {
    const limiter = createLimiter({
      store,
      clock,
      algorithm,
      name: algorithm,
      points: 4,
      windowSeconds: 7,
    });
    for (let round = 0; round < 40; round++) {
      await advance((round * 7_919) % 2_003);
      const { allowed, retryAfterSeconds } = await limiter.consume("a");
      if (allowed) continue;
      expect(Number.isInteger(retryAfterSeconds) && retryAfterSeconds >= 1).toBe(true);
      await advance(retryAfterSeconds * 1000);
      expect((await limiter.consume("a")).allowed).toBe(true);
    }
  }
});

test("a refused client is refused from memory until its window ends, without asking the store", async () => {
  const { clock, advance } = createStateClock(null);
  const { database } = await createSqliteTestDatabase();
  let asked = 0;
  const { openWindows, takeFromLog } = createRateLimitStore(database);
  const store = {
    takeFromLog,
    openWindows: (windowMs: number): WindowModel => {
      const { deleteMany, upsert } = openWindows(windowMs);
      return { deleteMany, upsert: (request) => ((asked += 1), upsert(request)) };
    },
  };
  const limiter = createLimiter({ store, clock, points: 2 });
  expect(await countAllowed(limiter, 3)).toBe(2);
  expect(await countAllowed(limiter, 1_000)).toBe(0);
  expect(asked).toBe(3);
  expect(await countAllowed(limiter, 1, "b")).toBe(1);
  await advance(60_000);
  expect(await countAllowed(limiter, 3)).toBe(2);
});

test("the number of refused clients kept in memory is bounded, and beyond it the store is asked again", async () => {
  const { clock } = createStateClock(null);
  let asked = 0;
  const refusing: WindowModel = {
    deleteMany: async () => ({ count: 0 }),
    upsert: async ({ create: { expire } }) => ((asked += 1), { points: 2, expire }),
  };
  const takeFromLog = () => Promise.reject(new Error("Not used here."));
  const store = { takeFromLog, openWindows: () => refusing };
  const limiter = createLimiter({ store, clock, points: 1 });
  for (let client = 0; client < 900; client += 1) await limiter.consume(`client ${client}`);
  await limiter.consume("client 0");
  expect(asked).toBe(900);
  await limiter.consume("one more");
  await limiter.consume("client 0");
  expect(asked).toBe(902);
});

test("limits are counted in the process when the database fails, and the failure is logged", async () => {
  const { database } = await createSqliteTestDatabase();
  const failures: unknown[] = [];
  for (const algorithm of ["fixed", "sliding"] as const) {
    const onStoreFailure = (error: unknown) => void failures.push(error);
    const limiter = createLimiter({
      store: createRateLimitStore(database),
      algorithm,
      name: algorithm,
      points: 5,
      onStoreFailure,
    });
    await database.$queryRawUnsafe("PRAGMA query_only=ON");
    expect(await countAllowed(limiter, 20)).toBe(5);
    expect(await limiter.consume("a")).toMatchObject({ allowed: false, remaining: 0, limit: 5 });
    expect((await limiter.consume("a")).retryAfterSeconds).toBeGreaterThanOrEqual(1);
    expect(await countAllowed(limiter, 20, "b")).toBe(5);
    await database.$queryRawUnsafe("PRAGMA query_only=OFF");
    expect(await countAllowed(limiter, 20)).toBe(5);
  }
  expect(failures.length).toBe(2 * 42);
  expect(String(failures[0])).toMatch(/readonly/);
});

test("a sliding limit counts in fixed windows while the database fails", async () => {
  const { database } = await createSqliteTestDatabase();
  const { clock, advance } = createStateClock(null);
  const limiter = createLimiter({
    store: createRateLimitStore(database),
    clock,
    onStoreFailure: () => {},
    points: 30,
    algorithm: "sliding",
  });
  await database.$queryRawUnsafe("PRAGMA query_only=ON");
  expect(await countAllowed(limiter, 40)).toBe(30);
  await advance(59_999);
  expect(await countAllowed(limiter, 40)).toBe(0);
  expect((await limiter.consume("a")).retryAfterSeconds).toBe(1);
  await advance(1);
  expect(await countAllowed(limiter, 40)).toBe(30);
  await advance(-3_600_000);
  expect(await countAllowed(limiter, 40)).toBe(30);
  // More clients than are kept beyond their window.
  for (let client = 0; client < 1_100; client++) await limiter.consume(`client ${client}`);
  expect(await countAllowed(limiter, 1)).toBe(0);
});
