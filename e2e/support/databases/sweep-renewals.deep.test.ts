import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { createKeyStore } from "~/gate/ownership/keys.store.server";
import { createOperatorSweep } from "~/operator/sweep.store.server";
import { createSweepStore } from "~/platform/sweep/sweep.store.server";
import { createPostgresqlTestDatabase, openTestDatabase, testOnEachDatabase } from "./database";
import { dayMs, fillTables, nowMs } from "./filled-tables";
import { waitUntil } from "../processes";

const soon = nowMs + 9 * dayMs;
const request = { nowMs, departedBeforeMs: nowMs, spentBeforeMs: nowMs, batchSize: 9 };
const retention = { decisionDays: 1, maxDecisions: 9, activityDays: 1, auditDays: 1 };

/** The expiry column of every swept table. */
const swept = {
  Nonce: "expiresAtMs",
  SpentSignature: "expiresAtMs",
  RevokedProof: "expiresAtMs",
  DoorCode: "expiresAtMs",
  RateLimitWindow: "expiresAtMs",
  RateLimitLog: "expiresAtMs",
  KeyDeparture: "departedAtMs",
  QuotaWindow: "resetAtMs",
  OperatorSession: "endsAtMs",
  AccessDecision: "atMs",
  AuditEntry: "atMs",
  ActivityCount: "startMs",
};

test.each(Object.entries(swept))(
  "a row of %s that is renewed while the sweep waits for it stays (PostgreSQL)",
  async (table, column) => {
    const { database, url } = await createPostgresqlTestDatabase();
    await fillTables(database);
    const countRows = async () =>
      (await database.$queryRawUnsafe<{ count: bigint }[]>(`SELECT COUNT(*) AS count FROM "${table}"`))[0]!
        .count;
    const before = await countRows();
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query("BEGIN");
    await other.query(`UPDATE "${table}" SET "${column}" = ${soon}`);

    const isOperators = ["OperatorSession", "AccessDecision", "AuditEntry", "ActivityCount"].includes(table);
    const sweeping = isOperators
      ? createOperatorSweep({ database, retention }).deleteBatch({ nowMs: nowMs + 2 * dayMs, batchSize: 9 })
      : createSweepStore(database).deleteBatch(request);
    await waitUntil(
      async () => (await other.query("SELECT 1 FROM pg_locks WHERE NOT granted")).rows.length > 0,
      { everyMs: 5 },
    );
    await other.query("COMMIT");
    await sweeping;

    expect(await countRows()).toBe(before);
  },
);

testOnEachDatabase(
  "departures renewed during several concurrent sweeps are all kept",
  async ({ database, url }) => {
    const others = [await openTestDatabase(url), await openTestDatabase(url)];
    const site = { chainId: 1, contractAddress: "0xab" };
    const holder = "0xcd";
    const store = createKeyStore(database);
    const keys = Array.from({ length: 60 }, (_, index) => ({ ...site, tokenId: String(index) }));
    for (let round = 1; round <= 3; round++) {
      const record = (atMs: number) => (key: (typeof keys)[number]) =>
        store.recordDeparture({ key, holder, departedAtMs: atMs });
      await database.keyDeparture.updateMany({ data: { departedAtMs: 1n } });
      await Promise.all(keys.map(record(round)));
      await Promise.all([
        ...keys.map(record(nowMs + round * dayMs)),
        ...others.flatMap((other) =>
          Array.from({ length: 9 }, () => createSweepStore(other).deleteBatch(request)),
        ),
      ]);
      expect(await database.keyDeparture.count()).toBe(keys.length);
    }
  },
);
