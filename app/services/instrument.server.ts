import type { ChainInstrument } from "~/platform/chain/chain-clients.server";
import type { Config } from "~/settings.server";
import { compileTrust, isPeerTrusted } from "~/platform/http/client-id.server";
import type { Log, WarnLog } from "~/platform/log/log.server";
import type { Metrics } from "~/platform/metrics/metrics.server";
import { isTimeout } from "~/platform/providers/instrument";
import type { ProviderInstrument } from "~/platform/providers/instrument";
import { beginSpan, nameFailure } from "~/platform/tracing/spans";
import { openTracing } from "~/platform/tracing/tracing.gateway.server";
import { version } from "../../package.json";
import { trace } from "@opentelemetry/api";
import type { RequestHandler } from "express";
import { contextOf } from "~/platform/http/create-context.server";

type InstrumentsOptions = { config: Config; instance: string; metrics: Metrics; log: Log };

/** Metrics always, traces if an endpoint is set. */
export async function createInstruments(options: InstrumentsOptions) {
  const { metrics, log } = options;
  const tracing = await openConfiguredTracing(options);
  if (tracing) metrics.observeTraceSpans(tracing.readCounts);
  return {
    database: { observe: metrics.observeDatabase },
    redis: { observe: metrics.observeRedis },
    chain: instrumentChain(metrics, log),
    provider: createProviderInstrument(metrics, log),
    stop: async () => await tracing?.stop(),
  };
}

async function openConfiguredTracing({ config, instance, log }: InstrumentsOptions) {
  if (!config.tracing) return null;
  const { host } = new URL(config.tracing.url);
  const isTrusted = compileTrust(config.serving.trustProxy ?? undefined);
  const tracing = await openTracing({
    settings: config.tracing,
    serviceVersion: version,
    instance,
    isTrustedPeer: (address) => isPeerTrusted(address, isTrusted),
    onFault: ({ isAway }) => {
      if (isAway) log.warn({ host }, "trace collector unavailable; spans are dropped");
      else log.info({ host }, "trace collector available again");
    },
  });
  log.info({ host }, "tracing enabled");
  return tracing;
}

/** Counts every request to the chain, and logs each failure and recovery of an endpoint once. */
function instrumentChain(metrics: Metrics, log: Log): ChainInstrument {
  return {
    onFault: ({ reason, ...where }) =>
      reason === null
        ? log.info(where, "RPC endpoint recovered")
        : log.warn({ ...where, reason }, "RPC endpoint failed"),
    onAnswer(end) {
      metrics.observeRpcCall(end);
      const { host, method, outcome, durationSeconds } = end;
      const attributes = { "rpc.system": "jsonrpc", "rpc.method": method, "server.address": host };
      const span = beginSpan({ name: method, attributes, beganMsAgo: durationSeconds * 1_000 });
      span.end(outcome === "ok" ? {} : { error: outcome });
    },
  };
}

function createProviderInstrument(metrics: Metrics, log: WarnLog): ProviderInstrument {
  return ({ kind, provider, model }) => {
    const startedAtMs = performance.now();
    const secondsSince = () => (performance.now() - startedAtMs) / 1_000;
    const span = beginSpan({
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
        span.end({
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

const methodInNames = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;

/**
 * One log line, one measurement and a trace's name for each request. `route` is a pattern, because addresses may
 * contain tokens.
 */
export function observeRequests({ metrics }: { metrics: Metrics }, log: Log): RequestHandler {
  return function observe(request, response, next) {
    const { requestId, clientId, method, route } = contextOf(response);
    const startedAt = performance.now();
    response.on("close", () => {
      const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
      const status = response.statusCode;
      const fields = { requestId, clientId, method, route, status, durationMs };
      log.info(response.writableFinished ? fields : { ...fields, cutOff: true }, "request");
      metrics.observeRequest({ route, method, status, durationSeconds: durationMs / 1000 });
    });
    trace
      .getActiveSpan()
      ?.updateName(`${methodInNames.test(method) ? method : "HTTP"} ${route}`)
      .setAttributes({ "http.route": route, "latchkey.request_id": requestId });
    next();
  };
}
