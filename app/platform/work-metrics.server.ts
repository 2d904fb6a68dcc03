import { Counter, Gauge, Histogram } from "prom-client";
import type { Registry } from "prom-client";
import type { RedisOutcome } from "./redis/redis-watch.server";
import { answerWithin } from "./metric-answer";
import { createLabelBound, metricPrefix as prefix } from "./metric-labels";
import type { SpanCounts } from "./tracing/span";

export type ProviderOutcome = "ok" | "error" | "cancelled";
export type PoolReading = { open: number; idle: number; waiting: number };

type ProviderCall = {
  kind: string;
  provider: string;
  outcome: ProviderOutcome;
  durationSeconds: number;
  firstSeconds: number | null;
};

/** What is done behind the requests, and for whom it is counted. Labels are of small sets of our own. */
export type WorkMetrics = {
  /** `kind`: what for; `durationSeconds`: of a stream, until its end; `firstSeconds` null: nothing came. */
  observeProviderCall(call: ProviderCall): void;
  observeToolCall(call: { tool: string; outcome: "ok" | "error"; durationSeconds: number }): void;
  /** Gives back what is called when it is over. */
  openStream(route: string): () => void;
  countChatTokens(tokens: { direction: "in" | "out"; count: number }): void;
  countQuota(step: { kind: string; step: "reserved" | "settled" | "refused"; amount: number }): void;
  /** `source`: whether it had to be spoken for this answer. */
  countSpokenAnswer(source: "kept" | "spoken"): void;
  countDepartures(count: number): void;
  observeDatabase(call: {
    what: "statement" | "transaction";
    isFailed: boolean;
    durationSeconds: number;
  }): void;
  /** `command`: a script's name, or a command's. */
  observeRedis(call: { command: string; outcome: RedisOutcome; durationSeconds: number }): void;
  /** Asked at each scrape. */
  watchDatabasePool(readPool: () => PoolReading | null): void;
  watchTraceSpans(readCounts: () => SpanCounts): void;
  /** Asked at each scrape. While it fails or takes longer than a second the gauges say NaN: unknown, not zero. */
  watchPayments(readStatus: () => Promise<PaymentReading>): void;
};

/** `oldestOpenMs` null: none is open. */
export type PaymentReading = { open: number; oldestOpenMs: number | null };

const databaseBucketsSeconds = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10,
];
const providerBucketsSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

export function createWorkMetrics(registry: Registry): WorkMetrics {
  return {
    ...createProviderMetrics(registry),
    ...createToolMetrics(registry),
    ...createAnswerMetrics(registry),
    countQuota: createQuotaCounters(registry),
    ...createDatabaseMetrics(registry),
    ...createRedisMetrics(registry),
    watchTraceSpans: (readCounts) => createSpanCounter(registry, readCounts),
    watchPayments: (readStatus) => createPaymentGauges(registry, readStatus),
  };
}

function createProviderMetrics(registry: Registry): Pick<WorkMetrics, "observeProviderCall"> {
  const labelNames = ["kind", "provider"] as const;
  const shared = { registers: [registry], buckets: providerBucketsSeconds, labelNames };
  const calls = new Counter({
    name: `${prefix}provider_requests_total`,
    help: "Requests to models, voices, embedders and search stores, by what for, which one and how they ended.",
    labelNames: [...labelNames, "outcome"] as const,
    registers: [registry],
  });
  const durations = new Histogram({
    ...shared,
    name: `${prefix}provider_request_duration_seconds`,
    help: "How long they took; those that stream, until the end of the stream.",
  });
  const firsts = new Histogram({
    ...shared,
    name: `${prefix}provider_first_answer_seconds`,
    help: "How long it took until the first of the answer came.",
  });
  const [boundKind, boundProvider] = [createLabelBound(), createLabelBound()];
  return {
    observeProviderCall({ kind, provider, outcome, durationSeconds, firstSeconds }) {
      const labels = { kind: boundKind(kind), provider: boundProvider(provider) };
      calls.inc({ ...labels, outcome });
      durations.observe(labels, durationSeconds);
      if (firstSeconds !== null) firsts.observe(labels, firstSeconds);
    },
  };
}

function createToolMetrics(registry: Registry): Pick<WorkMetrics, "observeToolCall"> {
  const calls = new Counter({
    name: `${prefix}tool_calls_total`,
    help: "Tools that were run, for the chat's model and for MCP clients, by how it ended.",
    labelNames: ["tool", "outcome"] as const,
    registers: [registry],
  });
  const durations = new Histogram({
    name: `${prefix}tool_call_duration_seconds`,
    help: "How long tools took.",
    labelNames: ["tool"] as const,
    buckets: providerBucketsSeconds,
    registers: [registry],
  });
  const boundTool = createLabelBound();
  return {
    observeToolCall({ tool, outcome, durationSeconds }) {
      const bounded = boundTool(tool);
      calls.inc({ tool: bounded, outcome });
      durations.observe({ tool: bounded }, durationSeconds);
    },
  };
}

