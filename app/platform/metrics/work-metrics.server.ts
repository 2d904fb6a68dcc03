import type { ProviderOutcome } from "../providers/instrument";
import type { RedisOutcome } from "../redis/redis.server";
import type { SpanCounts } from "../tracing/tracing.gateway.server";
import type { Meters } from "./meters.server";

const databaseBuckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10];
const providerBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Metrics of the work behind requests. */
export function createWorkMetrics(meters: Meters) {
  return {
    ...createProviderMetrics(meters),
    ...createReplyMetrics(meters),
    ...createQuotaMetrics(meters),
    ...createDatabaseMetrics(meters),
    ...createRedisMetrics(meters),
    observeTraceSpans: (read: () => SpanCounts) =>
      meters.labelledCounter(
        "trace_spans_total",
        "Trace spans: sent, dropped because the queue was full, or failed because the collector did not accept them.",
        { label: "outcome", read },
      ),
    observePayments(readStatus: () => Promise<PaymentReading>): void {
      meters.readGauge("payments_open", "Payments whose outcome is not on the chain yet.", [
        { read: async () => (await readStatus()).open },
      ]);
      meters.readGauge("payment_oldest_open_seconds", "Age of the oldest open payment; 0 if none is open.", [
        { read: async () => ((await readStatus()).oldestOpenMs ?? 0) / 1_000 },
      ]);
    },
  };
}

/** `oldestOpenMs` null: none is open. */
type PaymentReading = { open: number; oldestOpenMs: number | null };

/** `durationSeconds`: of a stream, until its end; `firstSeconds` null: nothing came. */
type ProviderCall = {
  kind: string;
  provider: string;
  outcome: ProviderOutcome;
  durationSeconds: number;
  firstSeconds: number | null;
};
type ToolCall = { tool: string; outcome: "ok" | "error"; durationSeconds: number };

function createProviderMetrics({ counter, timer }: Meters) {
  const labelNames = ["kind", "provider"] as const;
  const callsHelp = "Requests to models, voices, embedders and search stores, by kind, provider and outcome.";
  const calls = counter("provider_requests_total", callsHelp, [...labelNames, "outcome"]);
  const options = { buckets: providerBuckets, labelNames };
  const timeHelp = "Duration of requests to providers; of streams, until their end.";
  const times = timer("provider_request_duration_seconds", timeHelp, options);
  const firstHelp = "Time to the first piece of a provider's streamed reply.";
  const firstTimes = timer("provider_first_answer_seconds", firstHelp, options);
  const toolsHelp = "Tool runs, for the chat and for MCP clients, by tool and outcome.";
  const toolCalls = counter("tool_calls_total", toolsHelp, ["tool", "outcome"]);
  const toolTimes = timer("tool_call_duration_seconds", "Duration of tool runs.", {
    buckets: providerBuckets,
    labelNames: ["tool"],
  });
  return {
    observeProviderCall({ kind, provider, outcome, durationSeconds, firstSeconds }: ProviderCall): void {
      const labels = { kind, provider };
      calls.inc({ kind, provider, outcome });
      times.observe(labels, durationSeconds);
      if (firstSeconds !== null) firstTimes.observe(labels, firstSeconds);
    },
    observeToolCall({ tool, outcome, durationSeconds }: ToolCall): void {
      toolCalls.inc({ tool, outcome });
      toolTimes.observe({ tool }, durationSeconds);
    },
  };
}

function createReplyMetrics({ counter, gauge }: Meters) {
  const streams = gauge("open_streams", "Responses being streamed now, by route pattern.", ["route"]);
  const tokensHelp = "Tokens as the quota estimates them: read by the model (in), and replied (out).";
  const tokens = counter("chat_tokens_total", tokensHelp, ["direction"]);
  const spokenHelp = "Texts read aloud: spoken by the provider, or kept in the cache.";
  const spoken = counter("spoken_answers_total", spokenHelp, ["source"]);
  const departures = counter("departures_total", "Departures of keys that this process recorded.");
  return {
    /** Returns the function that ends it. */
    trackStream(route: string): () => void {
      streams.inc({ route });
      return () => streams.dec({ route });
    },
    countChatTokens: ({ direction, count }: { direction: "in" | "out"; count: number }) =>
      tokens.inc({ direction }, count),
    countSpokenAnswer: (source: "kept" | "spoken") => spoken.inc({ source }),
    countDepartures: (count: number) => departures.inc(count),
  };
}

type QuotaStep = { kind: string; step: "reserved" | "settled" | "refused"; amount: number };

function createQuotaMetrics({ counter }: Meters) {
  const units = "in tokens, characters or millionths of the chain's coin.";
  const refusedHelp = "Requests denied because a quota had too little left.";
  const counters = {
    reserved: counter("quota_reserved_total", `Reserved from quotas, ${units}`, ["kind"]),
    settled: counter("quota_settled_total", `Settled as used of what was reserved, ${units}`, ["kind"]),
    refused: counter("quota_refusals_total", refusedHelp, ["kind"]),
  };
  return { countQuota: ({ kind, step, amount }: QuotaStep) => counters[step].inc({ kind }, amount) };
}

type DatabaseCall = { what: "statement" | "transaction"; isFailed: boolean; durationSeconds: number };

function createDatabaseMetrics({ counter, timer, labelledGauge }: Meters) {
  const options = { buckets: databaseBuckets };
  const statementHelp = "Duration of statements, including the wait for a connection or a lock.";
  const transactionHelp = "Duration of transactions, from requesting one to its end.";
  const times = {
    statement: timer("database_statement_duration_seconds", statementHelp, options),
    transaction: timer("database_transaction_duration_seconds", transactionHelp, options),
  };
  const failuresHelp = "Statements and transactions that failed, including those that were retried.";
  const failures = counter("database_failures_total", failuresHelp);
  const poolHelp = "PostgreSQL: open connections, idle ones of those, and requests waiting for one.";
  return {
    observeDatabase({ what, isFailed, durationSeconds }: DatabaseCall): void {
      times[what].observe(durationSeconds);
      if (isFailed) failures.inc();
    },
    observeDatabasePool: (readPool: () => { open: number; idle: number; waiting: number } | null) =>
      labelledGauge("database_pool_connections", poolHelp, { label: "state", read: () => readPool() ?? {} }),
  };
}

/** `command`: a script's name, or a command's. */
type RedisCommand = { command: string; outcome: RedisOutcome; durationSeconds: number };

function createRedisMetrics({ counter, timer }: Meters) {
  const commandsHelp = "Commands to Redis, by script and outcome.";
  const commands = counter("redis_commands_total", commandsHelp, ["command", "outcome"]);
  const timeHelp = "Duration of commands to Redis, including those that timed out, by script.";
  const options = { buckets: databaseBuckets, labelNames: ["command"] as const };
  const times = timer("redis_command_duration_seconds", timeHelp, options);
  return {
    observeRedis({ command, outcome, durationSeconds }: RedisCommand): void {
      commands.inc({ command, outcome });
      times.observe({ command }, durationSeconds);
    },
  };
}
