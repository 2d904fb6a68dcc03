import { expect } from "vitest";
import { closeDatabase, openDatabase, readPool } from "./database.server";
import { testOnEachDatabase } from "~e2e/support/databases/database";
import type { DatabaseInstrument } from "./extend-client.server";

testOnEachDatabase("a pool's use is reported where there is one", async ({ url, database }) => {
  await database.$queryRaw`SELECT COUNT(*) FROM "Nonce"`;
  const reading = readPool(database);
  if (url.startsWith("file:")) expect(reading).toBeNull();
  else expect(reading).toMatchObject({ open: expect.any(Number), waiting: 0 });
  if (reading) expect(reading.idle).toBe(reading.open);
  if (reading) expect(reading.open).toBeGreaterThan(0);
});

testOnEachDatabase("a row that is there already is an answer, and no failed statement", async ({ url }) => {
  const calls: Parameters<NonNullable<DatabaseInstrument["observe"]>>[0][] = [];
  const database = await openDatabase({ url, instrument: { observe: (call) => void calls.push(call) } });
  try {
    const data = { digest: "d", expiresAtMs: 1n };
    await database.spentSignature.create({ data });
    calls.length = 0;
    await expect(database.spentSignature.create({ data })).rejects.toMatchObject({ code: "P2002" });
  } finally {
    await closeDatabase(database);
  }
  expect(calls.map(({ what, isFailed }) => [what, isFailed])).toEqual([["statement", false]]);
});

testOnEachDatabase("statements and transactions are timed, failures too", async ({ url }) => {
  const calls: Parameters<NonNullable<DatabaseInstrument["observe"]>>[0][] = [];
  const database = await openDatabase({ url, instrument: { observe: (call) => void calls.push(call) } });
  try {
    calls.length = 0;
    await database.$queryRaw`SELECT COUNT(*) FROM "Nonce"`;
    await database.$transaction((transaction) => transaction.$executeRaw`DELETE FROM "Nonce"`);
    await expect(database.$queryRaw`SELECT * FROM "NoSuchTable"`).rejects.toThrow();
    const undone = database.$transaction(() => Promise.reject(new Error("changed my mind")));
    await expect(undone).rejects.toThrow("changed my mind");
  } finally {
    await closeDatabase(database);
  }
  const kinds = calls.map(({ what, isFailed }) => `${what}${isFailed ? " failed" : ""}`);
  expect(kinds.filter((kind) => kind === "statement failed")).toHaveLength(1);
  expect(kinds.filter((kind) => kind === "transaction")).toHaveLength(2);
  expect(kinds.filter((kind) => kind === "statement")).toHaveLength(2);
  expect(kinds).toHaveLength(5);
  expect(calls.every(({ durationSeconds }) => durationSeconds >= 0 && durationSeconds < 60)).toBe(true);
});
