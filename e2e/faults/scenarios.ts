import { killedOnPostgresql, killedOnSqlite } from "./killed-under-load";
import type { Scenario } from "./scenario";

/** In the order they are played. */
export const scenarios: readonly Scenario[] = [killedOnSqlite, killedOnPostgresql];
