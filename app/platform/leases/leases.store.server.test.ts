import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import type { Database } from "~/platform/database/database.server";
import { openTestDatabase, testOnEachDatabase } from "~/testing/database";
import { waitUntil } from "~/testing/processes";
import { createLeaseStore } from "./leases.store.server";

const minuteMs = 60_000;

function createTaker(database: Database) {
  const store = createLeaseStore({ database });
  const take = async (holder: string, leaseMs = minuteMs) =>
    (await store.takeOrRenew({ names: ["watcher"], holder, leaseMs }))[0] ?? null;
  return { ...store, take };
}

testOnEachDatabase(
  "a lease is held by one until it is given back or lapses, and renewing keeps its term",
  async ({ database }) => {
    const { take, release } = createTaker(database);
    expect(await take("a")).toEqual({ name: "watcher", holder: "a", term: 1n });
    expect(await take("a")).toMatchObject({ term: 1n });
    expect(await take("b")).toBe(null);
    await release({ holder: "b" });
    expect(await take("b")).toBe(null);
    await release({ holder: "a" });
    expect(await take("b", 30)).toMatchObject({ holder: "b", term: 2n });
    await waitUntil(async () => (await take("a", 30)) !== null);
    // What lapsed and came back to the same holder is another term: somebody else may have worked in between.
    await delay(50);
    expect(await take("a")).toMatchObject({ holder: "a", term: 4n });
  },
);

testOnEachDatabase(
  "of fifty that ask at once, over two connections, one gets each lease",
  async ({ database, url }) => {
    const stores = [database, await openTestDatabase(url)].map((each) =>
      createLeaseStore({ database: each }),
    );
    const names = ["watcher", "outbox", "sweeper"] as const;
    const request = (index: number) => ({ names, holder: `h${index}`, leaseMs: minuteMs });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => stores[index % 2]!.takeOrRenew(request(index))),
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
  "the database's clock decides, whatever time it is in the process",
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
  "a lease from before the database's clock was set back keeps nobody out for longer than leases last",
  async ({ database }) => {
    const { take, isHeld } = createTaker(database);
    const before = await take("a");
    const ahead = (ms: number) =>
      database.lease.updateMany({ data: { expiresAtMs: BigInt(Date.now() + ms) } });
    await ahead(2 * minuteMs);
    expect(await take("b")).toBe(null);
    await ahead(60 * minuteMs);
    expect(await take("b")).toMatchObject({ holder: "b", term: before!.term + 1n });
    expect(await isHeld(before!)).toBe(false);
    // Whoever has it still after the clock was set back renews it, as ever.
    await ahead(60 * minuteMs);
    expect(await take("b")).toMatchObject({ holder: "b", term: before!.term + 1n });
  },
);
