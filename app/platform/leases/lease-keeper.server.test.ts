import { expect, onTestFinished, test } from "vitest";
import { closeDatabase } from "~/platform/database/database.server";
import { createSqliteTestDatabase, createTestDatabase } from "~/testing/database";
import { waitUntil } from "~/testing/processes";
import { leaseNames } from "./lease";
import { createLeaseKeeper } from "./lease-keeper.server";
import { createLeaseStore } from "./leases.store.server";

async function createPlace({
  leaseSeconds,
  create = createTestDatabase,
}: {
  leaseSeconds: number;
  create?: typeof createTestDatabase;
}) {
  const { database } = await create();
  const store = createLeaseStore({ database });
  const said: string[] = [];
  const log = {
    info: (_fields: object, text: string) => void said.push(text),
    warn: (_fields: object, text: string) => void said.push(text),
  } as never;
  let asked = 0;
  const counting: typeof store = {
    ...store,
    takeOrRenew: (request) => {
      asked++;
      return store.takeOrRenew(request);
    },
  };
  const keeper = createLeaseKeeper({ store: counting, names: leaseNames, holder: "a", leaseSeconds, log });
  onTestFinished(() => keeper.stop());
  return { database, store, keeper, said, asked: () => asked };
}

test("a process that is alone has every lease from the first look, and pays one statement for all of them each time", async () => {
  const { database, keeper, asked } = await createPlace({ leaseSeconds: 60 });
  const gained: string[] = [];
  for (const name of leaseNames) keeper.of(name).onGain(() => gained.push(name));
  expect(keeper.readHeld()).toEqual({ outbox: false, sweeper: false, watcher: false });
  await keeper.start();
  expect(keeper.readHeld()).toEqual({ outbox: true, sweeper: true, watcher: true });
  expect(gained.sort()).toEqual([...leaseNames]);
  expect(asked()).toBe(1);
  await keeper.stop();
  expect(keeper.readHeld()).toEqual({ outbox: false, sweeper: false, watcher: false });
  expect((await database.lease.findMany()).map(({ expiresAtMs }) => expiresAtMs)).toEqual([0n, 0n, 0n]);
});

test("what is held is renewed before it lapses, and stays the same term", async () => {
  const leaseSeconds = 9;
  const { database, keeper, asked } = await createPlace({ leaseSeconds });
  await keeper.start();
  const startedAtMs = performance.now();
  await waitUntil(() => performance.now() - startedAtMs > 1_300 * leaseSeconds, { timeoutMs: 30_000 });
  expect(keeper.of("watcher").findHold()).not.toBe(null);
  expect(asked()).toBeGreaterThan(2);
  expect((await database.lease.findMany()).map(({ term }) => term)).toEqual([1n, 1n, 1n]);
});

test("a lease that cannot be renewed ends here by itself, which is said once, and comes back with the database", async () => {
  const { database, keeper, said, asked } = await createPlace({
    create: createSqliteTestDatabase,
    leaseSeconds: 0.3,
  });
  await keeper.start();
  await database.$queryRawUnsafe("PRAGMA query_only=ON");
  await waitUntil(() => keeper.of("watcher").findHold() === null);
  const before = asked();
  await waitUntil(() => asked() > before + 2);
  expect(said.filter((text) => text.includes("cannot be renewed"))).toHaveLength(1);
  await database.$queryRawUnsafe("PRAGMA query_only=OFF");
  await waitUntil(() => keeper.of("watcher").findHold() !== null);
  expect(said).toContain("leases are kept again");
});

test("a lease that somebody else has by now is given up and said so", async () => {
  const { database, store, keeper, said } = await createPlace({ leaseSeconds: 0.6 });
  await keeper.start();
  await database.lease.updateMany({ where: { name: "watcher" }, data: { expiresAtMs: 0n } });
  await store.takeOrRenew({ names: ["watcher"], holder: "b", leaseMs: 60_000 });
  await waitUntil(() => said.includes("another process does this work now"));
  expect(keeper.of("watcher").findHold()).toBe(null);
  expect(keeper.readHeld()).toMatchObject({ watcher: false });
});

test("stopping without a database ends all the same", async () => {
  const { database, keeper, said } = await createPlace({
    create: createSqliteTestDatabase,
    leaseSeconds: 60,
  });
  await keeper.start();
  await database.$queryRawUnsafe("PRAGMA query_only=ON");
  await keeper.stop();
  expect(said).toContain("leases could not be given back; they lapse by themselves");
  await closeDatabase(database);
});
