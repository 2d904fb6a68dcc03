import path from "node:path";
import { integer, setting } from "~/platform/config/kinds";
import { InvalidSetting } from "~/platform/config/setting";
import type { SettingReader } from "~/platform/config/setting-reader";
import { canReadPostgresqlAddress } from "./postgresql-connection.server";

export const databaseSettings = {
  url: setting(
    "DATABASE_URL",
    { parse: parseAddress, range: "`file:` or `postgresql:` address", isSecret: true },
    "The database; `file:` is SQLite. Default: latchkey.db in the data folder.",
  ),
  pool: {
    size: integer(
      "DATABASE_POOL_SIZE",
      { min: 2, max: 200, default: 10 },
      "PostgreSQL: connections one server process may open. All processes together must stay below the server's max_connections.",
    ),
    connectSeconds: integer(
      "DATABASE_CONNECT_SECONDS",
      { min: 1, max: 60, default: 3 },
      "PostgreSQL: how many seconds a request waits for a free connection before it is told to try again later.",
    ),
    statementSeconds: integer(
      "DATABASE_STATEMENT_SECONDS",
      { min: 1, max: 300, default: 10 },
      "PostgreSQL: how long one statement may take, in seconds.",
    ),
    lockSeconds: integer(
      "DATABASE_LOCK_SECONDS",
      { min: 1, max: 300, default: 5 },
      "PostgreSQL: how long a statement waits for rows somebody else is changing, in seconds.",
    ),
    // Our transactions end within ten seconds, so a longer one hangs.
    idleSeconds: integer(
      "DATABASE_IDLE_SECONDS",
      { min: 11, max: 600, default: 15 },
      "PostgreSQL: after how many seconds without a statement the server undoes an open transaction, so that a process that hangs lets go of its rows.",
    ),
  },
  leaseSeconds: integer(
    "LEASE_SECONDS",
    { min: 2, max: 120, default: 10 },
    "Seconds after which another process takes over the watcher and open payments of a server process that was killed, and counts the quota tokens it had reserved. Readers of an answer that it wrote get its ending within the same time.",
  ),
};

export function readDatabase(reader: SettingReader, dataDir: string) {
  const values = reader.read(databaseSettings);
  return { ...values, url: values.url ?? `file:${path.join(dataDir, "latchkey.db")}` };
}

function parseAddress(given: string): string {
  if (!/^(file:.|postgres(ql)?:\/\/)/.test(given)) {
    throw new InvalidSetting("must begin with file: or postgresql://.");
  }
  if (!given.startsWith("file:") && !canReadPostgresqlAddress(given)) {
    throw new InvalidSetting(
      "cannot be read. Write postgresql://user:password@host:5432/name, and # / ? % in the password as %23 %2F %3F %25.",
    );
  }
  return given;
}
