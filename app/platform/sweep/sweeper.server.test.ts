import { expect, onTestFinished, test, vi } from "vitest";
import {
  createSqliteTestDatabase,
  createTestClock,
  createTestDatabase,
  openTestDatabase,
  testOnEachDatabase,
} from "~e2e/support/databases/database";
import type { Database } from "~/platform/database/database.server";
import { createSweepStore } from "./sweep.store.server";
import { createSweeper } from "./sweeper.server";

type SweeperOptions = Parameters<typeof createSweeper>[0];

const dayMs = 86_400_000;
const hourMs = 3_600_000;

type SweeperSettings = Partial<SweeperOptions> & { database: Database };

function createTestSweeper({ database, ...settings }: SweeperSettings) {
  const sweeper = createSweeper({
    store: createSweepStore(database),
    clock: createTestClock().clock,
    intervalSeconds: 0.01,
    onFailure(error) {
      throw error;
    },
    ...settings,
  });
  onTestFinished(() => sweeper.stop());
  return sweeper;
}

async function addNonce(database: Database, value: string, expiresAtMs: number) {
  await database.nonce.create({
    data: { value, clientId: "c", issuedAtMs: 1n, expiresAtMs: BigInt(expiresAtMs), consumedAtMs: 1n },
  });
}

testOnEachDatabase(
  "expired rows are deleted, to the millisecond, and all others stay",
  async ({ database }) => {
    const { clock } = createTestClock();
    for (const [name, expiresAtMs] of [
      ["old", clock()],
      ["new", clock() + 1],
    ] as const) {
      await addNonce(database, name, expiresAtMs);
      const expires = { expiresAtMs: BigInt(expiresAtMs) };
      const spent = { expiresAtMs: BigInt(expiresAtMs - dayMs) };
      await database.spentSignature.create({ data: { digest: name, ...spent } });
      await database.rateLimitWindow.create({ data: { key: name, startedAtMs: 1n, points: 1, ...expires } });
      await database.rateLimitLog.create({ data: { key: name, hits: "", ...expires } });
      const ofNobody = { owner: "", conversationId: name };
      await database.keptAnswer.create({ data: { id: name, ...ofNobody, leaseExpiresAtMs: 1n, ...expires } });
      await database.keptPiece.create({
        data: { answerId: name, firstId: 1, lastId: 1, bytes: 1, text: "1" },
      });
      const quota = { kind: "token", subject: name, used: 1, windowStartMs: 1n };
      await database.quotaWindow.create({ data: { ...quota, resetAtMs: BigInt(expiresAtMs) } });
    }
    // Under way: its writer's lease has expired, and it is to be concluded first.
    const underWay = { id: "under way", owner: "", conversationId: "c" };
    await database.keptAnswer.create({ data: { ...underWay, leaseExpiresAtMs: 1n } });
    // The longest life of a token, and an hour on top.
    const keptSinceMs = clock() - dayMs - hourMs;
    const key = { chainId: 1n, contractAddress: "0x", tokenId: "1" };
    for (const [holder, departedAtMs] of [
      ["old", keptSinceMs - 1],
      ["new", keptSinceMs],
    ] as const) {
      await database.keyDeparture.create({ data: { ...key, holder, departedAtMs: BigInt(departedAtMs) } });
    }
    await database.usedKey.create({ data: { ...key, usedBy: "somebody", usedAtMs: 1n } });

    await createTestSweeper({ database, clock }).sweep();

    expect(await database.nonce.findMany()).toMatchObject([{ value: "new" }]);
    expect(await database.spentSignature.findMany()).toMatchObject([{ digest: "new" }]);
    expect(await database.rateLimitWindow.findMany()).toMatchObject([{ key: "new" }]);
    expect(await database.rateLimitLog.findMany()).toMatchObject([{ key: "new" }]);
    expect(await database.quotaWindow.findMany()).toMatchObject([{ subject: "new" }]);
    expect(await database.keyDeparture.findMany()).toMatchObject([{ holder: "new" }]);
    expect((await database.keptAnswer.findMany()).map(({ id }) => id).sort()).toEqual(["new", "under way"]);
    expect(await database.keptPiece.findMany()).toMatchObject([{ answerId: "new" }]);
    expect(await database.usedKey.count()).toBe(1);
  },
);

test("one sweep runs as many batches as it needs", async () => {
  const { database } = await createTestDatabase();
  for (let index = 0; index < 25; index++) await addNonce(database, `n${index}`, 1);
  const store = createSweepStore(database);
  const batches: number[] = [];
  const counting = {
    async deleteBatch(request: Parameters<typeof store.deleteBatch>[0]) {
      const count = await store.deleteBatch(request);
      batches.push(count);
      return count;
    },
  };
  await createTestSweeper({ database, store: counting, batchSize: 10 }).sweep();
  expect(batches).toEqual([10, 10, 5]);
  expect(await database.nonce.count()).toBe(0);
});

test("answers that hold more than a batch are swept whole, and one that has not expired stays", async () => {
  const { database } = await createTestDatabase();
  const answers = Array.from({ length: 25 }, (_, index) => `answer-${index}`);
  for (const id of [...answers, "kept"]) {
    const expiresAtMs = id === "kept" ? 9_000_000_000_000n : 1n;
    await database.keptAnswer.create({
      data: { id, owner: "", conversationId: id, leaseExpiresAtMs: 1n, expiresAtMs },
    });
    const pieces = [1, 2, 3].map((at) => ({ answerId: id, firstId: at, lastId: at, bytes: 1, text: "1" }));
    await database.keptPiece.createMany({ data: pieces });
  }
  await createTestSweeper({ database, batchSize: 4 }).sweep();
  expect(await database.keptAnswer.findMany()).toMatchObject([{ id: "kept" }]);
  expect(await database.keptPiece.count()).toBe(3);
});

test("a started sweeper sweeps repeatedly, after failures too, until it is stopped", async () => {
  const { database } = await createSqliteTestDatabase();
  const failures: unknown[] = [];
  const sweeper = createTestSweeper({ database, onFailure: (error) => void failures.push(error) });
  const isSwept = () => vi.waitFor(async () => expect(await database.nonce.count()).toBe(0));
  sweeper.start();
  await addNonce(database, "first", 1);
  await isSwept();

  await database.$queryRawUnsafe("PRAGMA query_only=ON");
  await vi.waitFor(() => expect(failures.length).toBeGreaterThan(1));
  await database.$queryRawUnsafe("PRAGMA query_only=OFF");
  await addNonce(database, "second", 1);
  await isSwept();

  await sweeper.stop();
  await addNonce(database, "third", 1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await database.nonce.count()).toBe(1);
});

testOnEachDatabase(
  "several concurrent sweepers delete what has expired, and none fails",
  async ({ database, url }) => {
    for (let index = 0; index < 60; index++) await addNonce(database, `n${index}`, 1);
    await addNonce(database, "new", Date.now() * 2);
    const sweepers = [database, await openTestDatabase(url), database].map((connection) =>
      createTestSweeper({ database: connection, batchSize: 7 }),
    );
    for (const _round of [1, 2, 3]) await Promise.all(sweepers.map((sweeper) => sweeper.sweep()));
    expect(await database.nonce.findMany()).toMatchObject([{ value: "new" }]);
  },
);
