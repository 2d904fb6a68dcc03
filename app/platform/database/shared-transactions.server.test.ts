import { AsyncLocalStorage } from "node:async_hooks";
import { expect, onTestFinished } from "vitest";
import { testOnEachDatabase } from "~e2e/support/databases/database";
import { closeDatabase, isSqlite, openDatabase } from "./database.server";
import { createSharedTransactions } from "./shared-transactions.server";

async function open(url: string) {
  const calls: string[] = [];
  const database = await openDatabase({ url, instrument: { observe: ({ what }) => void calls.push(what) } });
  onTestFinished(() => closeDatabase(database));
  const transact = createSharedTransactions(database);
  const countTransactions = () => calls.filter((what) => what === "transaction").length;
  const write = (subject: string) =>
    transact(async ({ execute }) => {
      await execute`
        INSERT INTO "QuotaWindow" ("kind", "subject", "used", "windowStartMs", "resetAtMs")
        VALUES ('token', ${subject}, 0, 0, 1)`;
      return subject;
    });
  return { database, transact, countTransactions, write };
}

testOnEachDatabase("writes of one tick share a transaction on SQLite and on no other", async ({ url }) => {
  const { database, countTransactions, write } = await open(url);
  expect(await Promise.all(["a", "b", "c"].map(write))).toEqual(["a", "b", "c"]);
  expect(countTransactions()).toBe(isSqlite(database) ? 1 : 3);
  expect(await database.quotaWindow.count()).toBe(3);
});

testOnEachDatabase("a write that fails is rolled back, and those beside it are kept", async ({ url }) => {
  const { database, write } = await open(url);
  await write("taken");
  const outcomes = await Promise.allSettled([write("a"), write("taken"), write("b")]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(await database.quotaWindow.count()).toBe(3);
});

testOnEachDatabase(
  "what follows a commit is done once, and not where all was rolled back",
  async ({ url }) => {
    const { transact, write } = await open(url);
    const done: string[] = [];
    const follow = (name: string, hasFailed = false) =>
      transact(async ({ afterCommit }) => {
        afterCommit(() => void done.push(name));
        if (hasFailed) throw new Error("changed its mind");
      });
    // On SQLite all of these are rolled back first, and each is done again by itself.
    await Promise.allSettled([follow("a"), follow("b", true), write("c"), follow("d")]);
    expect(done.sort()).toEqual(["a", "d"]);
  },
);

testOnEachDatabase("each write runs in the asynchronous context of its caller", async ({ url }) => {
  const { transact } = await open(url);
  const requests = new AsyncLocalStorage<string>();
  const ask = (name: string) =>
    requests.run(name, () => transact(async () => await Promise.resolve(requests.getStore())));
  expect(await Promise.all([ask("a"), ask("b")])).toEqual(["a", "b"]);
});
