import { copyFile, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import Sqlite from "libsql";
import type { Figure } from "./scenario";

/**
 * How much SQLite itself finds wrong with a database and its write-ahead log. Looks at a copy, so that the server that
 * comes next finds them just as they were left.
 */
export async function countDamages({ dataDir }: { dataDir: string }): Promise<number> {
  const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-integrity-"));
  try {
    for (const name of ["latchkey.db", "latchkey.db-wal"]) {
      await copyFile(path.join(dataDir, name), path.join(dir, name)).catch((error: NodeJS.ErrnoException) => {
        // There is no log after an orderly stop.
        if (error.code !== "ENOENT" || name === "latchkey.db") throw error;
      });
    }
    const sqlite = new Sqlite(path.join(dir, "latchkey.db"));
    const found = sqlite.prepare("PRAGMA integrity_check").all() as { integrity_check: string }[];
    const dangling = sqlite.prepare("PRAGMA foreign_key_check").all();
    sqlite.close();
    return found.filter(({ integrity_check }) => integrity_check !== "ok").length + dangling.length;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

export async function reckonDamages({ dataDir }: { dataDir: string }): Promise<Figure[]> {
  const measured = await countDamages({ dataDir });
  return [{ what: "damages found by integrity checks", measured, bound: { equals: 0 } }];
}
