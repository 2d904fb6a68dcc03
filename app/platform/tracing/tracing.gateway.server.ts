import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { setTimeout as delay } from "node:timers/promises";
import { context, propagation, SpanKind, trace, TraceFlags } from "@opentelemetry/api";
import type { Span as ApiSpan, TextMapPropagator } from "@opentelemetry/api";
import type { ReadableSpan, Sampler, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace-node";
import type { TracingSettings } from "./tracing.settings";

export type OpenTracingOptions = {
  settings: TracingSettings;
  serviceVersion: string;
  /** The id of this process. */
  instance: string;
  /** The `traceparent` of these counts: anybody else could choose what is traced, and join other traces. */
  isTrustedPeer: (address: string | undefined) => boolean;
  /** Called when the collector cannot be used, and when it can be again. */
  onFault: (fault: { isAway: boolean }) => void;
  maxWaitingSpans?: number;
};

/** `dropped`: there was no room. `failed`: the collector did not accept them. */
export type SpanCounts = { sent: number; dropped: number; failed: number };

/** About 4 MB at most. */
const defaultMaxWaitingSpans = 2_048;
const exportTimeoutMs = 5_000;
const stopTimeoutMs = 1_000;
const maxAttributeChars = 2_000;

/** Machines poll these every few seconds. */
const untracedPath = /^\/(?:healthz|readyz|metrics)(?:$|\?)/;
/** Instrumentations also record addresses, paths, queries and headers. Only these leave the machine. */
const requestAttributes =
  /^(?:http\.(?:request\.method|route|response\.status_code)|error\.type|latchkey\..+)$/;
const workAttributes =
  /^(?:rpc\.(?:system|method)|server\.address|db\.(?:system\.name|operation\.name|stored_procedure\.name|query\.text)|method|model|gen_ai\.(?:operation|provider|tool)\.name|gen_ai\.request\.model|error\.type|latchkey\..+)$/;

/** Loaded only if traces are on. */
async function loadPackages() {
  const [node, exporter, resources, core, instrumentation, http, prisma] = await Promise.all([
    import("@opentelemetry/sdk-trace-node"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/core"),
    import("@opentelemetry/instrumentation"),
    import("@opentelemetry/instrumentation-http"),
    import("@prisma/instrumentation"),
  ]);
  return { ...node, ...exporter, ...resources, ...core, ...instrumentation, ...http, ...prisma };
}
type Packages = Awaited<ReturnType<typeof loadPackages>>;

/** Requests never wait for it: spans without room in memory, or that can't be delivered, are dropped and counted. */
export async function openTracing(options: OpenTracingOptions) {
  const { serviceVersion, instance } = options;
  const packages = await loadPackages();
  const counts: SpanCounts = { sent: 0, dropped: 0, failed: 0 };
  const provider = new packages.NodeTracerProvider({
    resource: packages.resourceFromAttributes({
      "service.name": "latchkey",
      "service.version": serviceVersion,
      "service.instance.id": instance,
    }),
    sampler: sampleOpenRequests(new packages.ParentBasedSampler({ root: new packages.AlwaysOnSampler() })),
    // An exception's message may quote what was sent.
    spanLimits: { attributeValueLengthLimit: maxAttributeChars, eventCountLimit: 0 },
    spanProcessors: [createProcessor(packages, options, counts)],
  });
  const w3c = new packages.W3CTraceContextPropagator();
  provider.register({ propagator: receiveOnly(w3c) });
  const unregister = packages.registerInstrumentations({
    instrumentations: [
      new packages.HttpInstrumentation(chooseRequests(options.isTrustedPeer)),
      new packages.PrismaInstrumentation({ ignoreSpanTypes: [/^prisma:client:(?:serialize|compile)$/] }),
    ],
  });
  // The instrumentation patches `http.Server` when somebody requires it. Servers that are open already count too.
  createRequire(import.meta.url)("node:http");
  return {
    readCounts: () => ({ ...counts }),
    /** Sends what is left, and waits a moment for it and no longer. */
    stop: async (): Promise<void> => {
      unregister();
      const shutdown = provider.shutdown().catch(() => undefined);
      await Promise.race([shutdown, delay(stopTimeoutMs, undefined, { ref: false })]);
      for (const api of [trace, context, propagation]) api.disable();
    },
  };
}

function chooseRequests(isTrustedPeer: OpenTracingOptions["isTrustedPeer"]) {
  return {
    disableOutgoingRequestInstrumentation: true,
    ignoreIncomingRequestHook({ url = "", socket, headers }: IncomingMessage): boolean {
      if (!isTrustedPeer(socket.remoteAddress)) delete headers.traceparent;
      return untracedPath.test(url);
    },
    applyCustomAttributesOnSpan(span: ApiSpan, _request: unknown, response: unknown): void {
      const { statusCode, writableFinished } = response as ServerResponse;
      if (!writableFinished) span.setAttribute("latchkey.cut_off", true);
      if (statusCode >= 500) span.setAttribute("error.type", String(statusCode));
    },
  };
}

/** The outside services are not ours: a constant id would tell two of them that they serve the same visitor. */
function receiveOnly(propagator: TextMapPropagator): TextMapPropagator {
  return {
    inject: () => {},
    extract: propagator.extract.bind(propagator),
    fields: propagator.fields.bind(propagator),
  };
}

/** Background work is not traced, and a timer that a request started stops belonging to it when it is over. */
function sampleOpenRequests(sampler: Sampler): Sampler {
  return {
    shouldSample(...parameters) {
      const [parentContext, , , kind] = parameters;
      const isOpen = trace.getSpan(parentContext)?.isRecording() ?? false;
      if (kind !== SpanKind.SERVER && !isOpen) return { decision: 0 };
      return sampler.shouldSample(...parameters);
    },
    toString: () => sampler.toString(),
  };
}

/** The SDK bounds its queue, but tells neither how many spans it dropped nor whether a collector took the others. */
function createProcessor(packages: Packages, options: OpenTracingOptions, counts: SpanCounts): SpanProcessor {
  const { settings, onFault, maxWaitingSpans = defaultMaxWaitingSpans } = options;
  let [waiting, isAway] = [0, false];
  const { url, headers } = settings;
  const exporter = new packages.OTLPTraceExporter({ url, headers, timeoutMillis: exportTimeoutMs });
  const counting: SpanExporter = {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const isTaken = result.code === 0;
        waiting -= spans.length;
        counts[isTaken ? "sent" : "failed"] += spans.length;
        if (isAway === isTaken) {
          isAway = !isTaken;
          onFault({ isAway });
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
  const batches = new packages.BatchSpanProcessor(counting, {
    maxQueueSize: maxWaitingSpans,
    maxExportBatchSize: Math.min(512, maxWaitingSpans),
    scheduledDelayMillis: 1_000,
    exportTimeoutMillis: exportTimeoutMs * 2,
  });
  return {
    onStart: () => {},
    onEnd(span) {
      if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
      // Spans being sent are not in the queue, but count against its bound.
      if (waiting >= maxWaitingSpans) counts.dropped += 1;
      else {
        waiting += 1;
        keepAllowed(span);
        batches.onEnd(span);
      }
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}

function keepAllowed({ kind, attributes, status }: ReadableSpan): void {
  const allowed = kind === SpanKind.SERVER ? requestAttributes : workAttributes;
  for (const name of Object.keys(attributes)) if (!allowed.test(name)) delete attributes[name];
  delete status.message;
}
