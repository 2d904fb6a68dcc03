import type { Meters } from "./meters.server";
import type { ProviderOutcome } from "../providers/instrument";
import type { RedisOutcome } from "../redis/redis-instrument.server";
import type { SpanCounts } from "../tracing/tracing.gateway.server";

const databaseBuckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10];
const providerBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Metrics of the work behind requests. */
export function createWorkMetrics(meters: Meters) {
  return {
    ...createProviderMetrics(meters),
    ...createToolMetrics(meters),
    ...createAnswerMetrics(meters),
    countQuota: createQuotaCounters(meters),
    ...createDatabaseMetrics(meters),
    ...createRedisMetrics(meters),
    observeTraceSpans: (read: () => SpanCounts) =>
      meters.labelledCounter(
        "trace_spans_total",
        "Trace spans: sent, dropped because the queue was full, or failed because the collector did not accept them.",
        { label: "outcome", read },
      ),
    observePayments: (readStatus: () => Promise<PaymentReading>) => observePayments(meters, readStatus),
  };
}

/** `durationSeconds`: of a stream, until its end; `firstSeconds` null: nothing came. */
type ProviderCall = {
  kind: string;
  provider: string;
  outcome: ProviderOutcome;
  durationSeconds: number;
  firstSeconds: number | null;
};

function createProviderMetrics({ counter, histogram }: Meters) {
  const labelNames = ["kind", "provider"] as const;
  const callsHelp = "Requests to models, voices, embedders and search stores, by kind, provider and outcome.";
  const countCall = counter("provider_requests_total", callsHelp, [...labelNames, "outcome"]);
  const options = { buckets: providerBuckets, labelNames };
  const timeHelp = "Duration of requests to providers; of streams, until their end.";
  const timeCall = histogram("provider_request_duration_seconds", timeHelp, options);
  const firstHelp = "Time to the first piece of a provider's streamed answer.";
  const timeFirst = histogram("provider_first_answer_seconds", firstHelp, options);
  return {
    observeProviderCall({ kind, provider, outcome, durationSeconds, firstSeconds }: ProviderCall): void {
      const labels = { kind, provider };
      countCall({ kind, provider, outcome });
      timeCall(labels, durationSeconds);
      if (firstSeconds !== null) timeFirst(labels, firstSeconds);
    },
  };
}

type ToolCall = { tool: string; outcome: "ok" | "error"; durationSeconds: number };

function createToolMetrics({ counter, histogram }: Meters) {
  const callsHelp = "Tool runs, for the chat and for MCP clients, by tool and outcome.";
  const countCall = counter("tool_calls_total", callsHelp, ["tool", "outcome"]);
  const options = { buckets: providerBuckets, labelNames: ["tool"] as const };
  const timeCall = histogram("tool_call_duration_seconds", "Duration of tool runs.", options);
  return {
    observeToolCall({ tool, outcome, durationSeconds }: ToolCall): void {
      countCall({ tool, outcome });
      timeCall({ tool }, durationSeconds);
    },
  };
}

function createAnswerMetrics({ counter, upDownGauge }: Meters) {
  const streamsHelp = "Responses being streamed now, by route pattern.";
  const openStream = upDownGauge("open_streams", streamsHelp, ["route"]);
  const tokensHelp = "Tokens as the quota estimates them: read by the model (in), and answered (out).";
  const countTokens = counter("chat_tokens_total", tokensHelp, ["direction"]);
  const spokenHelp = "Texts read aloud: spoken by the provider, or kept in the cache.";
  const countSpoken = counter("spoken_answers_total", spokenHelp, ["source"]);
  const countDepartures = counter("departures_total", "Departures of keys that this process recorded.");
  return {
    /** Returns the function that closes it. */
    openStream: (route: string) => openStream({ route }),
    countChatTokens: ({ direction, count }: { direction: "in" | "out"; count: number }) =>
      countTokens({ direction }, count),
    countSpokenAnswer: (source: "kept" | "spoken") => countSpoken({ source }),
    countDepartures: (count: number) => countDepartures({}, count),
  };
}

type QuotaStep = { kind: string; step: "reserved" | "settled" | "refused"; amount: number };

function createQuotaCounters({ counter }: Meters) {
  const units = "in tokens, characters or millionths of the chain's coin.";
  const counters = {
    reserved: counter("quota_reserved_total", `Reserved from quotas, ${units}`, ["kind"]),
    settled: counter("quota_settled_total", `Settled as used of what was reserved, ${units}`, ["kind"]),
    refused: counter("quota_refusals_total", "Requests denied because a quota had too little left.", [
      "kind",
    ]),
  };
  return ({ kind, step, amount }: QuotaStep) => counters[step]({ kind }, amount);
}

type DatabaseCall = { what: "statement" | "transaction"; isFailed: boolean; durationSeconds: number };

function createDatabaseMetrics({ counter, histogram, labelledGauge }: Meters) {
  const options = { buckets: databaseBuckets };
  const statementHelp = "Duration of statements, including the wait for a connection or a lock.";
  const transactionHelp = "Duration of transactions, from requesting one to its end.";
  const timeCall = {
    statement: histogram("database_statement_duration_seconds", statementHelp, options),
    transaction: histogram("database_transaction_duration_seconds", transactionHelp, options),
  };
  const failuresHelp = "Statements and transactions that failed, including those that were retried.";
  const countFailure = counter("database_failures_total", failuresHelp);
  const poolHelp = "PostgreSQL: open connections, idle ones of those, and requests waiting for one.";
  return {
    observeDatabase({ what, isFailed, durationSeconds }: DatabaseCall): void {
      timeCall[what]({}, durationSeconds);
      if (isFailed) countFailure({});
    },
    observeDatabasePool: (readPool: () => { open: number; idle: number; waiting: number } | null) =>
      labelledGauge("database_pool_connections", poolHelp, { label: "state", read: () => readPool() ?? {} }),
  };
}

/** `command`: a script's name, or a command's. */
type RedisCommand = { command: string; outcome: RedisOutcome; durationSeconds: number };

function createRedisMetrics({ counter, histogram }: Meters) {
  const commandsHelp = "Commands to Redis, by script and outcome.";
  const countCommand = counter("redis_commands_total", commandsHelp, ["command", "outcome"]);
  const timeHelp = "Duration of commands to Redis, including those that timed out, by script.";
  const options = { buckets: databaseBuckets, labelNames: ["command"] as const };
  const timeCommand = histogram("redis_command_duration_seconds", timeHelp, options);
  return {
    observeRedis({ command, outcome, durationSeconds }: RedisCommand): void {
      countCommand({ command, outcome });
      timeCommand({ command }, durationSeconds);
    },
  };
}

/** `oldestOpenMs` null: none is open. */
type PaymentReading = { open: number; oldestOpenMs: number | null };

function observePayments({ readGauge }: Meters, readStatus: () => Promise<PaymentReading>): void {
  const openHelp = "Payments whose outcome is not on the chain yet.";
  readGauge("payments_open", openHelp, async () => (await readStatus()).open);
  const ageHelp = "Age of the oldest open payment; 0 where none is open.";
  readGauge(
    "payment_oldest_open_seconds",
    ageHelp,
    async () => ((await readStatus()).oldestOpenMs ?? 0) / 1_000,
  );
}
