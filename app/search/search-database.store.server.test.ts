import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createTestDir } from "~e2e/support/databases/database";
import { openSearchDatabase } from "./search-database.store.server";
import { SearchUnavailable } from "./search-store";

/** Longer than any test may take, unless it is interrupted. */
const endless = {
  sql: "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers) SELECT max(n) FROM numbers",
};
const quick = { sql: "SELECT 1 AS one" };

async function open(limitMs?: number, idleMs?: number) {
  const file = path.join(await createTestDir(), "search.db");
  const database = openSearchDatabase({ file, ...(limitMs && { limitMs }), ...(idleMs && { idleMs }) });
  onTestFinished(() => database.close());
  return database;
}

test("a statement is interrupted at its deadline, in words, and the client's next one runs", async () => {
  const database = await open(50);
  const mine = database.readFor({ clientId: "a" });
  await expect(mine.read(endless)).rejects.toThrow(SearchUnavailable);
  await expect(mine.read(quick, endless, quick)).rejects.toThrow("took too long");
  expect(await mine.read(quick)).toEqual([[{ one: 1 }]]);
  await database.write([{ sql: "CREATE TABLE t (x)" }]);
});

test("a running statement is interrupted and waiting ones dropped when their caller leaves", async () => {
  const database = await open(600_000);
  const leaving = new AbortController();
  const reads = [endless, endless, endless].map((statement) =>
    database.readFor({ clientId: "a", signal: leaving.signal }).read(statement),
  );
  // Behind the others, and in a slot that is free.
  expect(await database.readFor({ clientId: "b" }).read(quick)).toEqual([[{ one: 1 }]]);
  leaving.abort(new Error("gone"));
  const gone = { status: "rejected", reason: new Error("gone") };
  expect(await Promise.allSettled(reads)).toEqual([gone, gone, gone]);
  expect(await database.readFor({ clientId: "a" }).read(quick)).toEqual([[{ one: 1 }]]);
});

test("a caller that leaves while the file is being opened is noticed", async () => {
  const database = await open(600_000);
  const leaving = new AbortController();
  const reading = database.readFor({ clientId: "a", signal: leaving.signal }).read(endless);
  leaving.abort(new Error("gone"));
  await expect(reading).rejects.toThrow("gone");
});

test("a client that occupies its slot delays nobody, and as many as fill all slots only until their deadline", async () => {
  const database = await open(300);
  const hostile = (clientId: string) =>
    Array.from({ length: 20 }, () => database.readFor({ clientId }).read(endless));
  const ended: string[] = [];
  const note = (name: string) => () => void ended.push(name);
  const first = hostile("a").map((read) => read.catch(note("hostile")));
  await database.readFor({ clientId: "c" }).read(quick).then(note("usual"));
  expect(ended).toEqual(["usual"]);
  const second = hostile("b").map((read) => read.catch(note("hostile")));
  await database.readFor({ clientId: "c" }).read(quick).then(note("usual"));
  expect(ended.slice(1).filter((name) => name === "hostile").length).toBeLessThanOrEqual(2);
  await database.close();
  await Promise.all([...first, ...second]);
});

test("the process's own statements know no deadline", async () => {
  const database = await open(20);
  const counting = {
    sql: "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 1000000) SELECT max(n) AS n FROM numbers",
  };
  expect(await database.read(counting)).toEqual([[{ n: 1_000_000 }]]);
  await expect(database.readFor({ clientId: "a" }).read(counting)).rejects.toThrow("took too long");
});

test("a caller's statements are interrupted when the database is closed", async () => {
  const database = await open(600_000);
  const reading = database.readFor({ clientId: "a" }).read(endless);
  const failing = expect(reading).rejects.toThrow("being stopped");
  await database.readFor({ clientId: "b" }).read(quick);
  await database.close();
  await failing;
});

test("a thread with nothing to do ends, unless it holds the lock, and the next statement starts another", async () => {
  const database = await open(undefined, 20);
  // Of a connection, and so of a thread.
  const mark = { sql: "CREATE TEMP TABLE mark AS SELECT 1 AS one" };
  const marked = { sql: "SELECT one FROM mark" };
  await database.takeLock();
  await database.read(mark);
  await delay(200);
  expect(await database.read(marked)).toEqual([[{ one: 1 }]]);
  await database.releaseLock();
  expect(await database.read(marked)).toEqual([[{ one: 1 }]]);
  await delay(200);
  await expect(database.read(marked)).rejects.toThrow("no such table");
  expect(await database.read(quick)).toEqual([[{ one: 1 }]]);
});
