import Sqlite from "libsql";
import { expect, onTestFinished, test, vi } from "vitest";
import { createSqliteTestDatabase } from "~e2e/support/databases/database";
import { openSqliteClient } from "./sqlite-client.server";

async function open() {
  const { filePath } = await createSqliteTestDatabase();
  const client = openSqliteClient({ path: filePath, busyTimeoutMs: 100 });
  onTestFinished(() => client.close());
  const toInsert = (value: string, how = "INSERT") => `${how} INTO "SpentSignature" VALUES ('${value}', 1)`;
  const insert = (value: string, how?: string) => client.executeTogether(toInsert(value, how));
  function readValues(): unknown[] {
    const reader = new Sqlite(filePath);
    const rows = reader.prepare(`SELECT "digest" FROM "SpentSignature" ORDER BY "digest"`).all();
    reader.close();
    return rows.map((row) => (row as { digest: string }).digest);
  }
  return { client, toInsert, insert, readValues };
}

const statusesOf = (outcomes: PromiseSettledResult<unknown>[]) => outcomes.map(({ status }) => status);

test("single writes of one tick share a transaction, a hundred at most", async () => {
  const { insert, readValues } = await open();
  const exec = vi.spyOn(Sqlite.prototype, "exec");
  onTestFinished(() => exec.mockRestore());
  const values = Array.from({ length: 250 }, (_, index) => String(1000 + index));
  await Promise.all(values.map((value) => insert(value)));
  expect(exec.mock.calls.flat().filter((sql) => sql === "COMMIT")).toHaveLength(3);
  expect(readValues()).toEqual(values);
});

test("a single write that fails leaves the others of its tick alone", async () => {
  const { insert, readValues } = await open();
  const outcomes = await Promise.allSettled([insert("a"), insert("a"), insert("b")]);
  expect(statusesOf(outcomes)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(readValues()).toEqual(["a", "b"]);
});

test("where SQLite rolls back for one single write, those of its tick are written by themselves", async () => {
  const { insert, readValues } = await open();
  const outcomes = await Promise.allSettled([insert("a"), insert("a", "INSERT OR ROLLBACK"), insert("b")]);
  expect(statusesOf(outcomes)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(readValues()).toEqual(["a", "b"]);
});

test("writes that are made one after the other wait for no tick", async () => {
  const { client, toInsert, readValues } = await open();
  let ticks = 0;
  const counting = setInterval(() => (ticks += 1));
  for (let value = 10; value < 60; value++) await client.execute(toInsert(String(value)));
  clearInterval(counting);
  expect(ticks).toBe(0);
  expect(readValues()).toHaveLength(50);
});

test("a single write asked for before a close is written; within an open transaction of others it is refused", async () => {
  const { client, insert, readValues } = await open();
  const written = insert("a");
  client.close();
  await written;
  expect(readValues()).toEqual(["a"]);
  const other = await open();
  await other.client.transaction();
  const refused = other.insert("b");
  other.client.close();
  await expect(refused).rejects.toThrow("transaction");
  expect(other.readValues()).toEqual([]);
});
