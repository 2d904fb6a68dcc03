import { act } from "~/operator/actions.server";
import type { ActionDone } from "~/operator/actions.server";
import { createActionStore } from "~/operator/actions.store.server";
import { hourSeconds } from "~/operator/activity/activity.store.server";
import { activityRange, viewActivity } from "~/operator/activity/activity-view";
import type { ActivitySpan, ActivityView } from "~/operator/activity/activity-view";
import type { Actor } from "~/operator/audit.store.server";
import { exportTable } from "~/operator/tables/export.server";
import { createMigrationReader } from "~/operator/tables/migrations.store.server";
import { readTable } from "~/operator/tables/read-table.server";
import type { TablePage } from "~/operator/tables/table-page";
import { createRedisTables } from "~/operator/tables/redis-tables.store.server";
import { requireSession, signIn, signOut } from "~/operator/session.server";
import type { StartedSession } from "~/operator/session.server";
import { createSessionStore } from "~/operator/sessions.store.server";
import type { OperatorSession } from "~/operator/sessions.store.server";
import { readState } from "~/operator/state.server";
import type { EndpointReading } from "~/operator/state.server";
import type { StateView } from "~/operator/state-view";
import { createOperatorSweep } from "~/operator/sweep.store.server";
import type { TableSettings, TableSpec } from "~/operator/tables/table-spec";
import { createTableStore } from "~/operator/tables/tables.store.server";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import { systemClock as clock } from "~/platform/clock";
import type { RateLimitName } from "~/platform/limits/limit-name";
import type { Config } from "~/settings.server";
import type { Database } from "~/platform/database/database.server";
import type { SweepStore } from "~/platform/database/sweep.store.server";
import type { Log } from "~/platform/log.server";
import type { Readiness } from "~/platform/readiness.server";
import type { Redis } from "~/platform/redis/redis.server";
import { resetQuotas, resetWindow } from "~/quota/quota-reset.server";
import type { QuotaWindowStore } from "~/quota/quota-windows.store.server";
import type { GateServices } from "./gate.server";
import type { OutboxServices } from "./outbox.server";
import type { PaymentServices } from "./payments.server";
import type { QuotaServices } from "./quota.server";
import type { Recording } from "./recording.server";
import type { SearchServices } from "./search.server";

type CookieCarrier = { cookie: string | undefined };

/** The operator's view; null where no secret is set for it. */
export type OperatorServices = {
  signIn: (request: { given: string; actor: Actor }) => Promise<StartedSession>;
  signOut: (request: CookieCarrier & { actor: Actor }) => Promise<void>;
  /** Throws the refusal `operator-sign-in-needed`. */
  requireSession: (request: CookieCarrier) => Promise<OperatorSession>;
  readState: () => Promise<StateView>;
  readActivity: (request: { span: ActivitySpan }) => Promise<ActivityView>;
  readTable: (spec: TableSpec, searchParams: URLSearchParams) => Promise<TablePage>;
  findSubmission: ReturnType<typeof createActionStore>["findSubmission"];
  act: (request: { action: string; form: URLSearchParams; actor: Actor }) => Promise<ActionDone>;
  exportTable: (request: {
    table: string | undefined;
    searchParams: URLSearchParams;
    actor: Actor;
    signal: AbortSignal;
  }) => Promise<Response>;
} | null;

const searchTimeoutMs = 2_000;

type Wiring = {
  config: Config;
  database: Database;
  redis: Redis | null;
  quotaWindows: QuotaWindowStore;
  chain: ChainClient;
  gate: GateServices;
  outbox: OutboxServices;
  quota: QuotaServices;
  search: SearchServices;
  recording: Recording;
  payments: PaymentServices | null;
  readReadiness: () => Promise<Readiness>;
  log: Log;
};