function createAnswerMetrics(
  registry: Registry,
): Pick<WorkMetrics, "openStream" | "countChatTokens" | "countSpokenAnswer" | "countDepartures"> {
  const registers = [registry];
  const streams = new Gauge({
    name: `${prefix}open_streams`,
    help: "Answers being written piece by piece at this moment, by route pattern.",
    labelNames: ["route"] as const,
    registers,
  });
  const tokens = new Counter({
    name: `${prefix}chat_tokens_total`,
    help: "Tokens of the conversation as the quota estimates them: told to the model (in), and answered (out).",
    labelNames: ["direction"] as const,
    registers,
  });
  const spoken = new Counter({
    name: `${prefix}spoken_answers_total`,
    help: "Texts read aloud: spoken for the answer, or kept from before.",
    labelNames: ["source"] as const,
    registers,
  });
  const departures = new Counter({
    name: `${prefix}departures_total`,
    help: "Keys this process saw leaving a wallet.",
    registers,
  });
  const boundRoute = createLabelBound();
  return {
    openStream(route) {
      const labels = { route: boundRoute(route) };
      streams.inc(labels);
      return () => streams.dec(labels);
    },
    countChatTokens: ({ direction, count }) => tokens.inc({ direction }, count),
    countSpokenAnswer: (source) => spoken.inc({ source }),
    countDepartures: (count) => departures.inc(count),
  };
}

function createQuotaCounters(registry: Registry): WorkMetrics["countQuota"] {
  const shared = { labelNames: ["kind"] as const, registers: [registry] };
  const units = "in the unit of its kind: tokens, characters or millionths of the chain's coin.";
  const counters = {
    reserved: new Counter({
      ...shared,
      name: `${prefix}quota_reserved_total`,
      help: `Set aside from quotas, ${units}`,
    }),
    settled: new Counter({
      ...shared,
      name: `${prefix}quota_settled_total`,
      help: `Put down as used of what was set aside, ${units}`,
    }),
    refused: new Counter({
      ...shared,
      name: `${prefix}quota_refusals_total`,
      help: "Times a quota had too little left.",
    }),
  };
  const boundKind = createLabelBound();
  return ({ kind, step, amount }) => counters[step].inc({ kind: boundKind(kind) }, amount);
}

function createDatabaseMetrics(
  registry: Registry,
): Pick<WorkMetrics, "observeDatabase" | "watchDatabasePool"> {
  const shared = { buckets: databaseBucketsSeconds, registers: [registry] };
  const durations = {
    statement: new Histogram({
      ...shared,
      name: `${prefix}database_statement_duration_seconds`,
      help: "How long statements took, waiting for a connection or a lock included.",
    }),
    transaction: new Histogram({
      ...shared,
      name: `${prefix}database_transaction_duration_seconds`,
      help: "How long transactions took, from asking for one to its end.",
    }),
  };
  const failures = new Counter({
    name: `${prefix}database_failures_total`,
    help: "Statements and transactions that failed; those a database undid, to be tried again, included.",
    registers: [registry],
  });
  return {
    observeDatabase({ what, isFailed, durationSeconds }) {
      durations[what].observe(durationSeconds);
      if (isFailed) failures.inc();
    },
    watchDatabasePool: (readPool) => createPoolGauge(registry, readPool),
  };
}

function createRedisMetrics(registry: Registry): Pick<WorkMetrics, "observeRedis"> {
  const commands = new Counter({
    name: `${prefix}redis_commands_total`,
    help: "Commands to Redis, by the script they run and how they ended.",
    labelNames: ["command", "outcome"] as const,
    registers: [registry],
  });
  const durations = new Histogram({
    name: `${prefix}redis_command_duration_seconds`,
    help: "How long Redis took to answer, or to be given up, by the script it ran.",
    labelNames: ["command"] as const,
    buckets: databaseBucketsSeconds,
    registers: [registry],
  });
  const boundCommand = createLabelBound();
  return {
    observeRedis({ command, outcome, durationSeconds }) {
      const bounded = boundCommand(command);
      commands.inc({ command: bounded, outcome });
      durations.observe({ command: bounded }, durationSeconds);
    },
  };
}

function createPoolGauge(registry: Registry, readPool: () => PoolReading | null): void {
  new Gauge({
    name: `${prefix}database_pool_connections`,
    help: "PostgreSQL: connections that are open, those of them that are idle, and requests waiting for one.",
    labelNames: ["state"] as const,
    registers: [registry],
    collect() {
      const reading = readPool();
      if (!reading) return;
      for (const [state, count] of Object.entries(reading)) this.set({ state }, count);
    },
  });
}

function createSpanCounter(registry: Registry, readCounts: () => SpanCounts): void {
  new Counter({
    name: `${prefix}trace_spans_total`,
    help: "Spans: sent to the collector, dropped because too many waited, or failed because it did not take them.",
    labelNames: ["outcome"] as const,
    registers: [registry],
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(readCounts())) this.inc({ outcome }, count);
    },
  });
}

function createPaymentGauges(registry: Registry, readStatus: () => Promise<PaymentReading>): void {
  new Gauge({
    name: `${prefix}payments_open`,
    help: "Payments of which the chain has not shown yet how they ended.",
    registers: [registry],
    async collect() {
      this.set((await answerWithin(readStatus()))?.open ?? Number.NaN);
    },
  });
  new Gauge({
    name: `${prefix}payment_oldest_open_seconds`,
    help: "How long ago the oldest open payment was signed; 0 where none is open.",
    registers: [registry],
    async collect() {
      const status = await answerWithin(readStatus());
      this.set(status === null ? Number.NaN : (status.oldestOpenMs ?? 0) / 1_000);
    },
  });
}
