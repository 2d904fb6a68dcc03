import path from "node:path";
import { integer, setting } from "~/platform/config/kinds";
import { InvalidSetting } from "~/platform/config/setting";
import type { SettingReader } from "~/platform/config/setting-reader";
import { defaultPool } from "./database.server";
import { canReadPostgresqlAddress } from "./postgresql-connection.server";

export const databaseSettings = {
  url: setting(
    "DATABASE_URL",
    { parse: parseAddress, range: "`file:` or `postgresql:` address", isSecret: true },
    "The database; `file:` is SQLite. Default: latchkey.db in the data folder.",
  ),
  poolSize: integer(
    "DATABASE_POOL_SIZE",
    { min: 2, max: 200, default: 10 },
    "PostgreSQL: connections one server process may open. All processes together must stay below the server's max_connections.",
  ),
  connectSeconds: integer(
    "DATABASE_CONNECT_SECONDS",
    { min: 1, max: 60, default: 3, isForTests: true },
    "PostgreSQL: how long a request waits for a free connection.",
  ),
  statementSeconds: integer(
    "DATABASE_STATEMENT_SECONDS",
    { min: 1, max: 300, default: 10, isForTests: true },
    "PostgreSQL: how long one statement may take.",
  ),
  leaseSeconds: integer(
    "LEASE_SECONDS",
    { min: 2, max: 120, default: 10 },
    "Seconds after which another process takes over the watcher and open payments of a server process that was killed, and counts the quota tokens it had reserved. Readers of an answer that it wrote get its ending within the same time.",
  ),
};

export function readDatabase(reader: SettingReader, dataDir: string) {
  const { url, poolSize: size, leaseSeconds, ...limits } = reader.read(databaseSettings);
  const pool = { ...defaultPool, ...limits, size };
  return { url: url ?? `file:${path.join(dataDir, "latchkey.db")}`, pool, leaseSeconds };
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