export function wireOperator(wiring: Wiring): OperatorServices {
  const { config, database, outbox, recording, log } = wiring;
  const { secret, idleSeconds, maxSeconds } = config.operator;
  if (secret === null) return null;
  const sessions = createSessionStore(database, clock);
  const { redis, quotaWindows } = wiring;
  const settings = readTableSettings(config);
  const tables = {
    ...createTableStore(database, clock),
    ...(redis &&
      createRedisTables({
        redis,
        listOpenWindows: quotaWindows.listOpenWindows,
        findLimit: settings.findLimit,
        clock,
      })),
  };
  const sessionDependencies = { secret, idleSeconds, maxSeconds, sessions, clock, log };
  const { contractAddress, id: chainId } = config.chain;
  const resetDependencies = {
    windows: quotaWindows,
    place: { chainId, contractAddress },
    log,
  };
  const store = createActionStore(database, clock, outbox.store);
  const actionDependencies = {
    store,
    wakeOutbox: outbox.sender.wake,
    resetWindow: (request: Omit<Parameters<typeof resetWindow>[0], "dependencies">) =>
      resetWindow({ ...request, dependencies: resetDependencies }),
    resetQuotas: (request: Omit<Parameters<typeof resetQuotas>[0], "dependencies">) =>
      resetQuotas({ ...request, dependencies: resetDependencies }),
  };
  const tableDependencies = { tables, settings, flush: recording.recorder.flush };
  const stateDependencies = listStateDependencies(wiring);

  return {
    signIn: (request) => signIn({ ...request, dependencies: sessionDependencies }),
    signOut: (request) => signOut({ ...request, dependencies: sessionDependencies }),
    requireSession: (request) => requireSession({ ...request, dependencies: sessionDependencies }),
    readState: () => readState(stateDependencies),
    readActivity: async ({ span }) => {
      // Shown is what is written; what this process still has in hand is written first.
      await recording.recorder.flush();
      const nowMs = clock();
      const range = activityRange(span, nowMs);
      const { activityDays } = config.operator;
      const keptSinceMs = span.spanSeconds === hourSeconds ? nowMs - activityDays * 86_400_000 : 0;
      const counts = await recording.activity.readCounts({
        spanSeconds: span.spanSeconds,
        sinceMs: Math.max(range.sinceMs, keptSinceMs),
        untilMs: range.untilMs,
      });
      return viewActivity(span, nowMs, counts);
    },
    readTable: (spec, searchParams) => readTable(spec, searchParams, tableDependencies),
    findSubmission: store.findSubmission,
    act: (request) => act({ ...request, dependencies: actionDependencies }),
    exportTable: (request) => exportTable({ ...request, dependencies: { tables, sessions } }),
  };
}

function listStateDependencies({ config, database, chain, gate, search, recording, ...rest }: Wiring) {
  return {
    clock,
    readReadiness: rest.readReadiness,
    database: {
      provider: config.database.url.startsWith("file:") ? "SQLite" : "PostgreSQL",
      readMigrations: createMigrationReader(database),
    },
    readEndpoints: () => readEndpoints(chain),
    watcherStatus: gate.watcherStatus,
    provider: { name: config.chat.provider, models: config.chat.models },
    search: {
      vendor: search.vendor,
      listNamespaces: () => search.listNamespaces({ timeoutMs: searchTimeoutMs }),
    },
    speechProvider: config.speech.provider,
    outboxStatus: rest.outbox.sender.status,
    recorderStatus: recording.recorder.status,
    paymentStatus: rest.payments?.readStatus ?? null,
    switches: config.switches,
  };
}

async function readEndpoints(chain: ChainClient): Promise<EndpointReading[]> {
  const readings = await chain.askEach({ method: "eth_blockNumber" });
  return readings.map(({ result, ...rest }) => ({
    ...rest,
    blockNumber: typeof result === "string" && /^0x[0-9a-f]{1,16}$/i.test(result) ? BigInt(result) : null,
  }));
}

function readTableSettings({ limits, quota, speech }: Config): TableSettings {
  const quotas: Readonly<Record<string, number>> = {
    token: quota.tokens,
    speech: speech.quota.characters,
  };
  return {
    findLimit: (name) => limits[name as RateLimitName] ?? null,
    findQuota: (kind) => quotas[kind] ?? null,
  };
}

/** The sweeper's work, with what the operator's view keeps swept along. */
export function withOperatorSweep(store: SweepStore, config: Config, database: Database): SweepStore {
  const operator = createOperatorSweep({ database, retention: config.operator });
  return {
    deleteBatch: async (request) =>
      Math.max(await store.deleteBatch(request), await operator.deleteBatch(request)),
  };
}
