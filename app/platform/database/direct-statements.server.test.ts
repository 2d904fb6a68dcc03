import { expect } from "vitest";
import { testOnEachDatabase } from "~e2e/support/databases/database";
import { closeDatabase, openDatabase } from "./database.server";
import { directStatements, forgetConnection } from "./direct-statements.server";

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
