import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, rmdirSync, statfsSync, writeSync } from "node:fs";
import os from "node:os";
import path from "node:path";

export type SmallDisk = {
  dir: string;
  /** Not a byte is left afterwards. */
  fill: () => void;
  empty: () => void;
  /** Fails while somebody has a file open for writing. */
  makeReadOnly: () => void;
  makeWritable: () => void;
  /** Gone, also when this process ends without having asked for it. */
  remove: () => void;
};

/** A file system of its own, in memory; null where this process may not mount one. */
export function mountSmallDisk({ megabytes }: { megabytes: number }): SmallDisk | null {
  const dir = mkdtempSync(path.join(os.tmpdir(), "latchkey-disk-"));
  try {
    mount("-t", "tmpfs", "-o", `size=${megabytes}m,mode=700`, "tmpfs", dir);
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
    // Lazily: a server that is just ending must not keep it.
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

/** The server writes meanwhile: what it gives back is taken as well, until nothing is left. */
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

/**
 * The nearest thing without rights of one's own: no file of this process may grow or be written beyond its first
 * byte. Null where there is no `prlimit`.
 */
export function limitFiles({ pid }: { pid: number }): { full: () => void; free: () => void } | null {
  const setLimit = (bytes: string) =>
    execFileSync("prlimit", [`--pid=${pid}`, `--fsize=${bytes}:`], { stdio: "pipe" });
  try {
    setLimit("unlimited");
  } catch {
    return null;
  }
  return { full: () => void setLimit("0"), free: () => void setLimit("unlimited") };
}
