import type { ChainInstrument } from "~/platform/chain/chain-clients.server";
import type { Config } from "~/settings.server";
import type { Log, WarnLog } from "~/platform/log.server";
import type { Metrics } from "~/platform/metrics.server";
import { isTimeout } from "~/platform/providers/instrument";
import type { ProviderInstrument } from "~/platform/providers/instrument";
import { nameFailure } from "~/platform/tracing/operation";
import { openOtlpSpans } from "~/platform/tracing/otlp-spans.gateway.server";
import { createTracing } from "~/platform/tracing/tracing.server";
import type { Tracing } from "~/platform/tracing/tracing.server";
import type { QuotaLedger } from "~/quota/quota.server";
import type { QuotaKind } from "~/quota/quota-subject";
import type { Tool } from "~/tools/tool";
import { version } from "../../package.json";

type WireInstrumentsOptions = { config: Config; instance: string; metrics: Metrics; log: Log };

/** Observability: the metrics always, traces and `Server-Timing` where they are on. */
export async function wireInstruments(options: WireInstrumentsOptions) {
  const { config, instance, metrics, log } = options;
  const spans = config.tracing && (await openSpans(config.tracing, instance, log));
  if (spans) metrics.observeTraceSpans(spans.readCounts);
  const hasServerTiming = config.mode === "development";
  const tracing = spans || hasServerTiming ? createTracing({ spans, hasServerTiming }) : null;
  const begin = tracing ? { begin: tracing.begin } : {};
  return {
    /** Null where tracing is off; requests then take the same path without it. */
    tracing,
    database: { observe: metrics.observeDatabase, ...begin },
    redis: { observe: metrics.observeRedis, ...begin },
    chain: instrumentChain(metrics, tracing, log),
    provider: createProviderInstrument(metrics, tracing, log),
    instrumentTool: (tool: Tool) => instrumentTool(tool, metrics, tracing),
    instrumentLedger: ({ ledger, kind }: { ledger: QuotaLedger; kind: QuotaKind }) =>
      instrumentLedger(ledger, kind, metrics),
    stop: async () => await spans?.stop(),
  };
}

async function openSpans(settings: NonNullable<Config["tracing"]>, instance: string, log: Log) {
  const { host } = new URL(settings.url);
  const spans = await openOtlpSpans({
    settings,
    serviceVersion: version,
    instance,
    onFault: ({ isAway }) => {
      if (isAway) log.warn({ host }, "trace collector unavailable; spans are dropped");
      else log.info({ host }, "trace collector available again");
    },
  });
  log.info({ host, sampler: settings.sampler }, "tracing enabled");
  return spans;
}

/** Every request to the chain is counted; an endpoint that fails or recovers is named once. */
function instrumentChain(metrics: Metrics, tracing: Tracing | null, log: Log): ChainInstrument {
  return {
    onFault: ({ reason, ...where }) =>
      reason === null
        ? log.info(where, "RPC endpoint recovered")
        : log.warn({ ...where, reason }, "RPC endpoint failed"),
    onAnswer(end) {
      metrics.observeRpcCall(end);
      if (!tracing) return;
      const { host, method, outcome, durationSeconds } = end;
      const attributes = { "rpc.system": "jsonrpc", "rpc.method": method, "server.address": host };
      tracing
        .begin({ kind: "chain", name: method, attributes, beganMsAgo: durationSeconds * 1_000 })
        .end(outcome === "ok" ? {} : { error: outcome });
    },
  };
}

function createProviderInstrument(
  metrics: Metrics,
  tracing: Tracing | null,
  log: WarnLog,
): ProviderInstrument {
  return ({ kind, provider, model }) => {
    const startedAtMs = performance.now();
    const secondsSince = () => (performance.now() - startedAtMs) / 1_000;
    const span = tracing?.begin({
      kind: "provider",
      name: `${kind} ${provider}`,
      attributes: {
        "gen_ai.operation.name": kind,
        "gen_ai.provider.name": provider,
        ...(model !== undefined && { "gen_ai.request.model": model }),
      },
    });
    let firstSeconds: number | null = null;
    let isOver = false;
    return {
      first: () => (firstSeconds ??= secondsSince()),
      end(outcome, error) {
        if (isOver) return;
        isOver = true;
        if (isTimeout(error)) log.warn({ kind, provider }, "provider timed out");
        metrics.observeProviderCall({
          kind,
          provider,
          outcome,
          durationSeconds: secondsSince(),
          firstSeconds,
        });
        span?.end({
          attributes: {
            "latchkey.outcome": outcome,
            ...(firstSeconds !== null && { "latchkey.first_answer_seconds": firstSeconds }),
          },
          ...(outcome === "error" && { error: nameFailure(error) }),
        });
      },
    };
  };
}

function instrumentTool(tool: Tool, metrics: Metrics, tracing: Tracing | null): Tool {
  async function run(call: Parameters<Tool["run"]>[0]): Promise<unknown> {
    const startedAtMs = performance.now();
    let outcome: "ok" | "error" = "error";
    try {
      const output = await tool.run(call);
      outcome = "ok";
      return output;
    } finally {
      const durationSeconds = (performance.now() - startedAtMs) / 1_000;
      metrics.observeToolCall({ tool: tool.name, outcome, durationSeconds });
    }
  }
  const name = `tool ${tool.name}`;
  const attributes = { "gen_ai.tool.name": tool.name };
  return {
    ...tool,
    run: tracing ? (call) => tracing.around({ kind: "tool", name, attributes }, () => run(call)) : run,
  };
}

function instrumentLedger(ledger: QuotaLedger, kind: QuotaKind, metrics: Metrics): QuotaLedger {
  function count(step: "reserved" | "settled" | "refused", amount: number): void {
    metrics.countQuota({ kind, step, amount });
  }
  return {
    ...ledger,
    async reserve(request) {
      const outcome = await ledger.reserve(request);
      if (outcome.outcome === "exhausted") count("refused", 1);
      else count("reserved", outcome.amount);
      return outcome;
    },
    async settle(request) {
      const isSettled = await ledger.settle(request);
      if (isSettled) count("settled", Math.max(0, Math.ceil(request.usedTokens)));
      return isSettled;
    },
  };
}
