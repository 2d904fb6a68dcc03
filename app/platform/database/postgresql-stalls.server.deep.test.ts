import { expect, onTestFinished, test } from "vitest";
import { createPostgresqlTestDatabase } from "~e2e/support/databases/database";
import { waitUntil } from "~e2e/support/processes";
import { startTcpGate } from "~e2e/support/providers/proxies";
import { closeDatabase, openDatabase, readPool } from "./database.server";
import type { Database } from "./database.server";
import { isDatabaseOutage } from "./outage.server";

/** One connection, which the next caller gets if it still exists. Statements time out after 2 s. */
const pool = { size: 1, connectSeconds: 5, statementSeconds: 1, lockSeconds: 1, idleSeconds: 60 };

async function openThroughGate() {
  const { database: direct, url } = await createPostgresqlTestDatabase();
  const address = new URL(url);
  const way = await startTcpGate({ host: address.hostname, port: Number(address.port) });
  onTestFinished(way.stop);
  address.port = String(way.port);
  const database = await openDatabase({ url: address.href, pool });
  onTestFinished(() => closeDatabase(database));
  const listKeys = async () => (await direct.usedKey.findMany()).map(({ tokenId }) => tokenId).sort();
  return { database, way, listKeys };
}

function useKey(database: Pick<Database, "$executeRaw">, tokenId: string) {
  return database.$executeRaw`
    INSERT INTO "UsedKey" ("chainId", "contractAddress", "tokenId", "usedBy", "usedAtMs") VALUES (1, '0xab', ${tokenId}, '0xcd', 1)`;
}

const divide = (database: Database, by: number) => database.$executeRaw`SELECT 1 / CAST(${by} AS INTEGER)`;

/** Uses key 1 and divides by a number, of which 0 fails. */
const ways: [string, (database: Database, by: number) => Promise<unknown>][] = [
  [
    "Prisma's interactive transaction",
    (database, by) =>
      database.$transaction(async (transaction) => {
        await useKey(transaction as Database, "1");
        await divide(transaction as Database, by);
      }),
  ],
  ["Prisma's batch", (database, by) => database.$transaction([useKey(database, "1"), divide(database, by)])],
];

async function catchError(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => Promise.reject(new Error("It did not fail.")),
    (error: unknown) => error,
  );
}

test.each(ways)(
  "%s that stalls in the middle and is given up takes nobody else's statements in",
  async (_name, transact) => {
    const { database, way, listKeys } = await openThroughGate();
    way.after("SELECT 1 /", way.hold);
    expect(isDatabaseOutage(await catchError(transact(database, 1)))).toBe(true);
    way.mend();
    await useKey(database, "2");
    expect(await listKeys()).toEqual(["2"]);
    await database.$transaction([useKey(database, "3")]);
    expect(await listKeys()).toEqual(["2", "3"]);
  },
);

test.each(ways)(
  "after %s whose end is never answered, the next visitor gets a connection",
  async (_name, transact) => {
    for (const { sent, by, left } of [
      { sent: "ROLLBACK", by: 0, left: ["2"] },
      { sent: "COMMIT", by: 1, left: ["1", "2"] },
    ]) {
      const { database, way, listKeys } = await openThroughGate();
      way.after(sent, way.lose);
      const failure = await catchError(transact(database, by));
      if (sent === "COMMIT") expect(isDatabaseOutage(failure)).toBe(true);
      await useKey(database, "2");
      expect(await listKeys(), sent).toEqual(left);
      await waitUntil(() => readPool(database)?.idle === 1);
      expect(readPool(database)).toEqual({ open: 1, idle: 1, waiting: 0 });
    }
  },
);
