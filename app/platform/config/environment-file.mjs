// Plain JavaScript: `npm start` reads the file before it loads the server.
import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";

/** Names in the file. Workers inherit it. */
export const fileNamesVariable = "LATCHKEY_ENV_FILE_NAMES";

/** Adds `.env` to the environment, which takes precedence. */
export function loadEnvironmentFile() {
  if (!existsSync(".env")) return;
  process.loadEnvFile(".env");
  process.env[fileNamesVariable] = Object.keys(parseEnv(readFileSync(".env", "utf8"))).join();
}

// Defaults that the demo needs before it can read TypeScript.
export const defaultPort = 3000;
export const defaultDataDir = "data";
