import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import type { Database } from "~/platform/database/database.server";
import { whileHeld } from "./lease-condition.store.server";
import { openTestDatabase, testOnEachDatabase } from "~e2e/support/databases/database";
import { waitUntil } from "~e2e/support/processes";
import type { LeaseHold } from "./lease";
import { createLeaseStore } from "./leases.store.server";

const minuteMs = 60_000;

function createTaker(database: Database) {
  const store = createLeaseStore(database);
  const take = async (owner: string, leaseMs = minuteMs) =>
    (await store.acquireOrRenew(["watcher"], owner, leaseMs))[0] ?? null;
  const release = (owner: string) => store.release(owner, ["watcher"]);
  const isHeld = async (hold: LeaseHold) => {
    const rows = await database.$queryRaw<unknown[]>`SELECT 1 AS "one" WHERE ${whileHeld(database, hold)}`;
    return rows.length === 1;
  };
  return { take, release, isHeld };
}

testOnEachDatabase(
  "a lease has one owner until it is released or expires, and renewing keeps its term",
  async ({ database }) => {
    const { take, release } = createTaker(database);
    expect(await take("a")).toEqual({ name: "watcher", owner: "a", term: 1n });
    expect(await take("a")).toMatchObject({ term: 1n });
    expect(await take("b")).toBe(null);
    await release("b");
    expect(await take("b")).toBe(null);
    await release("a");
    expect(await take("b", 30)).toMatchObject({ owner: "b", term: 2n });
    await waitUntil(async () => (await take("a", 30)) !== null);
    // An owner that acquires an expired lease again gets another term, because others may have worked in between.
    await delay(50);
    expect(await take("a")).toMatchObject({ owner: "a", term: 4n });
  },
);

testOnEachDatabase(
  "one of fifty concurrent callers, over two connections, acquires each lease",
  async ({ database, url }) => {
    const stores = [database, await openTestDatabase(url)].map((each) => createLeaseStore(each));
    const names = ["watcher", "payments"] as const;
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        stores[index % 2]!.acquireOrRenew(names, `h${index}`, minuteMs),
      ),
    );
    expect(
      answers
        .flat()
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...names].sort());
  },
);

testOnEachDatabase(
  "the database's clock decides who owns a lease, whatever time it is in the process",
  async ({ database }) => {
    const { take, isHeld } = createTaker(database);
    const before = Date.now();
    const hold = await take("a");
    const [row] = await database.lease.findMany();
    // One machine here, so the two clocks agree; the row was made by the database's.
    expect(Number(row?.expiresAtMs)).toBeGreaterThanOrEqual(before + minuteMs - 1);
    expect(Number(row?.expiresAtMs)).toBeLessThanOrEqual(Date.now() + minuteMs + 1);
    expect(await isHeld(hold!)).toBe(true);
    const realNow = Date.now;
    Date.now = () => realNow() + 10 * minuteMs;
    try {
      expect(await isHeld(hold!)).toBe(true);
      expect(await take("b")).toBe(null);
    } finally {
      Date.now = realNow;
    }
  },
);

testOnEachDatabase(
  "a lease from before the database's clock was set back excludes others for one lease length at most",
  async ({ database }) => {
    const { take, isHeld } = createTaker(database);
    const before = await take("a");
    const ahead = (ms: number) =>
      database.lease.updateMany({ data: { expiresAtMs: BigInt(Date.now() + ms) } });
    await ahead(2 * minuteMs);
    expect(await take("b")).toBe(null);
    await ahead(60 * minuteMs);
    expect(await take("b")).toMatchObject({ owner: "b", term: before!.term + 1n });
    expect(await isHeld(before!)).toBe(false);
    // The owner still renews it after the clock was set back.
    await ahead(60 * minuteMs);
    expect(await take("b")).toMatchObject({ owner: "b", term: before!.term + 1n });
  },
);
