import type { Meters } from "./meters.server";
import type { ProviderOutcome } from "./providers/instrument";
import type { RedisOutcome } from "./redis/redis-instrument.server";
import type { SpanCounts } from "./tracing/operation";

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
        "Spans: sent to the collector, dropped because too many waited, or failed because it did not take them.",
        { label: "outcome", read },
      ),
    observePayments: (readStatus: () => Promise<PaymentReading>) => observePayments(meters, readStatus),
  };
}

/** `kind`: what for; `durationSeconds`: of a stream, until its end; `firstSeconds` null: nothing came. */
type ProviderCall = {
  kind: string;
  provider: string;
  outcome: ProviderOutcome;
  durationSeconds: number;
  firstSeconds: number | null;
};

function createProviderMetrics({ counter, histogram }: Meters) {
  const labelNames = ["kind", "provider"] as const;
  const callsHelp =
    "Requests to models, voices, embedders and search stores, by what for, which one and how they ended.";
  const countCall = counter("provider_requests_total", callsHelp, [...labelNames, "outcome"]);
  const options = { buckets: providerBuckets, labelNames };
  const timeHelp = "How long they took; those that stream, until the end of the stream.";
  const timeCall = histogram("provider_request_duration_seconds", timeHelp, options);
  const firstHelp = "How long it took until the first of the answer came.";
  const timeFirst = histogram("provider_first_answer_seconds", firstHelp, options);
  return {
    observeProviderCall({ kind, provider, outcome, durationSeconds, firstSeconds }: ProviderCall): void {
      const labels = { kind, provider };
      countCall({ ...labels, outcome });
      timeCall(labels, durationSeconds);
      if (firstSeconds !== null) timeFirst(labels, firstSeconds);
    },
  };
}

type ToolCall = { tool: string; outcome: "ok" | "error"; durationSeconds: number };

function createToolMetrics({ counter, histogram }: Meters) {
  const callsHelp = "Tools that were run, for the chat's model and for MCP clients, by how it ended.";
  const countCall = counter("tool_calls_total", callsHelp, ["tool", "outcome"]);
  const options = { buckets: providerBuckets, labelNames: ["tool"] as const };
  const timeCall = histogram("tool_call_duration_seconds", "How long tools took.", options);
  return {
    observeToolCall({ tool, outcome, durationSeconds }: ToolCall): void {
      countCall({ tool, outcome });
      timeCall({ tool }, durationSeconds);
    },
  };
}

function createAnswerMetrics({ counter, upDownGauge }: Meters) {
  const streamsHelp = "Answers being written piece by piece at this moment, by route pattern.";
  const openStream = upDownGauge("open_streams", streamsHelp, ["route"]);
  const tokensHelp =
    "Tokens of the conversation as the quota estimates them: told to the model (in), and answered (out).";
  const countTokens = counter("chat_tokens_total", tokensHelp, ["direction"]);
  const spokenHelp = "Texts read aloud: spoken for the answer, or kept from before.";
  const countSpoken = counter("spoken_answers_total", spokenHelp, ["source"]);
  const countDepartures = counter("departures_total", "Keys this process saw leaving a wallet.");
  return {
    /** Returns what is called when it is over. */
    openStream: (route: string) => openStream({ route }),
    countChatTokens: ({ direction, count }: { direction: "in" | "out"; count: number }) =>
      countTokens({ direction }, count),
    /** `source`: whether it had to be spoken for this answer. */
    countSpokenAnswer: (source: "kept" | "spoken") => countSpoken({ source }),
    countDepartures: (count: number) => countDepartures({}, count),
  };
}

type QuotaStep = { kind: string; step: "reserved" | "settled" | "refused"; amount: number };

function createQuotaCounters({ counter }: Meters) {
  const units = "in the unit of its kind: tokens, characters or millionths of the chain's coin.";
  const counters = {
    reserved: counter("quota_reserved_total", `Set aside from quotas, ${units}`, ["kind"]),
    settled: counter("quota_settled_total", `Put down as used of what was set aside, ${units}`, ["kind"]),
    refused: counter("quota_refusals_total", "Times a quota had too little left.", ["kind"]),
  };
  return ({ kind, step, amount }: QuotaStep) => counters[step]({ kind }, amount);
}

type DatabaseCall = { what: "statement" | "transaction"; isFailed: boolean; durationSeconds: number };

function createDatabaseMetrics({ counter, histogram, labelledGauge }: Meters) {
  const options = { buckets: databaseBuckets };
  const statementHelp = "How long statements took, waiting for a connection or a lock included.";
  const transactionHelp = "How long transactions took, from asking for one to its end.";
  const timeCall = {
    statement: histogram("database_statement_duration_seconds", statementHelp, options),
    transaction: histogram("database_transaction_duration_seconds", transactionHelp, options),
  };
  const failuresHelp =
    "Statements and transactions that failed; those a database undid, to be tried again, included.";
  const countFailure = counter("database_failures_total", failuresHelp);
  const poolHelp =
    "PostgreSQL: connections that are open, those of them that are idle, and requests waiting for one.";
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
  const commandsHelp = "Commands to Redis, by the script they run and how they ended.";
  const countCommand = counter("redis_commands_total", commandsHelp, ["command", "outcome"]);
  const timeHelp = "How long Redis took to answer, or to be given up, by the script it ran.";
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
  const openHelp = "Payments of which the chain has not shown yet how they ended.";
  readGauge("payments_open", openHelp, async () => (await readStatus()).open);
  const ageHelp = "How long ago the oldest open payment was signed; 0 where none is open.";
  readGauge(
    "payment_oldest_open_seconds",
    ageHelp,
    async () => ((await readStatus()).oldestOpenMs ?? 0) / 1_000,
  );
}
