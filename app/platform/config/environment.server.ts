import os from "node:os";
import path from "node:path";
import { installationDir } from "./installation.server";
import { fileNamesVariable } from "./environment-file.mjs";
import { ConfigError } from "./setting-reader";
import type { Environment } from "./setting-reader";

const settingsPage = path.join(installationDir, "docs/settings.md");

/** Ends the process with a list of all mistakes. */
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
 * PostgreSQL's driver reads its own names for parts that an address omits, encryption included, and a password file.
 * Without them DATABASE_URL alone decides.
 */
export function forgetPostgresqlNames(): void {
  for (const name of listPostgresqlNames(process.env)) delete process.env[name];
  // Otherwise the driver reads .pgpass in the user's folder. Nothing can be below a device.
  process.env.PGPASSFILE = path.join(os.devNull, "none");
}

export function describePostgresqlNames(environment: Environment): string[] {
  const names = listPostgresqlNames(environment);
  if (names.length === 0) return [];
  return [`Not read, since DATABASE_URL alone says how PostgreSQL is reached: ${names.join(", ")}.`];
}

/** No setting of ours begins like them. */
function listPostgresqlNames(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith("PG"))
    .sort();
}
