// node prisma/new-migration.mjs <name>    writes the next migration for both databases
// node prisma/new-migration.mjs --check   fails when the migrations and prisma/schema.prisma do not agree
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { findMissingSql, listMigrations } from "./schema-engine.mjs";
import { projectDir, readSchemas } from "./schemas.mjs";
import { withShadowDatabase } from "./shadow-databases.mjs";

const providers = Object.keys(readSchemas());
const [argument] = process.argv.slice(2);
const missing = {};
for (const provider of providers) {
  missing[provider] = await withShadowDatabase({
    provider,
    work: (shadowUrl) => findMissingSql({ provider, shadowUrl }),
  });
}
const stale = providers.filter((provider) => missing[provider] !== null);

if (argument === "--check") {
  for (const provider of stale) console.error(`The ${provider} migrations lack:\n\n${missing[provider]}`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else if (!/^[a-z][a-z0-9_]*$/.test(argument ?? "")) {
  console.error("Give the migration a name of lower-case letters, digits and underscores, or pass --check.");
  process.exitCode = 1;
} else if (stale.length === 0) {
  console.log("The migrations already say what the schema says.");
} else {
  const name = `${nextNumber()}_${argument}`;
  for (const provider of providers) writeMigration({ provider, name });
}

/** Both databases keep the same list of names, even if only one of them changes. */
function writeMigration({ provider, name }) {
  const dir = path.join(projectDir, "prisma/migrations", provider, name);
  mkdirSync(dir, { recursive: true });
  writeFileSync(
    path.join(dir, "migration.sql"),
    missing[provider] ?? "-- Nothing changes here.\nSELECT 1;\n",
  );
  console.log(`Wrote ${path.relative(projectDir, dir)}/migration.sql. Read it before you commit it.`);
}

function nextNumber() {
  const numbers = providers.flatMap((provider) =>
    listMigrations(provider).map((migration) => Number.parseInt(migration.name, 10)),
  );
  return String(Math.max(0, ...numbers) + 1).padStart(4, "0");
}
