// Production: `npm run build` made the server, this runs it in this very process, so that signals reach it. With
// WORKERS this process is the supervisor instead, and each worker comes here too.
import cluster from "node:cluster";
import { existsSync } from "node:fs";
import os from "node:os";
import { loadEnvironmentFile } from "../platform/config/environment-file.mjs";
import { endWithNpm, projectDir } from "./prepare.mjs";

process.chdir(projectDir);
if (!existsSync("build/.made-from")) {
  console.error("There is no build yet. Run `npm run build` first.");
  process.exit(1);
}
// Workers are given the supervisor's environment: those that come later have the settings of those before.
if (cluster.isPrimary) loadEnvironmentFile();
// The server takes other modes too; this command is production, whatever is set.
const mode = process.env.LATCHKEY_MODE;
if (mode && mode !== "production") {
  console.error("`npm start` is production. Unset LATCHKEY_MODE, or use `npm run demo` or `npm run dev`.");
  process.exit(78);
}
process.env.NODE_ENV = "production";
const { WORKERS: given = "1" } = process.env;
// The server refuses an invalid number of workers, with all other faults of the settings.
const workers = /^auto$/i.test(given) ? os.availableParallelism() : Number(given);
if (cluster.isPrimary) endWithNpm();
if (cluster.isPrimary && workers > 1) {
  const { supervise } = await import("./supervise.mjs");
  supervise(workers);
} else {
  // By its address: nobody who reads the sources has to read what is made of them.
  await import(new URL("../../build/index.js", import.meta.url));
}
