// The first step of a restore on SQLite (backup.md). Fails while a server works with the file, naming the server:
// node docs/sqlite-stopped.mjs data/latchkey.db
import { openSync, readSync } from "node:fs";
import Sqlite from "libsql";

/** A lease that ends later is from before the clock was set back. */
const longestLeaseMs = 180_000;

/** SQLite would write the -wal beside it into any other file. */
function isDatabase(file) {
  const begin = Buffer.alloc(16);
  try {
    readSync(openSync(file), begin);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
  return begin.toString() === "SQLite format 3\0";
}

/** A file that is missing or damaged, or has no such tables, has no server. */
function listServers(file) {
  if (!isDatabase(file)) return [];
  const database = new Sqlite(file, { timeout: 5_000 });
  try {
    return database
      .prepare(
        `SELECT owner, MAX("expiresAtMs") - unixepoch('subsec') * 1000 AS leftMs
         FROM (SELECT "holder" AS owner, "expiresAtMs" FROM "Lease" UNION ALL SELECT "instance", "expiresAtMs" FROM "QuotaInstance")
         GROUP BY owner HAVING leftMs > 0 AND leftMs < ${longestLeaseMs} ORDER BY owner`,
      )
      .all();
  } catch (error) {
    if (/^SQLITE_(NOTADB|CORRUPT)/.test(error.code) || /no such table/.test(error.message)) return [];
    throw error;
  } finally {
    database.close();
  }
}

const [file] = process.argv.slice(2);
const servers = listServers(file).map(({ owner, leftMs }) => {
  const [host, pid] = owner.split("/");
  return `process ${pid} on ${host}, for another ${Math.ceil(leftMs / 1_000)} s`;
});
if (servers.length > 0) {
  console.error(
    `A server works with ${file}: ${servers.join("; ")}. Stop it, and run this again. A server that crashed ` +
      "counts as running until that time is over. Nothing was changed.",
  );
  process.exitCode = 1;
}
