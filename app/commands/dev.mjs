// For working on Latchkey: the demo's chain and a server that is rebuilt and restarted with every change.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import path from "node:path";
import { defaultDataDir } from "../platform/config/environment-file.mjs";
import { endWithNpm, prepare, projectDir } from "./prepare.mjs";

process.chdir(projectDir);
await prepare();
const { stampFile } = await import("./build.mjs");
const { openDemoChain } = await import("./demo-chain.mjs");
const dataDir = path.resolve(defaultDataDir, "development");
const { chain, env } = await openDemoChain({ dataDir, mode: "development", origin: null });

if (!process.env.OPERATOR_SECRET) console.log(`Operator's view: /operator, secret ${env.OPERATOR_SECRET}`);
// The compiler replaces the production build.
rmSync(stampFile, { force: true });
const compiler = path.join("node_modules", "@remix-run", "dev", "dist", "cli.js");
const child = spawn(process.execPath, [compiler, "dev", "-c", "node --enable-source-maps build/index.js"], {
  stdio: "inherit",
  env: { ...env, NODE_ENV: "development" },
});
endWithNpm();
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.once("close", async (code) => {
  await chain.stop();
  process.exit(code ?? 1);
});
