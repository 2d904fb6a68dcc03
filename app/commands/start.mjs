// Production: `npm run build` made the server, this runs it in this very process, so that signals reach it. With
// WORKERS this process is the supervisor instead, and each worker comes here too. Started by itself it works in the
// folder it is in; `latchkey start` works in the current one.
import cluster from "node:cluster";
import { existsSync, realpathSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { loadEnvironmentFile } from "../platform/config/environment-file.mjs";
import { endWithNpm, projectDir } from "./prepare.mjs";

if (cluster.isPrimary && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.chdir(projectDir);
}
if (!existsSync(path.join(projectDir, "build/.made-from"))) {
  console.error("There is no build yet. Run `npm run build` first.");
  process.exit(1);
}
// Workers are given the supervisor's environment: those that come later have the settings of those before.
if (cluster.isPrimary) loadEnvironmentFile();
// The server takes other modes too; this command is production, whatever is set.
const mode = process.env.LATCHKEY_MODE;
if (mode && mode !== "production") {
  console.error(
    "This command is production. Unset LATCHKEY_MODE, or use `npm run demo`, `latchkey demo` or `npm run dev`.",
  );
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
