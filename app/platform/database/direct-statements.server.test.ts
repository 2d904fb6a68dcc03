import { setImmediate as letOthersRun } from "node:timers/promises";
import { sqltag as sql } from "@prisma/client/runtime/client";
import { expect, onTestFinished, test, vi } from "vitest";
import { createSqliteTestDatabase, testOnEachDatabase } from "~e2e/support/databases/database";
import { closeDatabase, openDatabase } from "./database.server";
import {
  directStatements,
  forgetConnection,
  transactDirectly,
  transactionLimits,
} from "./direct-statements.server";
import type { Statements } from "./direct-statements.server";
import { isDatabaseOutage } from "./outage.server";

const key = "client of a test";

testOnEachDatabase("direct statements write, find and count as those of Prisma's client do", async (test) => {
  const { query, execute } = directStatements(test.database);
  const expiresAtMs = 9_007_199_254_740_993n;
  const write = (points: number) => execute`
    INSERT INTO "RateLimitWindow" ("key", "startedAtMs", "points", "expiresAtMs")
    VALUES (${key}, ${1n}, ${points}, ${expiresAtMs})
    ON CONFLICT ("key") DO UPDATE SET "points" = excluded."points"`;
  const find = (name: string | null) => query<{ points: number | bigint; expiresAtMs: bigint | string }>`
    SELECT "points", "expiresAtMs" FROM "RateLimitWindow" WHERE "key" = COALESCE(${name}, "key")`;
  const read = async (name: string | null) =>
    (await find(name)).map((row) => [Number(row.points), BigInt(row.expiresAtMs)]);
  expect(await write(3)).toBe(1);
  expect([await read(key), await read(null), await read("nobody")]).toEqual([
    [[3, expiresAtMs]],
    [[3, expiresAtMs]],
    [],
  ]);
  // From here on through Prisma's client.
  forgetConnection(test.database);
  expect(await write(4)).toBe(1);
  expect(await read(null)).toEqual([[4, expiresAtMs]]);
});

testOnEachDatabase("direct statements are observed, and wait for an open transaction", async ({ url }) => {
  const observed: string[] = [];
  const database = await openDatabase({
    url,
    instrument: { observe: ({ what, isFailed }) => void observed.push(`${what} ${isFailed}`) },
  });
  try {
    const { query } = directStatements(database);
    observed.length = 0;
    const order: string[] = [];
    let asked: Promise<unknown> | undefined;
    await database.$transaction(async (transaction) => {
      await transaction.$executeRaw`DELETE FROM "RateLimitWindow"`;
      asked = query`SELECT COUNT(*) FROM "Nonce"`.then(() => order.push("asked"));
      await transaction.$executeRaw`DELETE FROM "RateLimitLog"`;
      order.push("written");
    });
    await asked;
    if (url.startsWith("file:")) expect(order).toEqual(["written", "asked"]);
    await expect(query`SELECT * FROM "NoSuchTable"`).rejects.toThrow();
    expect(observed.filter((what) => what === "statement true")).toHaveLength(1);
    expect(observed).toContain("statement false");
  } finally {
    await closeDatabase(database);
  }
});

test("on SQLite, statements of Prisma's client wait for a direct transaction, however it ends", async () => {
  const { database } = await createSqliteTestDatabase();
  for (const ending of ["commit", "rollback"]) {
    const order: string[] = [];
    let asked: Promise<unknown> | undefined;
    const transaction = transactDirectly(database, async ({ execute }) => {
      asked = Promise.all([
        database.nonce.count().then(() => order.push("asked")),
        database.$transaction([database.nonce.deleteMany()]).then(() => order.push("deleted")),
      ]);
      for (let round = 0; round < 20; round += 1) {
        await execute`DELETE FROM "RateLimitLog"`;
        await letOthersRun();
      }
      order.push("written");
      if (ending === "rollback") throw new Error("changed its mind");
    });
    await transaction.catch(() => undefined);
    await asked;
    expect(order[0]).toBe("written");
    expect(order).toHaveLength(3);
  }
});

testOnEachDatabase(
  "a direct transaction is committed or rolled back, and its statements take pieces of SQL",
  async (test) => {
    const { database } = test;
    const write = (name: string, rest: "goes on" | "fails") =>
      transactDirectly(database, async ({ query, execute }) => {
        await execute`
        INSERT INTO "RateLimitWindow" ("key", "startedAtMs", "points", "expiresAtMs") VALUES (${name}, ${1n}, ${2}, ${3n})`;
        if (rest === "fails") throw new Error("changed its mind");
        const isIts = sql`"key" = ${name}`;
        const isOther = sql`"key" <> ${name}`;
        return await query<{ points: number | bigint }>`
        SELECT "points" FROM "RateLimitWindow" WHERE (${isIts} OR ${isOther}) AND ${isIts}`;
      });
    for (const isDirect of [true, false]) {
      if (!isDirect) forgetConnection(database);
      const [kept, undone] = [`kept ${isDirect}`, `undone ${isDirect}`];
      expect((await write(kept, "goes on")).map(({ points }) => Number(points))).toEqual([2]);
      await expect(write(undone, "fails")).rejects.toThrow("changed its mind");
      expect(await database.rateLimitWindow.findUnique({ where: { key: undone } })).toBeNull();
      expect(await database.rateLimitWindow.findUnique({ where: { key: kept } })).not.toBeNull();
      // The connection is free again.
      await expect(write(kept, "goes on")).rejects.toThrow();
    }
  },
);

test("a direct transaction that begins or lasts too long is an outage, takes no more statements, and frees the file", async () => {
  const { database } = await createSqliteTestDatabase();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const write = ({ execute }: Statements, key: string) => execute`
    INSERT INTO "RateLimitWindow" ("key", "startedAtMs", "points", "expiresAtMs") VALUES (${key}, ${1n}, ${2}, ${3n})`;
  let kept: Statements | undefined;
  const lasting = transactDirectly(database, async (statements) => {
    kept = statements;
    await write(statements, "lasting");
    await new Promise(() => {});
  }).catch((error: unknown) => error);
  await vi.waitUntil(() => kept !== undefined);
  const waiting = transactDirectly(database, (statements) => write(statements, "waiting")).catch(
    (error: unknown) => error,
  );
  await vi.advanceTimersByTimeAsync(transactionLimits.maxWait + 1);
  expect(isDatabaseOutage(await waiting)).toBe(true);
  await vi.advanceTimersByTimeAsync(transactionLimits.timeout);
  expect(isDatabaseOutage(await lasting)).toBe(true);
  await expect(write(kept!, "late")).rejects.toThrow("has ended");
  await transactDirectly(database, (statements) => write(statements, "next"));
  expect((await database.rateLimitWindow.findMany()).map(({ key }) => key)).toEqual(["next"]);
});
