import { chainLying } from "./scenarios/chain-lying";
import { clockJumps } from "./scenarios/clock-jumps";
import { databaseStopped } from "./scenarios/database-stopped";
import { diskFull, diskFullBelowPostgresql } from "./scenarios/disk-full";
import { diskReadOnly } from "./scenarios/disk-read-only";
import { killedOnPostgresql, killedOnRedis, killedOnSqlite } from "./scenarios/killed-under-load";
import { redisStopped } from "./scenarios/redis-stopped";
import type { Scenario } from "./scenario";
import { writerKilled, writerKilledOnRedis } from "./scenarios/writer-killed";
import { writerPaused } from "./scenarios/writer-paused";

/** In the order they are played. */
export const scenarios: readonly Scenario[] = [
  killedOnSqlite,
  killedOnPostgresql,
  killedOnRedis,
  writerKilled,
  writerKilledOnRedis,
  writerPaused,
  databaseStopped,
  redisStopped,
  diskFull,
  diskFullBelowPostgresql,
  diskReadOnly,
  chainLying,
  clockJumps,
];
