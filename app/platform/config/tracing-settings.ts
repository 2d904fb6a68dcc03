import type { Setting } from "./setting";

/** The part of the list of settings that is about traces; the names are OpenTelemetry's own. */
export const tracingSettings = [
  {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    group: "Tracing",
    secret: true,
    effect:
      "Where traces are sent, as OTLP over HTTP: an address to which /v1/traces is added. Without it and the next one there are no traces.",
  },
  {
    name: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    group: "Tracing",
    secret: true,
    effect: "The same as a whole address, to which nothing is added; counts before the other.",
  },
  {
    name: "OTEL_EXPORTER_OTLP_HEADERS",
    group: "Tracing",
    secret: true,
    effect:
      "Headers for the collector, such as a key: name=value, comma-separated, values percent-encoded where they need it.",
  },
  {
    name: "OTEL_SERVICE_NAME",
    group: "Tracing",
    default: "latchkey",
    effect: "What this service is called in traces.",
  },
  {
    name: "OTEL_TRACES_SAMPLER",
    group: "Tracing",
    default: "parentbased_always_on",
    effect:
      "Which requests are traced: `always_on`, `always_off`, `traceidratio`, each also with `parentbased_` before it, which follows a trusted proxy's decision where there is one.",
  },
  {
    name: "OTEL_TRACES_SAMPLER_ARG",
    group: "Tracing",
    default: "1",
    effect: "The share of requests that `traceidratio` traces, 0 to 1.",
  },
] as const satisfies readonly Setting[];
