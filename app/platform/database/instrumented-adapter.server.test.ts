import { expect } from "vitest";
import { closeDatabase, openDatabase, readPool } from "./database.server";
import type { Operation } from "~/platform/tracing/operation";
import { testOnEachDatabase } from "~e2e/support/databases/database";
import type { DatabaseInstrument } from "./instrumented-adapter.server";

type Seen = Operation & { error?: string; isOver: boolean };

/** Records what is reported to it. */
function createWitness() {
  const operations: Seen[] = [];
  const calls: { what: string; isFailed: boolean; durationSeconds: number }[] = [];
  const instrument: DatabaseInstrument = {
    observe: (call) => void calls.push(call),
    begin: (operation) => {
      const seen: Seen = { ...operation, isOver: false };
      operations.push(seen);
      return Object.assign(
        { end: (outcome = {}) => void Object.assign(seen, outcome, { isOver: true }) },
        { seen },
      );
    },
  };
  return { operations, calls, instrument };
}

testOnEachDatabase(
  "statements and transactions are recorded by table and without values, failures too",
  async ({ url }) => {
    const { operations, calls, instrument } = createWitness();
    const database = await openDatabase({ url, instrument });
    try {
      operations.length = calls.length = 0;
      const secret = "0x5ec2e7";
      await database.nonce.findMany({ where: { value: secret } });
      await database.$transaction(async (transaction) => {
        await transaction.$executeRaw`DELETE FROM "Nonce" WHERE "value" = ${secret}`;
      });
      await expect(database.$queryRaw`SELECT * FROM "NoSuchTable" WHERE 1 = ${secret}`).rejects.toThrow();
      await expect(
        database.$transaction(async () => {
          throw new Error("no");
        }),
      ).rejects.toThrow("no");

      const names = operations.map(({ name }) => name);
      expect(names).toContain("SELECT Nonce");
      expect(names).toContain("DELETE Nonce");
      expect(names.filter((name) => name === "transaction")).toHaveLength(2);
      expect(operations.every(({ isOver, kind }) => isOver && kind === "database")).toBe(true);
      const part = operations.find(({ name }) => name === "DELETE Nonce")!;
      expect((part.within as unknown as { seen: Seen }).seen.name).toBe("transaction");
      expect(operations.find(({ name }) => name === "SELECT NoSuchTable")).toMatchObject({
        error: expect.any(String),
      });
      expect(JSON.stringify(operations.map(({ within: _within, ...rest }) => rest))).not.toContain(secret);
      expect(calls.filter(({ isFailed }) => isFailed)).toHaveLength(1);
      expect(calls.filter(({ what }) => what === "transaction")).toHaveLength(2);
      expect(calls.every(({ durationSeconds }) => durationSeconds >= 0 && durationSeconds < 60)).toBe(true);
    } finally {
      await closeDatabase(database);
    }
  },
);

testOnEachDatabase("a pool's use is reported where there is one", async ({ url, database }) => {
  await database.$queryRaw`SELECT COUNT(*) FROM "Nonce"`;
  const reading = readPool(database);
  if (url.startsWith("file:")) expect(reading).toBeNull();
  else expect(reading).toMatchObject({ open: expect.any(Number), waiting: 0 });
  if (reading) expect(reading.idle).toBe(reading.open);
  if (reading) expect(reading.open).toBeGreaterThan(0);
});

testOnEachDatabase("a row that is there already is an answer, and no failed statement", async ({ url }) => {
  const { calls, operations, instrument } = createWitness();
  const database = await openDatabase({ url, instrument });
  try {
    const data = { digest: "d", expiresAtMs: 1n };
    await database.spentSignature.create({ data });
    calls.length = operations.length = 0;
    await expect(database.spentSignature.create({ data })).rejects.toMatchObject({ code: "P2002" });
  } finally {
    await closeDatabase(database);
  }
  expect(calls.map(({ what, isFailed }) => [what, isFailed])).toEqual([["statement", false]]);
  expect(operations.every(({ error }) => error === undefined)).toBe(true);
});

testOnEachDatabase("statements are timed even when no request is followed", async ({ url }) => {
  const { calls, operations, instrument } = createWitness();
  const database = await openDatabase({ url, instrument: { observe: instrument.observe } });
  try {
    calls.length = 0;
    await database.$queryRaw`SELECT COUNT(*) FROM "Nonce"`;
    await database.$transaction((transaction) => transaction.$executeRaw`DELETE FROM "Nonce"`);
    await expect(database.$queryRaw`SELECT * FROM "NoSuchTable"`).rejects.toThrow();
  } finally {
    await closeDatabase(database);
  }
  const kinds = calls.map(({ what, isFailed }) => `${what}${isFailed ? " failed" : ""}`);
  expect(kinds.filter((kind) => kind === "statement failed")).toHaveLength(1);
  expect(kinds.filter((kind) => kind === "transaction")).toHaveLength(1);
  expect(kinds.filter((kind) => kind === "statement").length).toBeGreaterThanOrEqual(2);
  expect(operations).toEqual([]);
});
