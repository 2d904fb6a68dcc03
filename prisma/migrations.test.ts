import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { migrateDatabase } from "~/platform/database/migrate.server";
import { migrationsDir } from "~e2e/support/databases/database";
import { findMissingSql, findUnappliedMigrations, listMigrations } from "./schema-engine.mjs";
import { startPostgresql } from "./shadow-databases.mjs";

let postgresql: Awaited<ReturnType<typeof startPostgresql>>;
beforeAll(async () => {
  postgresql = await startPostgresql();
});
afterAll(() => postgresql.stop());

const providers = ["sqlite", "postgresql"] as const;

async function createEmptyDatabase(provider: (typeof providers)[number]): Promise<string> {
  if (provider === "postgresql") return await postgresql.createDatabase();
  const dir = mkdtempSync(path.join(os.tmpdir(), "latchkey-test-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return pathToFileURL(path.join(dir, "empty.db")).href;
}

test.each(providers)("the %s migrations add up to the schema", async (provider) => {
  const shadowUrl = await createEmptyDatabase(provider);
  expect(await findMissingSql({ provider, shadowUrl })).toBe(null);
});

test.each(providers)("a migration that is missing for %s is noticed", async (provider) => {
  const shadowUrl = await createEmptyDatabase(provider);
  expect(await findMissingSql({ provider, shadowUrl, migrations: [] })).toMatch(/CREATE TABLE "UsedKey"/);
});

test.each(providers)(
  "Prisma's own engine finds no difference in a migrated %s database",
  async (provider) => {
    const url = await createEmptyDatabase(provider);
    await migrateDatabase({ url, migrationsDir });
    expect(await findUnappliedMigrations({ provider, url })).toEqual([]);

    const known = listMigrations(provider);
    const later = [...known, { name: "9999_later", sql: "SELECT 1;" }];
    expect(await findUnappliedMigrations({ provider, url, migrations: later })).toEqual(["9999_later"]);
    const edited = known.map((migration) => ({ ...migration, sql: `${migration.sql} ` }));
    await expect(findUnappliedMigrations({ provider, url, migrations: edited })).rejects.toThrow("0001_gate");
  },
);

test("both databases have the same list of migrations", () => {
  const names = providers.map((provider) => listMigrations(provider).map((migration) => migration.name));
  expect(names[0]).toEqual(names[1]);
  expect(names[0]).toContain("0001_gate");
});
