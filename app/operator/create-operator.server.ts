import { chatProviders } from "~/chat/providers/chat-providers.server";
import { act } from "~/operator/actions.server";
import type { ActionRequest } from "~/operator/actions.server";
import { createActionStore } from "~/operator/actions.store.server";
import type { CountRange } from "~/operator/activity/activity.store.server";
import { readActivity } from "~/operator/activity/read-activity.server";
import type { ActivitySpan } from "~/operator/activity/activity-view";
import { check } from "~/operator/check/check.server";
import type { CheckRequest } from "~/operator/check/check.server";
import { exportTable } from "~/operator/tables/export.server";
import type { ExportRequest } from "~/operator/tables/export.server";
import { createMigrationReader } from "~/operator/tables/migrations.store.server";
import { readTable } from "~/operator/tables/read-table.server";
import { createRedisTables } from "~/operator/tables/redis-tables.store.server";
import { requireSession, signIn, signOut } from "~/operator/session.server";
import type { CookieCarrier, SignInRequest, SignOutRequest } from "~/operator/session.server";
import { createSessionStore } from "~/operator/sessions.store.server";
import { readState } from "~/operator/state.server";
import { createOperatorSweep } from "~/operator/sweep.store.server";
import type { TableSettings, TableSpec } from "~/operator/tables/table-spec";
import { createTableStore } from "~/operator/tables/tables.store.server";
import { systemClock as clock } from "~/platform/time/clock";
import type { RateLimitName } from "~/platform/limits/limit-name";
import type { Config } from "~/settings.server";
import type { Database } from "~/platform/database/database.server";
import type { SweepStore } from "~/platform/sweep/sweep.store.server";
import type { Readiness } from "~/platform/instance/readiness.server";
import { getProvider } from "~/platform/providers/provider-row";
import { speechProviders } from "~/speech/providers/speech-providers.server";
import type { Foundation } from "~/services/foundation.server";
import type { GateServices } from "~/gate/create-gate.server";
import type { OutboxServices } from "~/platform/outbox/create-outbox.server";
import type { PaymentServices } from "~/payments/create-payments.server";
import type { QuotaServices } from "~/quota/create-quota.server";
import type { SearchServices } from "~/search/create-search.server";

/** The operator's view; null where no secret is set for it. */
export type OperatorServices = ReturnType<typeof wireOperator>;

const searchTimeoutMs = 2_000;

type OperatorNeeds = {
  gate: GateServices;
  outbox: OutboxServices;
  quota: QuotaServices;
  search: SearchServices;
  payments: PaymentServices | null;
  readReadiness: () => Promise<Readiness>;
};

export function wireOperator(foundation: Foundation, needs: OperatorNeeds) {
  const { config, database, redis, state, recording, log } = foundation;
  const { outbox, quota } = needs;
  const { secret, idleSeconds, maxSeconds } = config.operator;
  if (secret === null) return null;
  const sessions = createSessionStore(database, clock);
  const settings = readTableSettings(config);
  const { listOpenWindows } = state.quotaWindows;
  const tables = {
    ...createTableStore(database, clock),
    ...(redis && createRedisTables({ redis, listOpenWindows, findLimit: settings.findLimit, clock })),
  };
  const sessionDependencies = { secret, idleSeconds, maxSeconds, sessions, clock, log };
  const store = createActionStore(database, clock, outbox.store);
  const actionDependencies = {
    store,
    wakeOutbox: outbox.sender.wake,
    resetWindow: quota.resetWindow,
    resetQuotas: quota.reset,
  };
  const tableDependencies = { tables, settings, flush: recording.recorder.flush };
  const activityDependencies = {
    readCounts: async (range: CountRange) => {
      // Shown is what is written; what this process still has in hand is written first.
      await recording.recorder.flush();
      return recording.activity.readCounts(range);
    },
    keptDays: config.operator.activityDays,
    clock,
  };
  const checkDependencies = {
    kinds: config.keys.list,
    survey: needs.gate.survey,
    sessions,
    clock,
  };
  const stateDependencies = listStateDependencies(foundation, needs);
  return {
    signIn: (request: SignInRequest) => signIn(request, sessionDependencies),
    signOut: (request: SignOutRequest) => signOut(request, sessionDependencies),
    /** Throws the refusal `operator-sign-in-needed`. */
    requireSession: (request: CookieCarrier) => requireSession(request, sessionDependencies),
    readState: () => readState(stateDependencies),
    check: (request: CheckRequest) => check(request, checkDependencies),
    readActivity: ({ span }: { span: ActivitySpan }) => readActivity(span, activityDependencies),
    readTable: (spec: TableSpec, searchParams: URLSearchParams) =>
      readTable(spec, searchParams, tableDependencies),
    findSubmission: store.findSubmission,
    act: (request: ActionRequest) => act(request, actionDependencies),
    exportTable: (request: ExportRequest) => exportTable(request, { ...tableDependencies, sessions }),
  };
}

function listStateDependencies(foundation: Foundation, needs: OperatorNeeds) {
  const { config, database, chains, recording } = foundation;
  const { gate, outbox, search, payments, readReadiness } = needs;
  const { chat, speech } = config;
  return {
    clock,
    readReadiness,
    database: {
      provider: config.database.url.startsWith("file:") ? "SQLite" : "PostgreSQL",
      readMigrations: createMigrationReader(database),
    },
    askEndpoints: () =>
      Promise.all(
        [...chains].map(async ([chainId, client]) => ({
          ...(chains.size > 1 && { chainId }),
          answers: await client.askEach({ method: "eth_blockNumber" }),
        })),
      ),
    watcherStatuses: gate.watcherStatuses,
    areKindsNamed: gate.areKindsNamed,
    provider: {
      name: chat.provider,
      isEmbedded: getProvider(chatProviders, chat.provider).isEmbedded ?? false,
      models: chat.models,
    },
    search: {
      isEmbedded: search.isEmbedded,
      listNamespaces: () => search.listNamespaces({ timeoutMs: searchTimeoutMs }),
    },
    speech: {
      name: speech.provider,
      isEmbedded: speechProviders.some(({ name, isEmbedded }) => name === speech.provider && isEmbedded),
    },
    outboxStatus: outbox.sender.status,
    recorderStatus: recording.recorder.status,
    paymentStatus: payments?.readStatus ?? null,
    switches: config.switches,
  };
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
