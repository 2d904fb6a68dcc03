import { expect, onTestFinished, test } from "vitest";
import { closeDatabase } from "~/platform/database/database.server";
import { createSqliteTestDatabase, createTestDatabase } from "~e2e/support/databases/database";
import { waitUntil } from "~e2e/support/processes";
import { createLeaseKeeper } from "./lease-keeper.server";
import { createLeaseStore } from "./leases.store.server";

async function createFixture(leaseSeconds: number, create: typeof createTestDatabase = createTestDatabase) {
  const { database } = await create();
  const store = createLeaseStore(database);
  const said: string[] = [];
  const log = {
    info: (_fields: object, text: string) => void said.push(text),
    warn: (_fields: object, text: string) => void said.push(text),
  } as never;
  let asked = 0;
  const counting: typeof store = {
    ...store,
    acquireOrRenew: (...request) => {
      asked++;
      return store.acquireOrRenew(...request);
    },
  };
  const keeper = createLeaseKeeper({ store: counting, owner: "a", leaseSeconds, log });
  const [watcher, payments] = [keeper.add("watcher"), keeper.add("payments")];
  onTestFinished(() => keeper.stop());
  return { database, store, keeper, watcher, payments, said, asked: () => asked };
}

const eachLease = (isHeld: boolean) => ({ watcher: isHeld, payments: isHeld });

test("a process that is alone acquires every lease at the first look, with one statement for all of them each time", async () => {
  const { database, keeper, watcher, payments, asked } = await createFixture(60);
  const gained: string[] = [];
  watcher.onAcquired(() => gained.push("watcher"));
  payments.onAcquired(() => gained.push("payments"));
  expect(keeper.readHeld()).toEqual(eachLease(false));
  await keeper.start();
  expect(keeper.readHeld()).toEqual(eachLease(true));
  expect(gained.sort()).toEqual(["payments", "watcher"]);
  expect(asked()).toBe(1);
  await keeper.stop();
  expect(keeper.readHeld()).toEqual(eachLease(false));
  expect((await database.lease.findMany()).map(({ expiresAtMs }) => expiresAtMs)).toEqual([0n, 0n]);
});

test("a lease is renewed before it expires, and its term stays the same", async () => {
  const leaseSeconds = 4;
  const { database, keeper, watcher, asked } = await createFixture(leaseSeconds);
  await keeper.start();
  const startedAtMs = performance.now();
  await waitUntil(() => performance.now() - startedAtMs > 1_300 * leaseSeconds, { timeoutMs: 30_000 });
  expect(watcher.findHold()).not.toBe(null);
  expect(asked()).toBeGreaterThan(2);
  expect((await database.lease.findMany()).map(({ term }) => term)).toEqual([1n, 1n]);
});

test("a lease that cannot be renewed expires here, is logged once, and is acquired again with the database", async () => {
  const { database, keeper, watcher, said, asked } = await createFixture(0.3, createSqliteTestDatabase);
  await keeper.start();
  await database.$queryRawUnsafe("PRAGMA query_only=ON");
  await waitUntil(() => watcher.findHold() === null);
  const before = asked();
  await waitUntil(() => asked() > before + 2);
  expect(said.filter((text) => text.includes("cannot be renewed"))).toHaveLength(1);
  await database.$queryRawUnsafe("PRAGMA query_only=OFF");
  await waitUntil(() => watcher.findHold() !== null);
  expect(said).toContain("leases can be renewed again");
});

test("a lease that another process has acquired is lost, and logged", async () => {
  const { database, store, keeper, watcher, said } = await createFixture(0.6);
  await keeper.start();
  await database.lease.updateMany({ where: { name: "watcher" }, data: { expiresAtMs: 0n } });
  await store.acquireOrRenew(["watcher"], "b", 60_000);
  await waitUntil(() => said.includes("lease lost"));
  expect(watcher.findHold()).toBe(null);
  expect(keeper.readHeld()).toMatchObject({ watcher: false });
});

test("the keeper stops even without a database", async () => {
  const { database, keeper, said } = await createFixture(60, createSqliteTestDatabase);
  await keeper.start();
  await database.$queryRawUnsafe("PRAGMA query_only=ON");
  await keeper.stop();
  expect(said).toContain("leases could not be released; they expire by themselves");
  await closeDatabase(database);
});

test("a lease whose work fails five times in a row is released, left to others for its length, and acquired again", async () => {
  const leaseSeconds = 1.5;
  const { store, keeper, watcher, said } = await createFixture(leaseSeconds);
  await keeper.start();
  const { findHold, noteFailure, noteSuccess } = watcher;
  const firstTerm = findHold()!.term;
  for (let count = 0; count < 4; count++) noteFailure();
  noteSuccess();
  for (let count = 0; count < 4; count++) noteFailure();
  expect(findHold()).not.toBe(null);
  const givenUpAtMs = performance.now();
  noteFailure();

  expect(findHold()).toBe(null);
  expect(said).toContain("lease released: its work keeps failing");
  expect(keeper.readHeld()).toEqual({ ...eachLease(true), watcher: false });
  // Another process has it with its next look, though this one goes on renewing the rest.
  const take = () => store.acquireOrRenew(["watcher"], "b", 500);
  await waitUntil(async () => (await take()).length === 1);
  expect(performance.now() - givenUpAtMs).toBeLessThan(1_000 * leaseSeconds);

  await waitUntil(() => findHold() !== null);
  expect(performance.now() - givenUpAtMs).toBeGreaterThanOrEqual(1_000 * leaseSeconds);
  expect(findHold()!.term).toBe(firstTerm + 2n);
});

test("a lease that is released while it is being renewed stays released", async () => {
  const { database, store } = await createFixture(60);
  const slow = { letGo: () => {} };
  const held = new Promise<void>((resolve) => (slow.letGo = resolve));
  let looks = 0;
  const slowKeeper = createLeaseKeeper({
    store: {
      ...store,
      async acquireOrRenew(...request) {
        const holds = await store.acquireOrRenew(...request);
        if (++looks === 2) await held;
        return holds;
      },
    },
    owner: "b",
    leaseSeconds: 1.5,
    log: { info: () => {}, warn: () => {} } as never,
  });
  const { findHold, noteFailure } = slowKeeper.add("watcher");
  onTestFinished(() => slowKeeper.stop());
  await slowKeeper.start();
  await waitUntil(() => looks === 2);
  for (let count = 0; count < 5; count++) noteFailure();
  slow.letGo();
  await waitUntil(async () =>
    (await database.lease.findMany()).some(({ expiresAtMs }) => expiresAtMs === 0n),
  );
  expect(findHold()).toBe(null);
});
