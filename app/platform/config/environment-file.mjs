// Plain JavaScript: `npm start` reads the file before the server is loaded.
import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";

/** Holds the names of the file, for whoever reads the settings: workers inherit it. */
export const fileNamesVariable = "LATCHKEY_ENV_FILE_NAMES";

/** Adds `.env` to the environment, which wins where both have a name. */
export function loadEnvironmentFile() {
  if (!existsSync(".env")) return;
  process.loadEnvFile(".env");
  process.env[fileNamesVariable] = Object.keys(parseEnv(readFileSync(".env", "utf8"))).join();
}
