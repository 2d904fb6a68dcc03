// Builds server and browser code if any source has changed.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { compressBuild } from "./compress-build.mjs";
import { prepare, projectDir, run } from "./prepare.mjs";

const sources = ["app", "server.ts", "remix.config.js", "package-lock.json", "tsconfig.json"];
/** Exists only while `build` contains a finished production build. */
export const stampFile = path.join(projectDir, "build/.made-from");

function listFiles(source) {
  if (statSync(source).isFile()) return [source];
  return readdirSync(source).flatMap((name) => listFiles(path.join(source, name)));
}

function digestSources() {
  const hash = createHash("sha256");
  for (const source of sources) {
    for (const file of listFiles(path.join(projectDir, source)).sort()) {
      if (/\.test\.tsx?$|\/demo\/content\//.test(file)) continue;
      hash.update(file.slice(projectDir.length)).update("\0").update(readFileSync(file));
    }
  }
  return hash.digest("hex");
}

export async function buildIfNeeded() {
  const digest = digestSources();
  const isCurrent =
    existsSync(stampFile) &&
    readFileSync(stampFile, "utf8") === digest &&
    existsSync(path.join(projectDir, "build/index.js")) &&
    existsSync(path.join(projectDir, "public/build"));
  if (isCurrent) return false;
  rmSync(stampFile, { force: true });
  await run(process.execPath, [path.join("node_modules", "@remix-run", "dev", "dist", "cli.js"), "build"], {
    env: { ...process.env, NODE_ENV: "production" },
    quiet: true,
  });
  // Its bundler is there only once the packages are installed.
  const { buildCommands } = await import("./build-commands.mjs");
  await buildCommands();
  await compressBuild(path.join(projectDir, "public/build"));
  writeFileSync(stampFile, digest);
  return true;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await prepare();
  console.log((await buildIfNeeded()) ? "Built." : "The build is up to date.");
}
