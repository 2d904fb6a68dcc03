import { expect, test } from "vitest";
import { createMemoryLimits } from "./memory-limits.server";
import { createRateLimiter } from "./rate-limiter.server";

const windowMs = 60_000;
const hitOf = (key: string, nowMs = 1_000_000) => ({ key, points: 3, windowMs, nowMs });

test("a window admits its points, reports where it stands, and restarts when it has expired or is dated in the future", () => {
  const { take } = createMemoryLimits();
  const startedAtMs = 1_000_000;
  for (const points of [1, 2, 3]) expect(take(hitOf("a"))).toEqual({ isAdmitted: true, startedAtMs, points });
  const late = hitOf("a", startedAtMs + windowMs - 1);
  expect(take(late)).toEqual({ isAdmitted: false, startedAtMs, points: 3 });
  expect(take(hitOf("a", startedAtMs + windowMs))).toMatchObject({ isAdmitted: true, points: 1 });
  expect(take(hitOf("a", startedAtMs - windowMs))).toMatchObject({ isAdmitted: true, points: 1 });
});

test("the clients seen longest ago are forgotten beyond the maximum, and the others keep their limit", () => {
  const limits = createMemoryLimits({ maxClients: 100 });
  const admit = (key: string) => limits.take(hitOf(key)).isAdmitted;
  for (let count = 0; count < 3; count += 1) expect(admit("busy")).toBe(true);
  for (let client = 0; client < 1_000; client += 1) {
    limits.take(hitOf(`client ${client}`));
    // A client that keeps coming is not evicted.
    if (client % 50 === 0) expect(admit("busy")).toBe(false);
  }
  expect(limits.size()).toBe(100);
  expect(admit("client 999")).toBe(true);
  for (let client = 0; client < 100; client += 1) limits.take(hitOf(`later ${client}`));
  expect(admit("busy")).toBe(true);
});

test("a client forgotten while its limit is in force is reported, one forgotten afterwards is not", () => {
  let forgotten = 0;
  const limits = createMemoryLimits({ maxClients: 10, onForgotten: () => void (forgotten += 1) });
  const [nowMs, laterMs] = [1_000_000, 1_000_000 + windowMs];
  for (let client = 0; client < 10; client += 1) limits.take(hitOf(`client ${client}`, nowMs));
  expect(forgotten).toBe(0);
  limits.take(hitOf("one too many", nowMs + windowMs - 1));
  expect(forgotten).toBe(1);
  for (let client = 0; client < 9; client += 1) limits.take(hitOf(`later ${client}`, laterMs));
  expect(forgotten).toBe(1);
});

test("a hundred thousand clients during a database outage cost little time and bounded memory", async () => {
  const away = () => Promise.reject(new Error("The database is away."));
  for (const algorithm of ["fixed", "sliding"] as const) {
    let failures = 0;
    const limiter = createRateLimiter({
      store: { openWindows: () => ({ deleteMany: away, upsert: away }), takeFromLog: away },
      name: algorithm,
      points: 5,
      windowSeconds: 60,
      algorithm,
      clock: () => 1_000_000,
      onStoreFailure: () => void (failures += 1),
    });
    const before = process.cpuUsage();
    for (let client = 0; client < 100_000; client += 1) await limiter.consume(`client ${client}`);
    // Looking through all clients at each hit took minutes.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(20_000);
    expect(failures).toBe(100_000);
    for (let hit = 0; hit < 5; hit += 1)
      expect((await limiter.consume("one more")).allowed, algorithm).toBe(true);
    expect((await limiter.consume("one more")).allowed).toBe(false);
  }
}, 120_000);
