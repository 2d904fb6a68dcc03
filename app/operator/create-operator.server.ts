import type { ChainClients } from "~/platform/chain/chain-clients.server";
import { isSqlite } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import type { ValuesOf } from "~/platform/config/setting";
import type { Log } from "~/platform/log/log.server";
import type { OutboxServices } from "~/platform/outbox/create-outbox.server";
import type { Redis } from "~/platform/redis/redis.server";
import { systemClock as clock } from "~/platform/time/clock";
import type { QuotaServices } from "~/quota/create-quota.server";
import { createActions } from "./actions.server";
import { createActionStore } from "./actions.store.server";
import { createActivityReader } from "./activity/create-recording.server";
import type { Recording } from "./activity/create-recording.server";
import { createCheck } from "./check/check.server";
import type { CheckDependencies } from "./check/check.server";
import type { operatorSettings } from "./operator.settings";
import { createSessionAccess, sessionLife } from "./session.server";
import { createSessionStore } from "./sessions.store.server";
import { readState } from "./state.server";
import type { StateDependencies } from "./state.server";
import { operatorRetention } from "./sweep.store.server";
import { exportTable, readTable } from "./tables/read-table.server";
import { createRedisTables } from "./tables/redis-tables.store.server";
import type { TableSettings, TableSpec } from "./tables/table-spec";
import { createMigrationReader, createTableStore } from "./tables/tables.store.server";

type Dependencies = {
  settings: ValuesOf<typeof operatorSettings>;
  database: Database;
  redis: Redis | null;
  chains: ChainClients;
  kinds: CheckDependencies["kinds"];
  gate: Pick<CheckDependencies, "survey"> & Pick<StateDependencies, "watcherStatuses" | "areKindsNamed">;
  outbox: Pick<OutboxServices, "store" | "wake" | "status">;
  quota: Pick<QuotaServices, "resetWindow" | "reset">;
  listOpenWindows: Parameters<typeof createRedisTables>[0]["listOpenWindows"];
  limits: Readonly<Record<string, ReturnType<TableSettings["findLimit"]>>>;
  /** Tokens and characters that a key may use. */
  quotas: Readonly<Record<string, number>>;
  recording: Recording;
  chat: Pick<StateDependencies, "provider">;
  search: StateDependencies["search"];
  speech: { provider: StateDependencies["speech"] };
  /** Null if nobody can be paid. */
  payments: { readStatus: NonNullable<StateDependencies["paymentStatus"]> } | null;
  readReadiness: StateDependencies["readReadiness"];
  switches: StateDependencies["switches"];
  log: Log;
};

/** The operator's view; null without a secret. */
export function createOperator(given: Dependencies) {
  const { settings, database, redis, listOpenWindows, limits, quotas, recording, log } = given;
  const { gate, outbox } = given;
  const { secret } = settings;
  if (secret === null) return null;
  const tableSettings: TableSettings = {
    findLimit: (name) => limits[name] ?? null,
    findQuota: (kind) => quotas[kind] ?? null,
  };
  const sessions = createSessionStore(database, clock);
  const tables = {
    ...createTableStore(database, clock),
    ...(redis && createRedisTables({ redis, listOpenWindows, findLimit: tableSettings.findLimit, clock })),
  };
  const store = createActionStore(database, clock, outbox.store);
  const tableDependencies = { tables, settings: tableSettings, flush: recording.recorder.flush };
  const stateDependencies = {
    clock,
    readReadiness: given.readReadiness,
    database: {
      provider: isSqlite(database) ? "SQLite" : "PostgreSQL",
      readMigrations: createMigrationReader(database),
    },
    askEndpoints: () => askEndpoints(given.chains),
    watcherStatuses: gate.watcherStatuses,
    areKindsNamed: gate.areKindsNamed,
    provider: given.chat.provider,
    search: given.search,
    speech: given.speech.provider,
    outboxStatus: outbox.status,
    recorderStatus: recording.recorder.status,
    paymentStatus: given.payments?.readStatus ?? null,
    switches: given.switches,
  };
  return {
    ...createSessionAccess({ secret, ...sessionLife, sessions, clock, log }),
    readState: () => readState(stateDependencies),
    check: createCheck({ kinds: given.kinds, survey: gate.survey, sessions, clock }),
    readActivity: createActivityReader({ recording, keptDays: operatorRetention.activityDays }),
    readTable: (spec: TableSpec, searchParams: URLSearchParams) =>
      readTable(spec, searchParams, tableDependencies),
    exportTable: (request: Parameters<typeof exportTable>[0]) =>
      exportTable(request, { ...tableDependencies, sessions }),
    findSubmission: store.findSubmission,
    act: createActions({
      store,
      wakeOutbox: outbox.wake,
      resetWindow: given.quota.resetWindow,
      resetQuotas: given.quota.reset,
    }),
  };
}

function askEndpoints(chains: ChainClients) {
  return Promise.all(
    [...chains].map(async ([chainId, client]) => ({
      ...(chains.size > 1 && { chainId }),
      replies: await client.askEach({ method: "eth_blockNumber" }),
    })),
  );
}
