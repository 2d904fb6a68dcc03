import os from "node:os";
import path from "node:path";
import { installationDir } from "./installation.server";
import { fileNamesVariable } from "./environment-file.mjs";
import { ConfigError } from "./setting-reader";
import type { Environment } from "./setting-reader";

const settingsPage = path.join(installationDir, "docs/settings.md");

/** Ends the process with the full list of mistakes where there are any. */
export function readEnvironment<Config>(
  parse: (environment: Environment, fileNames: readonly string[]) => Config,
): Config {
  const { [fileNamesVariable]: fileNames = "", ...environment } = process.env;
  forgetPostgresqlNames();
  try {
    return parse(environment, fileNames.split(",").filter(Boolean));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n\nEvery setting is explained in ${settingsPage}.\n`);
    process.exit(78);
  }
}

/**
 * PostgreSQL's driver reads names of its own for whatever an address leaves out, encryption included, and a file of
 * passwords. Without them DATABASE_URL alone decides. Exported for a command that connects without settings.
 */
export function forgetPostgresqlNames(): void {
  for (const name of listPostgresqlNames(process.env)) delete process.env[name];
  // Otherwise it would be .pgpass in the user's folder; nothing can be below a device.
  process.env.PGPASSFILE = path.join(os.devNull, "none");
}

/** Nothing, or one sentence for the operator. */
export function describePostgresqlNames(environment: Environment): string[] {
  const names = listPostgresqlNames(environment);
  if (names.length === 0) return [];
  return [`Not read, since DATABASE_URL alone says how PostgreSQL is reached: ${names.join(", ")}.`];
}

/** Names that mean something to PostgreSQL's own tools and to its driver. No setting of ours begins like them. */
function listPostgresqlNames(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith("PG"))
    .sort();
}
