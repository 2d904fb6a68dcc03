import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, rmdirSync, statfsSync, writeSync } from "node:fs";
import os from "node:os";
import path from "node:path";

export type SmallDisk = {
  dir: string;
  /** Leaves no free byte. */
  fill: () => void;
  empty: () => void;
  /** Fails while a file is open for writing. */
  makeReadOnly: () => void;
  makeWritable: () => void;
  /** Removes it, also when this process ends. */
  remove: () => void;
};

/** A separate in-memory file system that other users can read. Null if this process may not mount one. */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  const dir = mkdtempSync(path.join(os.tmpdir(), "latchkey-disk-"));
  try {
    mount("-t", "tmpfs", "-o", `size=${megabytes}m,mode=755`, "tmpfs", dir);
  } catch {
    rmdirSync(dir);
    return null;
  }
  let isMounted = true;
  const filler = path.join(dir, "filler");

  function remove(): void {
    if (!isMounted) return;
    isMounted = false;
    process.off("exit", remove);
    // Lazily, so a server that is just ending doesn't block it.
    execFileSync("umount", ["--lazy", dir], { stdio: "pipe" });
    rmdirSync(dir);
  }
  process.on("exit", remove);
  return {
    dir,
    fill: () => fillWith(filler),
    empty: () => rmSync(filler, { force: true }),
    makeReadOnly: () => mount("-o", "remount,ro", dir),
    makeWritable: () => mount("-o", "remount,rw", dir),
    remove,
  };
}

function mount(...parameters: string[]): void {
  execFileSync("mount", parameters, { stdio: "pipe" });
}

/** The server writes meanwhile, so space it frees is filled too, until none is left. */
function fillWith(filler: string): void {
  const file = openSync(filler, "a");
  try {
    for (const chunk = Buffer.alloc(64 * 1024, 1); ;) {
      try {
        writeSync(file, chunk);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
        if (statfsSync(path.dirname(filler)).bfree === 0) return;
      }
    }
  } finally {
    closeSync(file);
  }
}

const hasPrlimit = spawnSync("prlimit", ["--version"]).status === 0;

/**
 * Imitates a full disk without special rights: the process may no longer write to files. Its pipes stay open. Null
 * without `prlimit`.
 */
export function findFileLimit(): { fill: (pid: number) => void; empty: (pid: number) => void } | null {
  if (!hasPrlimit) return null;
  const setLimit = (bytes: string) => (pid: number) =>
    void execFileSync("prlimit", [`--pid=${pid}`, `--fsize=${bytes}:`], { stdio: "pipe" });
  return { fill: setLimit("0"), empty: setLimit("unlimited") };
}
