// Copies everything from the SQLite database into a PostgreSQL one.
import path from "node:path";
import { parseArgs } from "node:util";
import { forgetPostgresqlNames } from "~/platform/config/environment.server";
import { installationDir } from "~/platform/config/installation.server";
import { loadEnvironmentFile } from "~/platform/config/environment-file.mjs";
import { loadConfig } from "~/settings.server";
import { migrateDatabase } from "~/platform/database/migrate.server";
import { readDatabaseUrl } from "~/platform/database/database-url.server";
import { copyData } from "./migrate-data/copy-data";
import type { CopiedTable } from "./migrate-data/copy-data";
import { openSource } from "./migrate-data/source";
import { openTarget } from "./migrate-data/target";
import { runCommand, runInSteps, UsageError } from "./run-command";

const usage = `Usage: latchkey migrate-data [options]

Copies every row of the SQLite database into an empty PostgreSQL database, in one transaction, and compares digests of
every table. Stop the server first. Safe to repeat: rows that are there already are only compared.

  --from file:…         the SQLite database; default: latchkey.db in DATA_DIR
  --to postgresql://…   the PostgreSQL database; default: DATABASE_URL
  --help

Ends with 0 when both are the same, 1 when something failed, 2 for a wrong call, 3 when it refused to copy, and 130
when it was stopped. Settings are read from the environment and from .env, as by latchkey start.
In the sources: npm run migrate-data -- [options].
`;

function readDatabases(options: { from?: string | undefined; to?: string | undefined }) {
  // If both are given, no setting is needed.
  const config = options.from !== undefined && options.to !== undefined ? null : loadConfig();
  if (config === null) forgetPostgresqlNames();
  const from = options.from ?? `file:${path.join(config!.serving.dataDir, "latchkey.db")}`;
  const to = options.to ?? config!.database.url;
  const [source, target] = [from, to].map(readUrl);
  if (source?.provider !== "sqlite") throw new UsageError("--from must be a file: address.");
  if (target?.provider !== "postgresql") {
    throw new UsageError("--to, or DATABASE_URL, must be a postgresql:// address.");
  }
  return { filePath: source.path, url: target.url };
}

function readUrl(url: string) {
  try {
    return readDatabaseUrl(url);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

await runCommand(usage, async () => {
  const { help, ...options } = parseArgs({
    options: { from: { type: "string" }, to: { type: "string" }, help: { type: "boolean" } },
  }).values;
  if (help) return console.log(usage);
  loadEnvironmentFile();
  const { filePath, url } = readDatabases(options);
  const source = openSource(filePath);
  try {
    const copied = await runInSteps("rows", async (onProgress, signal) => {
      const migrationsDir = path.join(installationDir, "prisma/migrations");
      await migrateDatabase({ url, migrationsDir });
      const target = await openTarget(url);
      try {
        return await copyData({ source, target, onProgress, signal });
      } finally {
        await target.close();
      }
    });
    tell(copied);
  } finally {
    source.close();
  }
});

function tell(tables: readonly CopiedTable[]): void {
  const width = Math.max(...tables.map(({ name }) => name.length));
  for (const { name, count, digest } of tables) {
    console.log(`${name.padEnd(width)}  ${count} rows, ${digest.slice(0, 16)}`);
  }
  const rows = tables.reduce((sum, { count }) => sum + count, 0);
  console.log(`Both databases hold the same ${rows} rows in ${tables.length} tables.`);
}
