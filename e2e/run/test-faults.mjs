// Plays faults against the built server and prints each bound beside the measurement.
import { buildIfNeeded } from "../../app/commands/build.mjs";
import { prepare, projectDir, run } from "../../app/commands/prepare.mjs";

process.chdir(projectDir);
await prepare();
await buildIfNeeded();
try {
  await run(process.execPath, ["--import", "tsx", "e2e/faults/run-faults.ts", ...process.argv.slice(2)]);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
