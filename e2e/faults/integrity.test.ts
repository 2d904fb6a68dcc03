import { expect, test } from "vitest";
import { createPostgresqlTestDatabase } from "~e2e/support/databases/database";
import type { TestDatabase } from "~e2e/support/databases/database";
import { query } from "~e2e/support/databases/postgresql-with-tools";
import { countDamages } from "./integrity";

const useKey = ({ database }: TestDatabase, tokenId: string) =>
  database.usedKey.create({
    data: { chainId: 1n, contractAddress: "0xab", tokenId, usedBy: "0xcd", usedAtMs: 1n },
  });

/** Imitates a row that was written without its index entry. */
async function writePast({ index, url }: { index: string; url: string }, write: () => Promise<unknown>) {
  const setKept = (isKept: boolean) =>
    query(
      url,
      `UPDATE pg_index SET indisready = ${isKept}, indisvalid = ${isKept}, indislive = ${isKept}
       WHERE indexrelid = '"${index}"'::regclass`,
    );
  await setKept(false);
  await write();
  await setKept(true);
}

test("a PostgreSQL database has no damage, and an index that misses a row is one", async () => {
  const site = await createPostgresqlTestDatabase();
  const count = () => countDamages({ dataDir: "", databaseUrl: site.url });
  await useKey(site, "1");
  expect(await count()).toBe(0);
  await writePast({ index: "UsedKey_usedAtMs_idx", url: site.url }, () => useKey(site, "2"));
  expect(await count()).toBe(1);
});

test("a PostgreSQL row with a missing parent is a damage", async () => {
  const site = await createPostgresqlTestDatabase();
  await query(
    site.url,
    `ALTER TABLE "NotificationDelivery" DISABLE TRIGGER ALL;
     INSERT INTO "NotificationDelivery" ("notificationId", "channel", "nextAttemptAtMs") VALUES ('none', 'webhook', 1);
     ALTER TABLE "NotificationDelivery" ENABLE TRIGGER ALL`,
  );
  expect(await countDamages({ dataDir: "", databaseUrl: site.url })).toBe(1);
});
