import { parseConfig } from "./config.server";
import type { Config } from "./config.server";
import { ConfigError } from "./setting-reader";

/** Reads the process's environment, or ends the process with the full list of what to mend. */
export function readEnvironment(): Config {
  try {
    return parseConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n\nEvery setting is explained in .env.example.\n`);
    process.exit(78);
  }
}
