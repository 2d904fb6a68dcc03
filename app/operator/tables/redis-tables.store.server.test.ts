import { describe, expect, test } from "vitest";
import { createRateLimiter } from "~/platform/limits/rate-limiter.server";
import { hasRedis } from "~e2e/support/databases/redis";
import { createRedisState, createStateClock } from "~e2e/support/databases/state";
import { readTable } from "./read-table.server";
import { createRedisTables } from "./redis-tables.store.server";
import { tableSpecs } from "./table-specs";
import { createTableStore } from "./tables.store.server";

const findLimit = () => ({ points: 50, windowSeconds: 60 });

describe.skipIf(!hasRedis)("the tables of what is in Redis", () => {
  async function openTables() {
    const state = await createRedisState();
    const { clock, advance } = createStateClock(state.redis);
    const { limits, quota, quotaWindows } = state.openStores({ clock });
    const { listOpenWindows } = quotaWindows;
    const tables = {
      ...createTableStore(state.database, clock),
      ...createRedisTables({ redis: state.redis!, listOpenWindows, findLimit, clock }),
    };
    const settings = { findLimit, findQuota: () => 100 };
    const flush = async () => {};
    const read = async (name: "quotas" | "limits", search = "") =>
      await readTable(tableSpecs[name], new URLSearchParams(search), { tables, settings, flush });
    return { clock, advance, limits, quota, read };
  }

  test("limits of both kinds are shown as one table, filtered, sorted and paged", async () => {
    const { clock, limits: store, read } = await openTables();
    const onStoreFailure = (error: unknown) => {
      throw error;
    };
    const shared = { store, points: 50, windowSeconds: 60, clock, onStoreFailure };
    const chat = createRateLimiter({ ...shared, name: "chat", algorithm: "fixed" });
    const nonce = createRateLimiter({ ...shared, name: "nonce", algorithm: "sliding" });
    for (let count = 0; count < 3; count++) await nonce.consume("192.0.2.1");
    for (let count = 0; count < 5; count++) await chat.consume("2001:db8::/64");
    for (let client = 0; client < 40; client++) await chat.consume(`198.51.100.${client}`);

    const { rows, total, hasNext } = await read("limits");
    expect([total, rows.length, hasNext]).toEqual([42, 25, true]);
    expect(rows[0]).toMatchObject({
      limiter: "chat",
      client: "2001:db8::/64",
      points: 5,
      allowed: "50 in 60 s",
    });
    const startedAtMs = Number(rows[0]!.startedAtMs);
    expect(Math.abs(startedAtMs - clock())).toBeLessThan(30_000);
    expect(rows[1]).toMatchObject({ limiter: "nonce", client: "192.0.2.1", points: 3, startedAtMs: clock() });
    // Redis keeps it by its own clock, which has gone on a little.
    const expiresAtMs = Number(rows[0]!.expiresAtMs);
    expect(expiresAtMs).toBeGreaterThan(clock() + 30_000);
    expect(expiresAtMs).toBeLessThanOrEqual(clock() + 60_000);
    const second = await read("limits", "page=2");
    const clients = [...rows, ...second.rows].map(({ limiter, client }) => `${limiter} ${client}`);
    expect(new Set(clients).size).toBe(42);
    const found = await read("limits", "limiter=chat&client=198.51.100.3&order=asc");
    expect(found.rows.map(({ client }) => client)).toContain("198.51.100.39");
    expect(found.total).toBe(11);
  });

  test("quotas are shown with their reservations for as long as their window is open", async () => {
    const { advance, quota, read } = await openTables();
    const owner = { kind: "token", subject: "31337:0xcc:1" } as const;
    await quota.reserve({ owner, wanted: 42, limit: 100, windowSeconds: 60, expiresInSeconds: 60 });
    const { rows, total } = await read("quotas");
    expect(total).toBe(1);
    expect(rows[0]).toMatchObject({ ...owner, used: 0, reserved: 42, limit: 100 });
    expect((await read("quotas", "kind=speech")).total).toBe(0);
    expect((await read("quotas", "subject=:1")).total).toBe(1);
    await advance(60_000);
    expect((await read("quotas")).total).toBe(0);
  });
});
