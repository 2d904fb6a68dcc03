import { cp } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { migrateDatabase } from "~/platform/database/migrate.server";
import {
  createTestDir,
  migrationsDir,
  openTestDatabase,
  testOnEachDatabase,
} from "~e2e/support/databases/database";
import type { TestDatabase } from "~e2e/support/databases/database";
import { createPaymentStore } from "./payments.store.server";

const thisMigration = "0007_payment_evidence";
const paying = { chainId: 1, payer: "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" } as const;

/** A database as the former version left it: on the same server or in its own file. */
async function createFormer({ url, database }: TestDatabase): Promise<string> {
  const dir = await createTestDir();
  const formerDir = path.join(dir, "migrations");
  const isFormer = (file: string) => (/[/\\](\d{4}_\w+)/.exec(file)?.[1] ?? "") < thisMigration;
  await cp(migrationsDir, formerDir, { recursive: true, filter: isFormer });
  const address = url.startsWith("file:") ? pathToFileURL(path.join(dir, "former.db")) : new URL(url);
  if (address.protocol !== "file:") {
    address.pathname = "/former_payments";
    await database.$executeRaw`CREATE DATABASE former_payments`;
  }
  await migrateDatabase({ url: address.href, migrationsDir: formerDir });
  return address.href;
}

testOnEachDatabase(
  "payments of the former version keep their data, and those only inferred are open again",
  async (target) => {
    const url = await createFormer(target);
    const database = await openTestDatabase(url);
    const insert = async (key: string, state: string, nonce: number, blockNumber: number | null) =>
      await database.$executeRaw`
        INSERT INTO "Payment" ("chainId", "recipient", "idempotencyKey", "payer", "amountWei", "state", "rawTransaction",
          "transactionHash", "nonce", "blockNumber", "addressReservationId", "dayReservationId", "createdAtMs")
        VALUES (1, '0xbb', ${key}, ${paying.payer}, '2500000000000', ${state}, '0x02', ${key}, ${BigInt(nonce)},
          ${blockNumber === null ? null : BigInt(blockNumber)}, 'a', 'd', 1000)`;
    await insert("paid", "paid", 0, 7);
    await insert("reverted", "failed", 1, 8);
    await insert("concluded", "failed", 2, null);
    await insert("open", "signed", 3, null);
    await insert("a-double", "signed", 4, null);
    await insert("double", "paid", 4, 9);
    await database.$executeRaw`INSERT INTO "QuotaWindow" VALUES ('crypto', '0xbb', 5, 1, 99), ('token', 'k', 5, 1, 99)`;
    await migrateDatabase({ url: url, migrationsDir });

    const rows = await database.payment.findMany({ orderBy: { idempotencyKey: "asc" } });
    expect(
      rows.map((row) => [row.idempotencyKey, row.state, row.finalAtMs === null, Number(row.nonce) >= 0]),
    ).toEqual([
      ["a-double", "signed", true, false],
      ["concluded", "signed", true, true],
      ["double", "paid", false, true],
      ["open", "signed", true, true],
      ["paid", "paid", false, true],
      ["reverted", "failed", false, true],
    ]);
    expect(new Set(rows.map(({ amountWei, createdAtMs }) => `${amountWei} ${createdAtMs}`))).toEqual(
      new Set(["2500000000000 1000"]),
    );
    const store = createPaymentStore(database);
    expect(await store.findLastNonce(paying)).toBe(4);
    // Three millionths each. All of them count now, but later only the open ones.
    expect((await store.sum({ chainId: 1, sinceMs: 0 })).spent).toBe(18);
    expect((await store.sum({ chainId: 1, sinceMs: 2_000 })).spent).toBe(9);
    expect((await database.quotaWindow.findMany()).map(({ kind }) => kind)).toEqual(["token"]);
  },
);
