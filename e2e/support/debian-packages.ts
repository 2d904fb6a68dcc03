import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const cacheDir = fileURLToPath(new URL("../../node_modules/.cache/latchkey", import.meta.url));

/** The folder of a program's unpacked packages. */
export function unpackedDir(name: string): string {
  return path.join(cacheDir, name);
}

/** The environment in which a program of such a folder finds its libraries. */
export function librariesOf(dir: string): Record<string, string> {
  const libraryDirs = ["usr/lib", "lib"].flatMap((name) => {
    const library = path.join(dir, name);
    if (!existsSync(library)) return [];
    const triplets = readdirSync(library).filter((entry) => entry.includes("linux"));
    return triplets.map((triplet) => path.join(library, triplet));
  });
  return libraryDirs.length === 0 ? {} : { LD_LIBRARY_PATH: libraryDirs.join(":") };
}

export type DebianPackages = {
  /** Puts the newest packages into the cache, with dependencies the machine lacks. Throws on failure. */
  unpack: (options: { name: string; packages: readonly string[] }) => void;
  /** The package's parts, such as `postgresql-15` of `postgresql`. */
  dependsOf: (name: string) => string[];
  close: () => void;
};

/**
 * Debian's archive, for programs that npm does not carry. Installs nothing and needs no root. Lists and archives are
 * our own, so the machine's stay untouched.
 */
export function openDebianPackages(): DebianPackages {
  for (const tool of ["apt-get", "dpkg"]) {
    if (findOnPath(tool) === null) throw new Error(`There is no ${tool} here.`);
  }
  mkdirSync(cacheDir, { recursive: true });
  const workDir = mkdtempSync(path.join(cacheDir, "fetching-"));
  const close = () => rmSync(workDir, { recursive: true, force: true });
  for (const folder of ["lists/partial", "cache"]) mkdirSync(path.join(workDir, folder), { recursive: true });
  const own = [
    ...["-o", `Dir::State::lists=${workDir}/lists`, "-o", `Dir::Cache=${workDir}/cache`],
    ...["-o", "Debug::NoLocking=1", "-o", "APT::Sandbox::User=root", "-o", "Acquire::http::Timeout=20"],
    ...["-o", "APT::Get::List-Cleanup=0"],
  ];

  function run(command: string, parameters: readonly string[]): string {
    return execFileSync(command, parameters, {
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 180_000,
      encoding: "utf8",
    });
  }
  function unpack({ name, packages }: { name: string; packages: readonly string[] }): void {
    const archives = path.join(workDir, "cache/archives");
    rmSync(archives, { recursive: true, force: true });
    mkdirSync(path.join(archives, "partial"), { recursive: true });
    const install = ["install", "--download-only", "--no-install-recommends", "--reinstall", "-y", "-qq"];
    run("apt-get", [...own, ...install, ...packages]);
    const unpacked = mkdtempSync(path.join(workDir, "unpacked-"));
    for (const file of readdirSync(archives).filter((entry) => entry.endsWith(".deb"))) {
      run("dpkg", ["-x", path.join(archives, file), unpacked]);
    }
    // Complete or absent, also for other users of this folder.
    chmodSync(unpacked, 0o755);
    try {
      renameSync(unpacked, unpackedDir(name));
    } catch (error) {
      // Another run was faster. Its files are as good.
      if (!existsSync(unpackedDir(name))) throw error;
    }
  }

  try {
    run("apt-get", [...own, "update", "-qq"]);
  } catch (error) {
    close();
    throw error;
  }
  return {
    unpack,
    dependsOf: (name) =>
      [...run("apt-cache", [...own, "depends", name]).matchAll(/^ *\|?Depends: (\S+)$/gm)].map(
        ([, found]) => found!,
      ),
    close,
  };
}

export function findOnPath(name: string): string | null {
  const folders = (process.env.PATH ?? "").split(path.delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file)) ?? null;
}
