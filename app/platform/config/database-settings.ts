import type { Setting } from "./setting";

/** The part of the list of settings that is about how the database is used. */
export const databaseSettings = [
  {
    name: "DATABASE_URL",
    group: "State",
    secret: true,
    effect: "`file:` (SQLite) or `postgresql:`. Default: latchkey.db in the data folder.",
  },
  {
    name: "DATABASE_POOL_SIZE",
    group: "State",
    default: "10",
    effect:
      "PostgreSQL: connections one server process may open, 2 to 200. All processes together must stay below the server's max_connections.",
  },
  {
    name: "DATABASE_CONNECT_SECONDS",
    group: "State",
    default: "3",
    effect:
      "PostgreSQL: how long a request waits for a free connection before it is told to try again later.",
  },
  {
    name: "DATABASE_STATEMENT_SECONDS",
    group: "State",
    default: "10",
    effect: "PostgreSQL: how long one statement may take, 1 to 300.",
  },
  {
    name: "DATABASE_LOCK_SECONDS",
    group: "State",
    default: "5",
    effect: "PostgreSQL: how long a statement waits for rows somebody else is changing, 1 to 300.",
  },
  {
    name: "DATABASE_IDLE_SECONDS",
    group: "State",
    default: "15",
    effect:
      "PostgreSQL: after how long without a statement the server undoes an open transaction, so that a process that hangs lets go of its rows: 11 to 600.",
  },
  {
    name: "LEASE_SECONDS",
    group: "State",
    default: "10",
    effect:
      "How long watcher, outbox sender and sweeper stay with a server process that was killed before another one takes over, 2 to 120.",
  },
] as const satisfies readonly Setting[];
