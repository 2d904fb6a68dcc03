// Gets hold of a Redis server for the tests, once for all of them: the one on this machine, or Debian's package, which
// is fetched and unpacked beside the other packages without being installed. Without either, those tests are skipped.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const cacheDir = fileURLToPath(new URL("../../node_modules/.cache/latchkey", import.meta.url));
const unpackedDir = path.join(cacheDir, "redis");

/** How to start it; null where there is none. */
export function findRedis() {
  const unpacked = path.join(unpackedDir, "usr/bin/redis-server");
  if (existsSync(unpacked)) {
    const library = path.join(unpackedDir, "usr/lib");
    const triplets = readdirSync(library).filter((name) => name.includes("linux"));
    return { command: unpacked, libraries: triplets.map((name) => path.join(library, name)).join(":") };
  }
  return isOnPath("redis-server") ? { command: "redis-server", libraries: "" } : null;
}

export function setup() {
  if (findRedis() !== null) return;
  try {
    unpackFromDebian();
  } catch (error) {
    console.warn(
      `\nSKIPPED: every test on Redis. No redis-server is on this machine, and Debian's package could not be fetched.\n${String(error.message).split("\n")[0]}\n`,
    );
  }
}

function isOnPath(name) {
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  return folders.some((folder) => folder !== "" && existsSync(path.join(folder, name)));
}

function unpackFromDebian() {
  for (const tool of ["apt-get", "dpkg"]) if (!isOnPath(tool)) throw new Error(`There is no ${tool} here.`);
  console.log("Fetching Debian's redis-server for the tests (once, about 15 seconds) …");
  mkdirSync(cacheDir, { recursive: true });
  const workDir = mkdtempSync(path.join(cacheDir, "redis-"));
  try {
    // Lists and archives of our own: the machine's stay as they are, and nobody needs to be root.
    for (const folder of ["lists/partial", "cache/archives/partial", "unpacked"]) {
      mkdirSync(path.join(workDir, folder), { recursive: true });
    }
    const own = [
      ...["-o", `Dir::State::lists=${workDir}/lists`, "-o", `Dir::Cache=${workDir}/cache`],
      ...["-o", "Debug::NoLocking=1", "-o", "APT::Sandbox::User=root", "-o", "Acquire::http::Timeout=20"],
      ...["-o", "APT::Get::List-Cleanup=0"],
    ];
    const options = { stdio: ["ignore", "ignore", "pipe"], timeout: 180_000 };
    execFileSync("apt-get", [...own, "update", "-qq"], options);
    const install = ["install", "--download-only", "--no-install-recommends", "--reinstall", "-y", "-qq"];
    execFileSync("apt-get", [...own, ...install, "redis-server", "redis-tools"], options);
    const archives = path.join(workDir, "cache/archives");
    for (const name of readdirSync(archives).filter((file) => file.endsWith(".deb"))) {
      execFileSync("dpkg", ["-x", path.join(archives, name), path.join(workDir, "unpacked")], options);
    }
    renameSync(path.join(workDir, "unpacked"), unpackedDir);
  } finally {
    rmSync(workDir, { recursive: true, force: true });
  }
  if (findRedis() === null) throw new Error("The package holds no redis-server.");
}
