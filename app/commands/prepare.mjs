// Prepares a fresh clone to build or test. Plain JavaScript without packages: it runs before there are any.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const projectDir = fileURLToPath(new URL("../..", import.meta.url));

const oldestNode = [20, 19];

export async function run(command, parameters, { env = process.env, quiet = false } = {}) {
  // On Windows only a shell can start npm.
  const shell = process.platform === "win32" && command === "npm";
  const stdio = quiet ? ["ignore", "pipe", "pipe"] : "inherit";
  const child = spawn(command, parameters, { cwd: projectDir, env, stdio, shell });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  const [code] = await once(child, "close");
  if (code === 0) return output;
  throw new Error(`${[command, ...parameters].join(" ")} failed with ${code}.${output ? `\n${output}` : ""}`);
}

export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return;
  console.error(`Latchkey needs Node ${oldestNode.join(".")} or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

/** Whether node_modules matches package-lock.json. npm writes its own copy of the lock when it is done. */
function isInstalled() {
  const installed = path.join(projectDir, "node_modules/.package-lock.json");
  if (!existsSync(installed)) return false;
  const wanted = JSON.parse(readFileSync(path.join(projectDir, "package-lock.json"), "utf8")).packages;
  const found = JSON.parse(readFileSync(installed, "utf8")).packages;
  return Object.entries(wanted).every(
    ([name, entry]) => name === "" || entry.optional || found[name]?.version === entry.version,
  );
}

/** npm passes no SIGTERM on, so this process stops when npm is gone. */
export function endWithNpm() {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGTERM");
  }, 500).unref();
}

export async function prepare() {
  requireNode();
  if (!isInstalled()) {
    console.log("Installing packages (once, about a minute) …");
    // Under NODE_ENV=production npm omits build dependencies.
    await run("npm", ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"]).catch(() => {});
    if (!isInstalled()) {
      console.error(
        "Packages that the build needs are not installed. Run `npm ci --include=dev` and see what npm says.",
      );
      process.exit(1);
    }
  }
  await run(process.execPath, ["prisma/generate.mjs"], { quiet: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await prepare();
