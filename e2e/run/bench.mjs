// Measures the built server, each operation beside a peer that does the same.
import { buildIfNeeded } from "../../app/commands/build.mjs";
import { prepare, projectDir, run } from "../../app/commands/prepare.mjs";

process.chdir(projectDir);
await prepare();
await buildIfNeeded();
try {
  await run(process.execPath, ["--import", "tsx", "e2e/bench/run-bench.ts", ...process.argv.slice(2)], {
    env: { ...process.env, NODE_ENV: "production" },
  });
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
