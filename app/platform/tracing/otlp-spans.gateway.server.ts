import { setTimeout as delay } from "node:timers/promises";
import type { Context, Tracer } from "@opentelemetry/api";
import type { ReadableSpan, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";
import type { TracingSettings } from "./tracing.settings";
import type { Span, SpanCounts, SpanExport, SpanStart } from "./operation";

export type OpenSpansOptions = {
  settings: TracingSettings;
  serviceVersion: string;
  /** The id of this process. */
  instance: string;
  /** Called when the collector cannot be used, and when it can be again. */
  onFault: (fault: { isAway: boolean }) => void;
  maxWaitingSpans?: number;
};

/** About 4 MB at the most. */
const defaultMaxWaitingSpans = 2_048;
const batchDelayMs = 1_000;
const exportTimeoutMs = 5_000;
const stopTimeoutMs = 1_000;
const maxAttributeChars = 2_000;

/** Loaded only where traces are on. Each package is named here itself: through a file of ours, the build would load it at start. */
async function loadPackages() {
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }, { parseTraceParent }] =
    await Promise.all([
      import("@opentelemetry/api"),
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
      import("@opentelemetry/core"),
    ]);
  return { api, sdk, OTLPTraceExporter, resourceFromAttributes, parseTraceParent };
}
type Packages = Awaited<ReturnType<typeof loadPackages>>;

/** Requests never wait for it: what finds no room in memory or cannot be delivered is dropped and counted. */
export async function openOtlpSpans(options: OpenSpansOptions): Promise<SpanExport> {
  const { settings, serviceVersion, instance, onFault } = options;
  const maxWaitingSpans = options.maxWaitingSpans ?? defaultMaxWaitingSpans;
  const packages = await loadPackages();
  const { sdk, OTLPTraceExporter, resourceFromAttributes } = packages;
  const counts: SpanCounts = { sent: 0, dropped: 0, failed: 0 };
  let waiting = 0;
  let isAway = false;
  const exporter = new OTLPTraceExporter({
    url: settings.url,
    headers: settings.headers,
    timeoutMillis: exportTimeoutMs,
  });
  const batches = new sdk.BatchSpanProcessor({
    exporter: countResults(exporter, (count, isTaken) => {
      waiting -= count;
      counts[isTaken ? "sent" : "failed"] += count;
      if (isAway !== isTaken) return;
      isAway = !isTaken;
      onFault({ isAway });
    }),
    maxQueueSize: maxWaitingSpans,
    maxExportBatchSize: Math.min(512, maxWaitingSpans),
    scheduledDelayMillis: batchDelayMs,
    exportTimeoutMillis: exportTimeoutMs * 2,
  });
  const bounded: SpanProcessor = {
    onStart: () => {},
    onEnd(span) {
      if ((span.spanContext().traceFlags & packages.api.TraceFlags.SAMPLED) === 0) return;
      // Spans being sent are not in the queue, but count against its bound.
      if (waiting >= maxWaitingSpans) counts.dropped += 1;
      else {
        waiting += 1;
        batches.onEnd(span);
      }
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({
      "service.name": settings.serviceName,
      "service.version": serviceVersion,
      "service.instance.id": instance,
    }),
    sampler: chooseSampler(sdk, settings.sampler),
    spanLimits: { attributeValueLengthLimit: maxAttributeChars },
    spanProcessors: [bounded],
  });
  return {
    beginRequest: createRequestSpans(packages, provider.getTracer("latchkey", serviceVersion)),
    readCounts: () => ({ ...counts }),
    stop: async () => {
      const shutdown = provider.shutdown().catch(() => undefined);
      await Promise.race([shutdown, delay(stopTimeoutMs, undefined, { ref: false })]);
    },
  };
}

function chooseSampler(sdk: Packages["sdk"], { base, isParentBased, ratio }: TracingSettings["sampler"]) {
  const root = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(ratio),
  }[base]();
  return isParentBased ? new sdk.ParentBasedSampler({ root }) : root;
}

type OnResult = (count: number, isTaken: boolean) => void;

function countResults(exporter: SpanExporter, onResult: OnResult): SpanExporter {
  return {
    export: (spans: ReadableSpan[], done) =>
      exporter.export(spans, (result) => {
        onResult(spans.length, result.code === 0);
        done(result);
      }),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}

/** Contexts are handed on by hand: nothing is registered for the whole process. */
function createRequestSpans({ api, parseTraceParent }: Packages, tracer: Tracer): SpanExport["beginRequest"] {
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api;

  function start({ name, attributes, startedAtMs, kind, parent }: SpanStart & StartedUnder): Span | null {
    const options = { kind, attributes: { ...attributes }, startTime: startedAtMs };
    const span = tracer.startSpan(name, options, parent);
    if (!span.isRecording()) return null;
    const context = trace.setSpan(parent, span);
    return {
      begin: (child) => start({ ...child, kind: SpanKind.CLIENT, parent: context }),
      set: (more) => void span.setAttributes({ ...more }),
      end({ error, attributes: last, endedAtMs }) {
        if (last) span.setAttributes({ ...last });
        if (error !== undefined) {
          span.setAttribute("error.type", error).setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end(endedAtMs);
      },
    };
  }

  return ({ traceParent, ...request }) => {
    const caller = traceParent === undefined ? null : parseTraceParent(traceParent);
    const parent = caller ? trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true }) : ROOT_CONTEXT;
    return start({ ...request, kind: SpanKind.SERVER, parent });
  };
}

type StartedUnder = { kind: number; parent: Context };
