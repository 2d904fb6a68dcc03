import { chainLying } from "./chain-lying";
import { clockJumps } from "./clock-jumps";
import { databaseStopped } from "./database-stopped";
import { diskFull, diskFullBelowPostgresql } from "./disk-full";
import { diskReadOnly } from "./disk-read-only";
import { killedOnPostgresql, killedOnRedis, killedOnSqlite } from "./killed-under-load";
import { manyClients } from "./many-clients";
import { providerHanging } from "./provider-hanging";
import { redisStopped } from "./redis-stopped";
import type { Scenario } from "./scenario";
import { slowClients } from "./slow-clients";
import { soak } from "./soak";

/** In the order they are played. */
export const scenarios: readonly Scenario[] = [
  killedOnSqlite,
  killedOnPostgresql,
  killedOnRedis,
  databaseStopped,
  redisStopped,
  diskFull,
  diskFullBelowPostgresql,
  diskReadOnly,
  chainLying,
  clockJumps,
  providerHanging,
  slowClients,
  manyClients,
  soak,
];
