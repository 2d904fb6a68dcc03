import { databaseStopped } from "./database-stopped";
import { diskFull } from "./disk-full";
import { diskReadOnly } from "./disk-read-only";
import { killedOnPostgresql, killedOnSqlite } from "./killed-under-load";
import { redisStopped } from "./redis-stopped";
import type { Scenario } from "./scenario";

/** In the order they are played. */
export const scenarios: readonly Scenario[] = [
  killedOnSqlite,
  killedOnPostgresql,
  databaseStopped,
  redisStopped,
  diskFull,
  diskReadOnly,
];
