import { readdirSync } from "node:fs";
import { expect } from "vitest";
import { migrationsDir, testOnEachDatabase } from "~e2e/support/databases/database";
import { createMigrationReader } from "./tables.store.server";

testOnEachDatabase("applied migrations are read from the database's own record", async ({ database }) => {
  const provided = readdirSync(`${migrationsDir}/sqlite`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  const read = createMigrationReader(database);
  expect(await read()).toEqual({ count: provided.length, last: provided.at(-1) });
  await database.$executeRaw`UPDATE "_prisma_migrations" SET "finished_at" = NULL`;
  expect(await read()).toEqual({ count: 0, last: null });
});
